// SPDX-License-Identifier: Apache-2.0
// Bare-metal driver of aesforge_engine_axi, an AES engine with AXI4-Lite CSRs. C99, no allocation,
// no globals, no loop without a bound. Calls for one engine must not overlap.
//
// It loads keys, gives each packet its context, and waits for the packets. Their data go through the
// AXI4-Stream ports, which a DMA controller or other hardware serves.
#ifndef AESFORGE_ENGINE_H
#define AESFORGE_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define AESFORGE_IV_BYTES 16u

// Field `mode` of a context: s_ctx_mode.
#define AESFORGE_ECB 0u
#define AESFORGE_CTR 1u
#define AESFORGE_CBC 2u
#define AESFORGE_CFB 3u
#define AESFORGE_OFB 4u
#define AESFORGE_CFB8 5u
#define AESFORGE_CBC_MAC 6u
#define AESFORGE_CMAC 7u

typedef enum {
    AESFORGE_OK = 0,
    AESFORGE_NO_ENGINE,       // the CSRs do not begin with "AESF"
    AESFORGE_BAD_CONFIG,      // no engine is like this: key size, slots, or no mode
    AESFORGE_BAD_MODE,        // the engine has no such mode
    AESFORGE_BAD_DIRECTION,   // the engine has the mode, but not this direction
    AESFORGE_BAD_IV,          // the mode takes an IV, and the context has none
    AESFORGE_BAD_KEY,         // a key of another length, or a key where there should be none
    AESFORGE_BAD_SLOT,        // the engine has no such slot
    AESFORGE_BUSY,            // what was handed over before still waits: nothing has been written
    AESFORGE_TIMEOUT,         // it was handed over, and is not done yet
    AESFORGE_PACKET_ERROR,    // a packet came out with the error flag
    AESFORGE_BAD_TAG,         // a tag of a length that the engine has not, or one when encrypting
    AESFORGE_BAD_LENGTH       // a length that the mode has not, or that it does not ask for
} aesforge_status;

// Access to the CSRs, 32 bits at a time; `offset` in bytes. Each access must be complete, and in the
// order of the calls.
typedef struct {
    uint32_t (*read)(void *context, uint32_t offset);
    void (*write)(void *context, uint32_t offset, uint32_t value);
    void *context;
} aesforge_bus;

// How the engine was built; a bundle has the values in a header.
typedef struct {
    uint32_t key_bytes;      // 16, 24 or 32
    uint32_t key_slots;      // stored keys: 2 to 16; 0: a key with each context
    uint32_t encrypt_modes;  // bit m: mode m encrypts, or makes a digest
    uint32_t decrypt_modes;  // bit m: mode m decrypts
} aesforge_config;

typedef struct {
    uint32_t mode;
    bool decrypt;
    const uint8_t *iv;   // AESFORGE_IV_BYTES; NULL in modes without an IV
    const uint8_t *key;  // key_bytes; NULL with stored keys
    uint32_t key_bytes;  // 0 with stored keys
    uint32_t slot;       // 0 without stored keys
} aesforge_context;

typedef struct {
    aesforge_bus bus;
    aesforge_config config;
    uint32_t polls;     // most reads of a register in one call
    uint32_t due;       // the count of packets, when all that were begun are out
    uint32_t in_error;  // the count of packets in error that finish() has told
} aesforge_engine;

// A bus for CSRs that are mapped into memory, as device memory: neither cached nor reordered.
aesforge_bus aesforge_memory_bus(void *base);

// Finds the engine, and takes its counters as they are: packets of an earlier program that are still
// inside would count as ours, and aesforge_zeroize() drops them. `polls` bounds every wait.
// AESFORGE_NO_ENGINE, AESFORGE_BAD_CONFIG
aesforge_status aesforge_init(aesforge_engine *engine, aesforge_bus bus, aesforge_config config,
                              uint32_t polls);

// Loads a stored key. Packets that are begun after it use it.
// AESFORGE_BAD_SLOT, AESFORGE_BAD_KEY, AESFORGE_BUSY, AESFORGE_TIMEOUT
aesforge_status aesforge_load_key(const aesforge_engine *engine, uint32_t slot, const uint8_t *key,
                                  uint32_t key_bytes);

// Begins a packet: hands its context over. Three contexts may wait. Never use an IV twice under one
// key. Key and IV stay in the CSRs, which nobody can read, until the next ones or aesforge_zeroize().
// AESFORGE_BAD_MODE, _DIRECTION, _IV, _KEY, _SLOT, AESFORGE_BUSY
aesforge_status aesforge_begin(aesforge_engine *engine, const aesforge_context *context);

// Waits until all packets that were begun are out.
// AESFORGE_TIMEOUT; AESFORGE_PACKET_ERROR: all are out, and at least one since the last call has the
// error flag in its last beat. Its data are not to be used.
aesforge_status aesforge_finish(aesforge_engine *engine);

// Returns the flags AESFORGE_CSR__ERRORS__* and takes them back.
uint32_t aesforge_take_errors(const aesforge_engine *engine);

// Zeroizes keys, contexts and data; drops all packets. The engine takes no context and no beat until
// it is done.
// AESFORGE_TIMEOUT: a context or a key still waits, or packets still leave.
aesforge_status aesforge_zeroize(aesforge_engine *engine);

// Returns a short text for people.
const char *aesforge_status_text(aesforge_status status);

#ifdef __cplusplus
}
#endif

#endif
