// SPDX-License-Identifier: Apache-2.0
#include "aesforge_engine.h"

#include "aesforge_csr.h"

#define OFFSET(name) ((uint32_t)offsetof(aesforge_csr_t, name))
#define MOST_SLOTS 16u
#define MODES 16u

static uint32_t get(const aesforge_engine *engine, uint32_t offset)
{
    return engine->bus.read(engine->bus.context, offset);
}

static void put(const aesforge_engine *engine, uint32_t offset, uint32_t value)
{
    engine->bus.write(engine->bus.context, offset, value);
}

// Four bytes a word, the first in bits 7 to 0, whatever the byte order of the processor.
static void put_bytes(const aesforge_engine *engine, uint32_t offset, const uint8_t *bytes, uint32_t size)
{
    for (uint32_t i = 0u; i < size; i += 4u) {
        const uint32_t word = (uint32_t)bytes[i] | ((uint32_t)bytes[i + 1u] << 8)
                              | ((uint32_t)bytes[i + 2u] << 16) | ((uint32_t)bytes[i + 3u] << 24);
        put(engine, offset + i, word);
    }
}

// Whether a bit of `status` falls within the polls.
static bool falls(const aesforge_engine *engine, uint32_t mask)
{
    bool waits = true;
    for (uint32_t i = 0u; waits && (i < engine->polls); i++) {
        waits = (get(engine, OFFSET(status)) & mask) != 0u;
    }
    return !waits;
}

// Whether packets are still to come out; the counters count modulo 2^32.
static bool lacks(uint32_t count, uint32_t due)
{
    return ((due - count) != 0u) && ((due - count) < 0x80000000u);
}

static bool takes_iv(uint32_t mode)
{
    return (mode >= AESFORGE_CTR) && (mode <= AESFORGE_CFB8);
}

static uint32_t memory_read(void *context, uint32_t offset)
{
    const volatile uint32_t *const base = (const volatile uint32_t *)context;
    return base[offset / 4u];
}

static void memory_write(void *context, uint32_t offset, uint32_t value)
{
    volatile uint32_t *const base = (volatile uint32_t *)context;
    base[offset / 4u] = value;
}

aesforge_bus aesforge_memory_bus(void *base)
{
    const aesforge_bus bus = {memory_read, memory_write, base};
    return bus;
}

aesforge_status aesforge_init(aesforge_engine *engine, aesforge_bus bus, aesforge_config config,
                              uint32_t polls)
{
    const bool key_size = (config.key_bytes == 16u) || (config.key_bytes == 24u) || (config.key_bytes == 32u);
    const bool slots = (config.key_slots != 1u) && (config.key_slots <= MOST_SLOTS);
    const bool modes = (config.encrypt_modes | config.decrypt_modes) != 0u;
    aesforge_status status = AESFORGE_OK;

    engine->bus = bus;
    engine->config = config;
    engine->polls = polls;
    if (!key_size || !slots || !modes) {
        status = AESFORGE_BAD_CONFIG;
    } else if (get(engine, OFFSET(id)) != (uint32_t)AESFORGE_CSR__ID__LETTERS_reset) {
        status = AESFORGE_NO_ENGINE;
    } else {
        engine->due = get(engine, OFFSET(packets));
        engine->in_error = get(engine, OFFSET(packets_in_error));
    }
    return status;
}

aesforge_status aesforge_load_key(const aesforge_engine *engine, uint32_t slot, const uint8_t *key,
                                  uint32_t key_bytes)
{
    aesforge_status status = AESFORGE_OK;

    if (slot >= engine->config.key_slots) {
        status = AESFORGE_BAD_SLOT;
    } else if ((key == NULL) || (key_bytes != engine->config.key_bytes)) {
        status = AESFORGE_BAD_KEY;
    } else if (!falls(engine, AESFORGE_CSR__STATUS__KEY_WAITS_bm)) {
        status = AESFORGE_BUSY;
    } else {
        put_bytes(engine, OFFSET(key), key, key_bytes);
        put(engine, OFFSET(load), slot);
        // A context that overtook the key would run under the old one.
        status = falls(engine, AESFORGE_CSR__STATUS__KEY_WAITS_bm) ? AESFORGE_OK : AESFORGE_TIMEOUT;
    }
    return status;
}

static aesforge_status check_context(const aesforge_config *config, const aesforge_context *context)
{
    const bool stored = config->key_slots != 0u;
    const bool has_key = (context->key != NULL) && (context->key_bytes == config->key_bytes);
    const bool no_key = (context->key == NULL) && (context->key_bytes == 0u);
    const uint32_t modes = context->decrypt ? config->decrypt_modes : config->encrypt_modes;
    const uint32_t built = config->encrypt_modes | config->decrypt_modes;
    aesforge_status status = AESFORGE_OK;

    if ((context->mode >= MODES) || (((built >> context->mode) & 1u) == 0u)) {
        status = AESFORGE_BAD_MODE;
    } else if (((modes >> context->mode) & 1u) == 0u) {
        status = AESFORGE_BAD_DIRECTION;
    } else if (takes_iv(context->mode) && (context->iv == NULL)) {
        status = AESFORGE_BAD_IV;
    } else if (stored ? !no_key : !has_key) {
        status = AESFORGE_BAD_KEY;
    } else if (context->slot >= (stored ? config->key_slots : 1u)) {
        status = AESFORGE_BAD_SLOT;
    } else {
        status = AESFORGE_OK;
    }
    return status;
}

aesforge_status aesforge_begin(aesforge_engine *engine, const aesforge_context *context)
{
    aesforge_status status = check_context(&engine->config, context);

    if ((status == AESFORGE_OK) && !falls(engine, AESFORGE_CSR__STATUS__CONTEXT_WAITS_bm)) {
        status = AESFORGE_BUSY;
    }
    if (status == AESFORGE_OK) {
        if (context->iv != NULL) {
            put_bytes(engine, OFFSET(iv), context->iv, AESFORGE_IV_BYTES);
        }
        if (context->key != NULL) {
            put_bytes(engine, OFFSET(key), context->key, context->key_bytes);
        }
        put(engine, OFFSET(push),
            (context->mode << AESFORGE_CSR__PUSH__MODE_bp)
                | ((context->decrypt ? 1u : 0u) << AESFORGE_CSR__PUSH__DECRYPT_bp)
                | (context->slot << AESFORGE_CSR__PUSH__SLOT_bp));
        engine->due++;
    }
    return status;
}

aesforge_status aesforge_finish(aesforge_engine *engine)
{
    bool waits = true;
    aesforge_status status = AESFORGE_TIMEOUT;

    for (uint32_t i = 0u; waits && (i < engine->polls); i++) {
        waits = lacks(get(engine, OFFSET(packets)), engine->due);
    }
    if (!waits) {
        const uint32_t in_error = get(engine, OFFSET(packets_in_error));
        status = (in_error == engine->in_error) ? AESFORGE_OK : AESFORGE_PACKET_ERROR;
        engine->in_error = in_error;
    }
    return status;
}

uint32_t aesforge_take_errors(const aesforge_engine *engine)
{
    const uint32_t flags = get(engine, OFFSET(errors));
    put(engine, OFFSET(errors), flags);
    return flags;
}

aesforge_status aesforge_zeroize(aesforge_engine *engine)
{
    const uint32_t waits = AESFORGE_CSR__STATUS__CONTEXT_WAITS_bm | AESFORGE_CSR__STATUS__KEY_WAITS_bm;
    bool done = false;

    put(engine, OFFSET(control), AESFORGE_CSR__CONTROL__ZEROIZE_bm);
    // A packet that is leaving may still be counted: wait until the count is the same twice.
    engine->due = get(engine, OFFSET(packets));
    for (uint32_t i = 0u; !done && (i < engine->polls); i++) {
        const bool quiet = (get(engine, OFFSET(status)) & waits) == 0u;
        const uint32_t count = get(engine, OFFSET(packets));
        done = quiet && (count == engine->due);
        engine->due = count;
    }
    engine->in_error = get(engine, OFFSET(packets_in_error));
    return done ? AESFORGE_OK : AESFORGE_TIMEOUT;
}

const char *aesforge_status_text(aesforge_status status)
{
    const char *text = "unknown status";

    switch (status) {
    case AESFORGE_OK: text = "done"; break;
    case AESFORGE_NO_ENGINE: text = "no engine at this address"; break;
    case AESFORGE_BAD_CONFIG: text = "no engine has this configuration"; break;
    case AESFORGE_BAD_MODE: text = "the engine has no such mode"; break;
    case AESFORGE_BAD_DIRECTION: text = "the engine has the mode, but not this direction"; break;
    case AESFORGE_BAD_IV: text = "the mode takes an IV"; break;
    case AESFORGE_BAD_KEY: text = "a key of another length, or with stored keys in a context"; break;
    case AESFORGE_BAD_SLOT: text = "the engine has no such slot"; break;
    case AESFORGE_BUSY: text = "what was handed over before still waits"; break;
    case AESFORGE_TIMEOUT: text = "not done in time"; break;
    case AESFORGE_PACKET_ERROR: text = "a packet came out with the error flag"; break;
    case AESFORGE_BAD_TAG: text = "a tag of another length, or one when encrypting"; break;
    case AESFORGE_BAD_LENGTH: text = "a length that the mode has not, or does not ask for"; break;
    default: break;
    }
    return text;
}
