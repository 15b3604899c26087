// SPDX-License-Identifier: Apache-2.0
// Bare-metal driver of an engine of GCM, OCB, CCM or XTS with AXI4-Lite CSRs. C99, no allocation, no
// globals, no loop without a bound. Calls for one engine must not overlap. It needs
// aesforge_engine.c for the bus and the texts.
//
// It loads keys, gives each packet its context, and reads the result of each: the tag that was made,
// or whether the received one is right. The packets go through the AXI4-Stream ports, which a DMA
// controller or other hardware serves.
#ifndef AESFORGE_PACKET_ENGINE_H
#define AESFORGE_PACKET_ENGINE_H

#include "aesforge_engine.h"

#ifdef __cplusplus
extern "C" {
#endif

#define AESFORGE_TAG_BYTES 16u
#define AESFORGE_COUNTED_IV_BYTES 12u

// Field `mode` of a configuration.
#define AESFORGE_PACKET_GCM 0u
#define AESFORGE_PACKET_OCB 1u
#define AESFORGE_PACKET_CCM 2u
#define AESFORGE_PACKET_XTS 3u

// Field `iv_kind` of a context; GCM alone has others than the first.
#define AESFORGE_IV_GIVEN 0u   // the IV is that of the context
#define AESFORGE_IV_PACKET 1u  // the text of this packet is an IV
#define AESFORGE_IV_HASHED 2u  // the IV is that of the last such packet, which is used once

// How the engine was built; a bundle has the values in a header.
typedef struct {
    uint32_t mode;         // AESFORGE_PACKET_*
    uint32_t key_bytes;    // 16, 24 or 32; XTS: of both keys, 32 or 64
    uint32_t key_slots;    // stored keys: 2 to 16; 0: a key with each context
    uint32_t tag_lengths;  // bit n: tags of n bytes; 0: without tags
    bool encrypts;
    bool decrypts;
    bool counted;  // the engine makes the IVs of packets that encrypt
} aesforge_packet_config;

typedef struct {
    bool decrypt;
    uint32_t slot;        // 0 without stored keys
    const uint8_t *key;   // key_bytes; NULL with stored keys
    uint32_t key_bytes;   // 0 with stored keys
    uint32_t iv_kind;     // AESFORGE_IV_*
    const uint8_t *iv;    // NULL where the engine makes it, or a packet brings it
    uint32_t iv_bytes;    // GCM: 12; OCB: 1 to 15; CCM: 7 to 13; XTS: 16; 0 without
    uint32_t tag_bytes;   // XTS: 0
    const uint8_t *tag;   // the expected tag; NULL: it is in the last beat of the packet
    uint32_t aad_bytes;   // CCM; else 0
    uint32_t text_bytes;  // CCM; else 0
    uint32_t more;        // XTS: data units that follow, each with the next number; else 0
} aesforge_packet_context;

typedef struct {
    bool error;      // the error flag: the data of the packet are not to be used
    bool authentic;  // it was decrypted, and its tag is right
    bool iv_made;    // `iv` is that of the packet: send it with the packet
    uint32_t id;     // `tid` of its last beat, lowest 8 bits
    uint8_t tag[AESFORGE_TAG_BYTES];  // that was made: the first tag_bytes; else zeros
    uint8_t iv[AESFORGE_COUNTED_IV_BYTES];
} aesforge_packet_result;

typedef struct {
    aesforge_bus bus;
    aesforge_packet_config config;
    uint32_t polls;  // most reads of a register in one call
} aesforge_packet_engine;

// Finds the engine. Results of an earlier program may still wait: aesforge_packet_zeroize() drops
// them. `polls` bounds every wait.
// AESFORGE_NO_ENGINE, AESFORGE_BAD_CONFIG
aesforge_status aesforge_packet_init(aesforge_packet_engine *engine, aesforge_bus bus,
                                     aesforge_packet_config config, uint32_t polls);

// Loads a stored key, or both of XTS, that of the data first. Packets that are begun after it use it.
// `iv_fixed`: with counted IVs, the fixed field of the IVs of this slot, byte 0 in bits 7 to 0, never
// used before with this key; else 0.
// AESFORGE_BAD_SLOT, AESFORGE_BAD_KEY, AESFORGE_BUSY, AESFORGE_TIMEOUT
aesforge_status aesforge_packet_load_key(const aesforge_packet_engine *engine, uint32_t slot,
                                         const uint8_t *key, uint32_t key_bytes, uint32_t iv_fixed);

// Begins a packet: hands its context over. Its last beat is a place for the tag, of any number of
// bytes; only where it decrypts without `tag` that beat has the tag itself. Never use an IV twice
// under one key. Three contexts may wait; 16 may be inside or have a result that waits.
// AESFORGE_BAD_DIRECTION, _SLOT, _KEY, _IV, _TAG, _LENGTH, AESFORGE_BUSY
aesforge_status aesforge_packet_begin(const aesforge_packet_engine *engine,
                                      const aesforge_packet_context *context);

// Waits for the oldest result and takes it. They come in the order in which packets were begun; of
// several streams (CCM) in that in which they end, and `id` is the stream.
// AESFORGE_TIMEOUT: there is none yet, and nothing was taken; AESFORGE_PACKET_ERROR: it was taken, and
// has the error flag: a wrong tag, or another error of the packet.
aesforge_status aesforge_packet_finish(const aesforge_packet_engine *engine,
                                       aesforge_packet_result *result);

// Returns the flags AESFORGE_PACKET_CSR__ERRORS__* and takes them back.
uint32_t aesforge_packet_take_errors(const aesforge_packet_engine *engine);

// Zeroizes keys, contexts, results and data; drops all packets. The engine takes no context and no
// beat until it is done.
// AESFORGE_TIMEOUT: packets still leave.
aesforge_status aesforge_packet_zeroize(const aesforge_packet_engine *engine);

#ifdef __cplusplus
}
#endif

#endif
