# SPDX-License-Identifier: Apache-2.0
"""Send a file with a tag through a device with the UART service, and compare it with OpenSSL's.

A message is one packet, which the device's buffer holds whole: a text whose tag is wrong never
leaves the device.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

from aesforge.board.frames import MOST_IV_BYTES, Identity
from aesforge.board.host import Device
from aesforge.board.run import BoardReport, refuse_other_result, zeroized_at_end
from aesforge.crypt.files import new_output, open_input, read_up_to, refuse_bad_output
from aesforge.crypt.keys import refuse_other_length
from aesforge.crypt.message import Progress
from aesforge.crypt.sealed import (
    TAG_BITS,
    read_aad,
    refuse_bad_iv,
    refuse_bad_tag,
    split_tag,
    wrong_tag,
)
from aesforge.errors import CheckFailed, UsageError
from aesforge.simulate.packets import seal
from aesforge.toolchain.files import write_all


@dataclass(frozen=True, kw_only=True)
class SealedBoardReport(BoardReport):
    """What a device did with a file and its tag."""

    aad_bytes: int
    """Bytes of associated data."""
    tag_bits: int
    """Length of the tag, which is the end of the encrypted file."""

    def data_line(self) -> str:
        """Return the line about what went in and came out."""
        return f"{super().data_line()}, a tag of {self.tag_bits} bits over it and " + (
            f"{self.aad_bytes:,} bytes of associated data" if self.aad_bytes else "no other data"
        )


def run_sealed_file(
    device: Device,
    identity: Identity,
    src: Path,
    dst: Path,
    *,
    cipher: str,
    key: bytes,
    iv: bytes | None = None,
    decrypt: bool = False,
    pad: bool = True,
    packet_bytes: int | None = None,
    aad: Path | None = None,
    tag_bits: int | None = None,
    progress: Progress | None = None,
) -> SealedBoardReport:
    """Send a file with a tag through a device, as one packet, and write the output.

    An encrypted file is the ciphertext and then the tag, as `crypt_sealed_file` makes it. The
    output appears only when it is complete and equal to OpenSSL's, and a decrypted one only if its
    tag is right: before that no part of it is in any file. The device is zeroized at the end,
    whatever happened.

    Args:
        device: the device.
        identity: what it said of itself.
        src: the input; associated data, text and tag fit into the device's buffer.
        dst: the output.
        cipher: the mode of operation, one with a tag.
        key: as many bytes as the device's keys have.
        iv: never used before under this key. GCM: 12 bytes, or any other number up to
            `MOST_IV_BYTES`; CCM: 7 to 13 bytes; OCB: 1 to 15.
        decrypt: verify and decrypt.
        pad: must be left at True: the mode takes any length and never pads.
        packet_bytes: must be left at None: a message is one packet.
        aad: a file of additional authenticated data; None: there are none.
        tag_bits: length of the tag; None: 128.
        progress: called with bytes done and bytes in all.

    Raises:
        UsageError: the request cannot be carried out; nothing was written.
        DeviceFailed: the device does not answer, or refuses a command; nothing was written.
        NotAuthentic: the tag is wrong; nothing was written.
        CheckFailed: the device gave a wrong answer; nothing was written.
        AesforgeError: the output cannot be written.
    """
    mode = identity.mode_for(cipher, decrypt)
    refuse_other_length(key, identity.key_bits)
    iv = refuse_bad_iv(mode, iv, pad, packet_bytes)
    if len(iv) > MOST_IV_BYTES:
        raise UsageError(
            f"the IV has {len(iv)} bytes: the device takes up to {MOST_IV_BYTES} for {cipher}"
        )
    tag_bits = TAG_BITS if tag_bits is None else tag_bits
    refuse_bad_tag(identity.design, tag_bits, identity.tag_bytes)
    tag_bytes = tag_bits // 8
    aad_data = read_aad(aad)
    # To encrypt, a place for the tag goes along.
    most = identity.sealed_bytes(mode, iv) - len(aad_data) - (0 if decrypt else tag_bytes)
    with open_input(src) as source:
        target = refuse_bad_output(source, src, dst)
        try:
            message = read_up_to(source, max(most, 0) + 1)
        except OSError as failed:
            raise UsageError(f"cannot read the input '{src}': {failed.strerror}") from None
    if len(message) > most:
        raise UsageError(
            f"the message does not fit: the device ({identity.design}) takes up to "
            f"{identity.sealed_bytes(mode, iv):,} bytes of associated data, text and tag together, "
            f"of which the associated data take {len(aad_data):,} and the tag {tag_bytes}"
        )
    text, tag = split_tag(message, src, tag_bytes, decrypt)
    with zeroized_at_end(device):
        device.load_key(key)
        started = time.monotonic()
        out, error = device.run_sealed(mode, iv, aad_data, text, tag, decrypt=decrypt)
        seconds = time.monotonic() - started
        due, due_tag = seal(mode, key, iv, text, aad_data, tag_bytes, decrypt)
        is_wrong = decrypt and tag != due_tag
        if error and out:
            raise CheckFailed(
                f"the device sent {len(out)} bytes of a packet that is an error; nothing was "
                "written"
            )
        if error and is_wrong:
            raise wrong_tag(src)
        if error:
            what = ", though the tag is right" if decrypt else ""
            raise CheckFailed(f"the engine set its error flag{what}; nothing was written")
        if is_wrong:
            raise CheckFailed("the device took a wrong tag for a right one; nothing was written")
        refuse_other_result(1, out, due if decrypt else due + due_tag)
    with new_output(target, dst) as sink:
        write_all(sink, out)
    if progress is not None:
        progress(len(message), len(message))
    return SealedBoardReport(
        device=identity.design,
        key_bits=identity.key_bits,
        mode=cipher,
        decrypt=decrypt,
        input_bytes=len(message),
        output_bytes=len(out),
        packets=1,
        repeated=device.repeated,
        seconds=seconds,
        aad_bytes=len(aad_data),
        tag_bits=tag_bits,
    )
