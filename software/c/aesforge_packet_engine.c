// SPDX-License-Identifier: Apache-2.0
#include "aesforge_packet_engine.h"

#include "aesforge_packet_csr.h"

#define OFFSET(name) ((uint32_t)offsetof(aesforge_packet_csr_t, name))
#define MOST_SLOTS 16u
#define MOST_UNITS 0xffffu

static uint32_t get(const aesforge_packet_engine *engine, uint32_t offset)
{
    return engine->bus.read(engine->bus.context, offset);
}

static void put(const aesforge_packet_engine *engine, uint32_t offset, uint32_t value)
{
    engine->bus.write(engine->bus.context, offset, value);
}

// Four bytes a word, the first in bits 7 to 0, whatever the byte order of the processor.
static void put_bytes(const aesforge_packet_engine *engine, uint32_t offset, const uint8_t *bytes, uint32_t size)
{
    for (uint32_t i = 0u; i < size; i += 4u) {
        uint32_t word = 0u;
        for (uint32_t k = 0u; (k < 4u) && ((i + k) < size); k++) {
            word |= (uint32_t)bytes[i + k] << (8u * k);
        }
        put(engine, offset + i, word);
    }
}

static void get_bytes(const aesforge_packet_engine *engine, uint32_t offset, uint8_t *bytes, uint32_t size)
{
    for (uint32_t i = 0u; i < size; i += 4u) {
        const uint32_t word = get(engine, offset + i);
        for (uint32_t k = 0u; k < 4u; k++) {
            bytes[i + k] = (uint8_t)((word >> (8u * k)) & 0xffu);
        }
    }
}

// Whether the bits of `status` become `value` within the polls.
static bool becomes(const aesforge_packet_engine *engine, uint32_t mask, uint32_t value)
{
    bool done = false;
    for (uint32_t i = 0u; !done && (i < engine->polls); i++) {
        done = (get(engine, OFFSET(status)) & mask) == value;
    }
    return done;
}

aesforge_status aesforge_packet_init(aesforge_packet_engine *engine, aesforge_bus bus,
                                     aesforge_packet_config config, uint32_t polls)
{
    const uint32_t keys = (config.mode == AESFORGE_PACKET_XTS) ? 2u : 1u;
    const bool middle = (config.key_bytes == 24u) && (keys == 1u);
    const bool key_size = (config.key_bytes == (16u * keys)) || (config.key_bytes == (32u * keys)) || middle;
    const bool slots = (config.key_slots != 1u) && (config.key_slots <= MOST_SLOTS);
    const bool tags = (config.tag_lengths != 0u) == (config.mode != AESFORGE_PACKET_XTS);
    const bool ways = config.encrypts || config.decrypts;
    aesforge_status status = AESFORGE_OK;

    engine->bus = bus;
    engine->config = config;
    engine->polls = polls;
    if (!key_size || !slots || !tags || !ways || (config.mode > AESFORGE_PACKET_XTS)) {
        status = AESFORGE_BAD_CONFIG;
    } else if (get(engine, OFFSET(id)) != (uint32_t)AESFORGE_PACKET_CSR__ID__LETTERS_reset) {
        status = AESFORGE_NO_ENGINE;
    } else {
        status = AESFORGE_OK;
    }
    return status;
}

aesforge_status aesforge_packet_load_key(const aesforge_packet_engine *engine, uint32_t slot,
                                         const uint8_t *key, uint32_t key_bytes, uint32_t iv_fixed)
{
    aesforge_status status = AESFORGE_OK;

    if (slot >= engine->config.key_slots) {
        status = AESFORGE_BAD_SLOT;
    } else if ((key == NULL) || (key_bytes != engine->config.key_bytes)) {
        status = AESFORGE_BAD_KEY;
    } else if (!becomes(engine, AESFORGE_PACKET_CSR__STATUS__KEY_WAITS_bm, 0u)) {
        status = AESFORGE_BUSY;
    } else {
        put_bytes(engine, OFFSET(key), key, key_bytes);
        put(engine, OFFSET(iv_fixed), iv_fixed);
        put(engine, OFFSET(load), slot);
        // A context that overtook the key would run under the old one.
        status = becomes(engine, AESFORGE_PACKET_CSR__STATUS__KEY_WAITS_bm, 0u) ? AESFORGE_OK : AESFORGE_TIMEOUT;
    }
    return status;
}

static bool is_iv_legal(const aesforge_packet_config *config, const aesforge_packet_context *context)
{
    const bool gcm = config->mode == AESFORGE_PACKET_GCM;
    const bool made = config->counted && !context->decrypt;
    const bool given = context->iv_kind == AESFORGE_IV_GIVEN;
    bool legal = false;

    if ((context->iv == NULL) || made || !given) {
        const bool known = given ? made : (gcm && !made && (context->iv_kind <= AESFORGE_IV_HASHED));
        legal = known && (context->iv == NULL) && (context->iv_bytes == 0u);
    } else if (gcm) {
        legal = context->iv_bytes == 12u;
    } else if (config->mode == AESFORGE_PACKET_OCB) {
        legal = (context->iv_bytes >= 1u) && (context->iv_bytes <= 15u);
    } else if (config->mode == AESFORGE_PACKET_CCM) {
        legal = (context->iv_bytes >= 7u) && (context->iv_bytes <= 13u);
    } else {
        legal = context->iv_bytes == 16u;
    }
    return legal;
}

static bool is_tag_legal(const aesforge_packet_config *config, const aesforge_packet_context *context)
{
    const bool tags = config->mode != AESFORGE_PACKET_XTS;
    const bool length = (context->tag_bytes <= AESFORGE_TAG_BYTES)
                        && (((config->tag_lengths >> context->tag_bytes) & 1u) != 0u);
    const bool compares = context->decrypt && (context->iv_kind != AESFORGE_IV_PACKET);
    return tags ? (length && ((context->tag == NULL) || compares))
                : ((context->tag_bytes == 0u) && (context->tag == NULL));
}

static bool are_lengths_legal(const aesforge_packet_config *config, const aesforge_packet_context *context)
{
    const bool states = config->mode == AESFORGE_PACKET_CCM;
    const bool none = (context->aad_bytes == 0u) && (context->text_bytes == 0u);
    // SP 800-38C Sec. A.1: the length of the text has the bytes that the nonce leaves.
    const uint32_t most = (context->iv_bytes == 13u) ? 0xffffu : 0xffffffu;
    const bool fits = (context->iv_bytes < 12u) || (context->text_bytes <= most);
    const uint32_t units = (config->mode == AESFORGE_PACKET_XTS) ? MOST_UNITS : 0u;
    return (states ? fits : none) && (context->more <= units);
}

static aesforge_status check_context(const aesforge_packet_config *config, const aesforge_packet_context *context)
{
    const bool stored = config->key_slots != 0u;
    const bool has_key = (context->key != NULL) && (context->key_bytes == config->key_bytes);
    const bool no_key = (context->key == NULL) && (context->key_bytes == 0u);
    aesforge_status status = AESFORGE_OK;

    if (context->decrypt ? !config->decrypts : !config->encrypts) {
        status = AESFORGE_BAD_DIRECTION;
    } else if (!is_iv_legal(config, context)) {
        status = AESFORGE_BAD_IV;
    } else if (stored ? !no_key : !has_key) {
        status = AESFORGE_BAD_KEY;
    } else if (context->slot >= (stored ? config->key_slots : 1u)) {
        status = AESFORGE_BAD_SLOT;
    } else if (!is_tag_legal(config, context)) {
        status = AESFORGE_BAD_TAG;
    } else if (!are_lengths_legal(config, context)) {
        status = AESFORGE_BAD_LENGTH;
    } else {
        status = AESFORGE_OK;
    }
    return status;
}

aesforge_status aesforge_packet_begin(const aesforge_packet_engine *engine,
                                      const aesforge_packet_context *context)
{
    aesforge_status status = check_context(&engine->config, context);

    if ((status == AESFORGE_OK) && !becomes(engine, AESFORGE_PACKET_CSR__STATUS__CONTEXT_WAITS_bm, 0u)) {
        status = AESFORGE_BUSY;
    }
    if (status == AESFORGE_OK) {
        const bool in_packet = context->decrypt && (context->tag == NULL)
                               && (context->iv_kind != AESFORGE_IV_PACKET);
        if (context->iv != NULL) {
            put_bytes(engine, OFFSET(iv), context->iv, context->iv_bytes);
        }
        if (context->tag != NULL) {
            put_bytes(engine, OFFSET(tag), context->tag, context->tag_bytes);
        }
        if (context->key != NULL) {
            put_bytes(engine, OFFSET(key), context->key, context->key_bytes);
        }
        put(engine, OFFSET(aad), context->aad_bytes);
        put(engine, OFFSET(text), context->text_bytes);
        put(engine, OFFSET(more), context->more);
        put(engine, OFFSET(push),
            (context->iv_kind << AESFORGE_PACKET_CSR__PUSH__IV_KIND_bp)
                | ((context->decrypt ? 1u : 0u) << AESFORGE_PACKET_CSR__PUSH__DECRYPT_bp)
                | ((in_packet ? 0u : 1u) << AESFORGE_PACKET_CSR__PUSH__TAG_GIVEN_bp)
                | (context->slot << AESFORGE_PACKET_CSR__PUSH__SLOT_bp)
                | ((context->iv_bytes & 15u) << AESFORGE_PACKET_CSR__PUSH__IV_BYTES_bp)
                | (context->tag_bytes << AESFORGE_PACKET_CSR__PUSH__TAG_BYTES_bp));
    }
    return status;
}

aesforge_status aesforge_packet_finish(const aesforge_packet_engine *engine,
                                       aesforge_packet_result *result)
{
    const uint32_t waits = AESFORGE_PACKET_CSR__STATUS__RESULT_WAITS_bm;
    aesforge_status status = AESFORGE_TIMEOUT;

    if (becomes(engine, waits, waits)) {
        const uint32_t word = get(engine, OFFSET(result));
        result->error = (word & (uint32_t)AESFORGE_PACKET_CSR__RESULT__ERROR_bm) != 0u;
        result->authentic = (word & (uint32_t)AESFORGE_PACKET_CSR__RESULT__AUTHENTIC_bm) != 0u;
        result->iv_made = (word & (uint32_t)AESFORGE_PACKET_CSR__RESULT__IV_MADE_bm) != 0u;
        result->id = (word & (uint32_t)AESFORGE_PACKET_CSR__RESULT__ID_bm) >> (uint32_t)AESFORGE_PACKET_CSR__RESULT__ID_bp;
        get_bytes(engine, OFFSET(result_tag), result->tag, AESFORGE_TAG_BYTES);
        get_bytes(engine, OFFSET(result_iv), result->iv, AESFORGE_COUNTED_IV_BYTES);
        put(engine, OFFSET(pop), AESFORGE_PACKET_CSR__POP__NEXT_bm);
        status = result->error ? AESFORGE_PACKET_ERROR : AESFORGE_OK;
    }
    return status;
}

uint32_t aesforge_packet_take_errors(const aesforge_packet_engine *engine)
{
    const uint32_t flags = get(engine, OFFSET(errors));
    put(engine, OFFSET(errors), flags);
    return flags;
}

aesforge_status aesforge_packet_zeroize(const aesforge_packet_engine *engine)
{
    const uint32_t inside = AESFORGE_PACKET_CSR__STATUS__CONTEXT_WAITS_bm
                            | AESFORGE_PACKET_CSR__STATUS__KEY_WAITS_bm
                            | AESFORGE_PACKET_CSR__STATUS__RESULT_WAITS_bm;
    uint32_t before = 0u;
    bool done = false;

    put(engine, OFFSET(control), AESFORGE_PACKET_CSR__CONTROL__ZEROIZE_bm);
    // A packet that is leaving may still be counted: wait until the count is the same twice.
    before = get(engine, OFFSET(packets));
    for (uint32_t i = 0u; !done && (i < engine->polls); i++) {
        const bool quiet = (get(engine, OFFSET(status)) & inside) == 0u;
        const uint32_t count = get(engine, OFFSET(packets));
        done = quiet && (count == before);
        before = count;
    }
    return done ? AESFORGE_OK : AESFORGE_TIMEOUT;
}
