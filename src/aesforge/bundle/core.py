# SPDX-License-Identifier: Apache-2.0
"""Write a design as a bundle: the RTL, a wrapper, a test bench and what a project needs around it.

Everything is a function of the design and of the library's version: the same design gives the
same bytes. Nothing is written unless everything can be. `aesforge.bundle.engine` has the files of
an engine.
"""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from aesforge import __version__
from aesforge.design import SBOX_STYLES, Design
from aesforge.errors import UsageError
from aesforge.toolchain.files import write_folder
from aesforge.toolchain.rtl import license_text, needed_by

if TYPE_CHECKING:
    from jinja2 import Environment

    from aesforge.design.engine import Engine

MANIFEST = "MANIFEST"

# --- Known answers ------------------------------------------------------------------------------

# (source, key, plaintext, ciphertext), all in hex. FIPS 197 Appendices B and C; SP 800-38A
# Sec. F.1 (ECB). Two keys for each key size, so that a wrong key order or slot shows.
_SP800_38A = (
    "6bc1bee22e409f96e93d7e117393172a",
    "ae2d8a571e03ac9c9eb76fac45af8e51",
    "30c81c46a35ce411e5fbc1191a0a52ef",
    "f69f2445df4f9b17ad2b417be66c3710",
)
_COUNTING_BLOCK = "00112233445566778899aabbccddeeff"


@dataclasses.dataclass(frozen=True)
class Vector:
    """One known answer; key and blocks as hex text, first byte first."""

    source: str
    key: str
    plaintext: str
    ciphertext: str


def _counting_key(key_bits: int) -> str:
    return bytes(range(key_bits // 8)).hex()


def _ecb(key_bits: int, key: str, ciphertexts: tuple[str, ...]) -> tuple[Vector, ...]:
    section = {128: "F.1.1", 192: "F.1.3", 256: "F.1.5"}[key_bits]
    return tuple(
        Vector(f"SP 800-38A {section}, block {i + 1}", key, plaintext, ciphertext)
        for i, (plaintext, ciphertext) in enumerate(zip(_SP800_38A, ciphertexts, strict=True))
    )


VECTORS: dict[int, tuple[Vector, ...]] = {
    128: (
        Vector(
            "FIPS 197 Appendix C.1",
            _counting_key(128),
            _COUNTING_BLOCK,
            "69c4e0d86a7b0430d8cdb78070b4c55a",
        ),
        Vector(
            "FIPS 197 Appendix B",
            "2b7e151628aed2a6abf7158809cf4f3c",
            "3243f6a8885a308d313198a2e0370734",
            "3925841d02dc09fbdc118597196a0b32",
        ),
        *_ecb(
            128,
            "2b7e151628aed2a6abf7158809cf4f3c",
            (
                "3ad77bb40d7a3660a89ecaf32466ef97",
                "f5d3d58503b9699de785895a96fdbaaf",
                "43b1cd7f598ece23881b00e3ed030688",
                "7b0c785e27e8ad3f8223207104725dd4",
            ),
        ),
    ),
    192: (
        Vector(
            "FIPS 197 Appendix C.2",
            _counting_key(192),
            _COUNTING_BLOCK,
            "dda97ca4864cdfe06eaf70a0ec0d7191",
        ),
        *_ecb(
            192,
            "8e73b0f7da0e6452c810f32b809079e562f8ead2522c6b7b",
            (
                "bd334f1d6e45f25ff712a214571fa5cc",
                "974104846d0ad3ad7734ecb3ecee4eef",
                "ef7afd2270e2e60adce0ba2face6444e",
                "9a4b41ba738d6c72fb16691603c18e0e",
            ),
        ),
    ),
    256: (
        Vector(
            "FIPS 197 Appendix C.3",
            _counting_key(256),
            _COUNTING_BLOCK,
            "8ea2b7ca516745bfeafc49904b496089",
        ),
        *_ecb(
            256,
            "603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4",
            (
                "f3eed1bdb5d2a03c064b5a7e3db181f8",
                "591ccb10d410ed26dc5ba74a31362870",
                "b6ed21b99ca6f4f9f153e7b1beafed1d",
                "23304b7a39f9f3ff067d8d8f9e24ecc7",
            ),
        ),
    ),
}


@dataclasses.dataclass(frozen=True)
class Beat:
    """What the test bench sends in one cycle: one key and direction, a block for every block."""

    source: str
    key: str
    slot: int
    decrypt: bool
    blocks_in: tuple[str, ...]
    blocks_out: tuple[str, ...]


def known_answers(design: Design) -> tuple[Vector, ...]:
    """Return the known answers of a design: published ones, or for what is not AES our model's."""
    if design.is_standard:
        return VECTORS[design.key_bits]
    from aesforge.reference import cipher

    return tuple(
        dataclasses.replace(
            vector,
            source=f"model of scheme {design.scheme}, inputs of {vector.source}",
            ciphertext=cipher(
                bytes.fromhex(vector.plaintext), bytes.fromhex(vector.key), scheme=design.scheme
            ).hex(),
        )
        for vector in VECTORS[design.key_bits]
    )


def beats(design: Design) -> list[Beat]:
    """Return the beats of the test bench: every vector in block 0, its neighbours in the others."""
    vectors = known_answers(design)
    keys = list(dict.fromkeys(vector.key for vector in vectors))
    # The first key in the first slot, the second in the last: a short slot field would show. With
    # one slot they take turns in it.
    slots = (0, (design.key_slots or 1) - 1)
    ways = {"encrypt": (False,), "decrypt": (True,), "both": (False, True)}[design.direction]
    result = []
    for vector in vectors:
        same_key = [v for v in vectors if v.key == vector.key]
        start = same_key.index(vector)
        blocks_per_beat = [
            same_key[(start + block_index) % len(same_key)]
            for block_index in range(design.blocks_per_beat)
        ]
        plain = tuple(v.plaintext for v in blocks_per_beat)
        cipher = tuple(v.ciphertext for v in blocks_per_beat)
        for decrypt in ways:
            result.append(
                Beat(
                    source=vector.source + (", inverse" if decrypt else ""),
                    key=vector.key,
                    slot=slots[keys.index(vector.key)],
                    decrypt=decrypt,
                    blocks_in=cipher if decrypt else plain,
                    blocks_out=plain if decrypt else cipher,
                )
            )
    return result


@dataclasses.dataclass(frozen=True)
class Expansion:
    """What the test bench of a key expansion sends: a key, and the round keys it must give."""

    source: str
    key: str
    round_keys: tuple[str, ...]


def expansions(design: Design) -> list[Expansion]:
    """Return the keys of the test bench: the standard's two, then one of all different bytes."""
    from aesforge.reference import key_expansion
    from aesforge.reference.vectors import KEY_EXPANSIONS

    keys = {vector.key: vector.source for vector in VECTORS[design.key_bits]}
    appendix = KEY_EXPANSIONS[design.key_bits][0].hex()
    keys[appendix] = f"FIPS 197 Appendix A.{design.key_bits // 64 - 1}"
    keys[bytes(255 - 5 * i for i in range(design.key_bits // 8)).hex()] = "a key of our own"
    result = []
    for key, source in keys.items():
        words = key_expansion(bytes.fromhex(key))
        round_keys = tuple(b"".join(words[i : i + 4]).hex() for i in range(0, len(words), 4))
        result.append(Expansion(source, key, round_keys))
    # Appendix A first: its words stand in the standard.
    return sorted(result, key=lambda one: one.key != appendix)


# --- Ports --------------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class Port:
    """A port of the wrapper: direction `input` or `output`, width in bits, what it means."""

    group: str
    direction: str
    name: str
    bits: int
    meaning: str

    @property
    def range(self) -> str:
        """The packed range as SystemVerilog writes it; empty for one bit."""
        return f"[{self.bits - 1}:0]" if self.bits > 1 else ""


def _all_ports(design: Design) -> list[Port]:
    """Return every port of the design's module, in its order, with this design's widths."""
    if design.is_key_expansion:
        return _key_expansion_ports(design)
    blocks_per_beat = design.blocks_per_beat
    block = 128 * blocks_per_beat
    where = (
        f"; block i at [128*i +: 128], i = 0 to {blocks_per_beat - 1}"
        if blocks_per_beat > 1
        else ""
    )
    whole = "the blocks" if blocks_per_beat > 1 else "the block"
    way = {"encrypt": "plaintext", "decrypt": "ciphertext", "both": "text"}[design.direction]
    back = {"encrypt": "ciphertext", "decrypt": "plaintext", "both": "result"}[design.direction]
    alarm = (("output", "alarm", 1, f"with out_valid: {whole} or the tag may be wrong"),)
    groups = (
        (
            "clock, synchronous reset, and the zeroization of all keys and blocks",
            ("input", "clk", 1, "clock; every port is sampled and driven on its rising edge"),
            ("input", "rst", 1, "synchronous reset, active high; drops all blocks and keys"),
            (
                "input",
                "zeroize",
                1,
                "pulse: zeroizes every key and state register within "
                f"{design.zeroize_cycles} cycles",
            ),
        ),
        (
            f"{whole} in: taken in a cycle with in_valid and in_ready high",
            ("input", "in_valid", 1, f"{whole} and all other in_* ports are meant"),
            ("output", "in_ready", 1, f"the core takes {whole} in this cycle"),
            ("input", "in_block", block, f"{way}, bit 127 is the first bit of byte 0{where}"),
            (
                "input",
                "in_key",
                design.key_bits,
                f"the key of this block, bit {design.key_bits - 1} is the first bit of byte 0",
            ),
            ("input", "in_slot", design.slot_bits, "the slot of the key to use"),
            ("input", "in_decrypt", 1, "1: decrypt this block; 0: encrypt it"),
            ("input", "in_tag", design.tag_bits, "anything; comes out with the block"),
        ),
        (
            "a key in: taken in a cycle with key_valid and key_ready high",
            ("input", "key_valid", 1, "a key is meant"),
            ("output", "key_ready", 1, "the core takes the key in this cycle"),
            ("input", "key_slot", design.slot_bits, "the slot to fill"),
            (
                "input",
                "key",
                design.key_bits,
                f"the key, bit {design.key_bits - 1} is the first bit of byte 0",
            ),
        ),
        (
            f"{whole} out: there is no back-pressure",
            ("output", "out_valid", 1, "the other out_* ports are meant"),
            ("output", "out_block", block, f"{back}, bit 127 is the first bit of byte 0{where}"),
            ("output", "out_tag", design.tag_bits, "the tag that came with the block"),
            *(alarm if design.is_checked else ()),
        ),
    )
    return [Port(group, *port) for group, *group_ports in groups for port in group_ports]


def _key_expansion_ports(design: Design) -> list[Port]:
    """Return every port of `aesforge_key_core`, in its order, with this design's widths."""
    last = design.rounds
    if design.is_unrolled:
        count = last + 1
        valid = f"bit r: round key r leaves, r = 0 to {last}"
        keys = f"round key r at [128*r +: 128], r = 0 to {last}"
        tags = f"the tag of round key r's key at [{design.tag_bits}*r +: {design.tag_bits}]"
    else:
        count = 1
        valid = "a round key leaves; the other out_* ports are meant"
        keys = "the round key, bit 127 is the first bit of byte 0"
        tags = "the tag that came with its key"
    groups = (
        (
            "clock, synchronous reset, and the zeroization of all keys",
            ("input", "clk", 1, "clock; every port is sampled and driven on its rising edge"),
            ("input", "rst", 1, "synchronous reset, active high; drops all keys"),
            (
                "input",
                "zeroize",
                1,
                f"pulse: zeroizes every key register within {design.zeroize_cycles} cycles",
            ),
        ),
        (
            "a key in: taken in a cycle with in_valid and in_ready high",
            ("input", "in_valid", 1, "in_key and in_tag are meant"),
            ("output", "in_ready", 1, "the core takes the key in this cycle"),
            (
                "input",
                "in_key",
                design.key_bits,
                f"the key, bit {design.key_bits - 1} is the first bit of byte 0",
            ),
            ("input", "in_tag", design.tag_bits, "anything; comes out with the round keys"),
        ),
        (
            "round keys out: there is no back-pressure",
            ("output", "out_valid", count, valid),
            ("output", "out_round", 4, f"the number of the round key, 0 to {last}"),
            ("output", "out_round_keys", 128 * count, keys),
            ("output", "out_tag", design.tag_bits * count, tags),
        ),
    )
    return [Port(group, *port) for group, *group_ports in groups for port in group_ports]


def _is_used(design: Design, port: str) -> bool:
    if port == "out_round":
        return not design.is_unrolled
    if port == "in_key":
        return design.is_agile
    if port in ("in_slot", "key_slot"):
        return design.key_slots is not None and design.key_slots > 1
    if port.startswith("key"):
        return not design.is_agile
    if port == "in_decrypt":
        return design.direction == "both"
    return True


def ports(design: Design) -> list[Port]:
    """Return the ports of the wrapper: those of its module that this design uses."""
    return [port for port in _all_ports(design) if _is_used(design, port.name)]


# --- Parameters ---------------------------------------------------------------------------------

_SBOX_NAMES = tuple(f"Sbox{style.capitalize()}" for style in SBOX_STYLES)


def parameters(design: Design) -> list[tuple[str, str, str]]:
    """Return the core's parameters as (name, SystemVerilog text, meaning)."""
    return parameters_text(design, design.rtl_parameters(), {})


def parameters_text(
    design: Design, values: Mapping[str, int], more: Mapping[str, str]
) -> list[tuple[str, str, str]]:
    """Return parameters as (name, SystemVerilog text, meaning).

    Args:
        design: the core that they are about.
        values: by name.
        more: meanings of parameters that are not a core's.
    """
    named = {
        "Direction": ("Encrypt", "Decrypt", "Both"),
        "SboxStyle": _SBOX_NAMES,
        "KeySboxStyle": _SBOX_NAMES,
        "MixStyle": ("MixXtime", "MixTable", "MixShared"),
        "ShiftStyle": ("ShiftRegister", "ShiftAddressed"),
        "DelayStyle": ("DelayRegister", "DelayRam"),
        "KeyScheme": ("SchemeFips197", "SchemeHu2009", "SchemeLiu2014"),
    }
    passes = "pass" if design.passes == 1 else "passes"
    if design.is_key_expansion:
        unroll = "steps in hardware"
    else:
        unroll = f"rounds in hardware; a block makes {design.passes} {passes}"
    meanings = {
        "KeyBits": f"{design.key_bits}-bit keys: Nk = {design.key_words}, Nr = {design.rounds}",
        "Direction": "encrypt, decrypt, or both block by block",
        "Unroll": unroll,
        "SboxStyle": f"how {'SubWord' if design.is_key_expansion else 'SubBytes'} is built",
        "KeySboxStyle": "how SubWord in the key schedule is built",
        "SboxStages": f"pipeline stages in {'SubWord' if design.is_key_expansion else 'SubBytes'}",
        "LinearStages": "pipeline stages in the rest of a step"
        if design.is_key_expansion
        else "pipeline stages in ShiftRows, MixColumns and AddRoundKey",
        "MixStyle": "how MixColumns is built",
        "ShiftStyle": "what gathers the columns for ShiftRows",
        "KeySlots": "a key with every block" if design.is_agile else "keys kept in the core",
        "Tiles": "whole pipelines side by side",
        "TagBits": "width of the tag",
        "DelayStyle": "how long delays are built",
        "KeyScheme": "key expansion of FIPS 197" if design.is_standard else "NOT AES, for research",
        **more,
    }
    return [
        (
            name,
            f"aesforge_pkg::{named[name][value]}" if name in named else str(value),
            meanings[name],
        )
        for name, value in values.items()
    ]


# --- Files --------------------------------------------------------------------------------------


def module_name(design: Design | Engine) -> str:
    """Return the name of the wrapper module."""
    return design.name.replace("-", "_")


def _hex(digits: str) -> str:
    return f"{4 * len(digits)}'h{digits}"


def _hex_blocks(blocks: tuple[str, ...]) -> str:
    """Return the blocks of all blocks as one literal: block 0 stands last, at the low end."""
    if len(blocks) == 1:
        return _hex(blocks[0])
    return "{" + ", ".join(_hex(block) for block in reversed(blocks)) + "}"


def environment() -> Environment:
    """Return what fills the templates in."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    filled = Environment(
        loader=FileSystemLoader(Path(__file__).parent / "templates"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,  # SystemVerilog and Markdown, not HTML
    )
    filled.filters["hex"] = _hex
    filled.filters["hex_blocks"] = _hex_blocks
    return filled


def finished(files: dict[str, str], design_toml: str) -> dict[str, str]:
    """Add what every bundle has: its design, the licence, and the list of all files' hashes."""
    files = {**files, "design.toml": design_toml, "LICENSE": license_text()}
    files[MANIFEST] = "".join(
        f"{_digest(text.encode())}  {path}\n" for path, text in sorted(files.items())
    )
    return files


def render(design: Design | Engine) -> dict[str, str]:
    """Return the bundle's files: path inside the bundle to text."""
    from aesforge.design.engine import Engine

    if isinstance(design, Engine):
        from aesforge.bundle.engine import render_engine

        return render_engine(design)
    module = module_name(design)
    sources = needed_by(design.top)
    library = [f"rtl/{path.name}" for path in sources]
    context = {
        "version": __version__,
        "design": design,
        "title": _title(design),
        "module": module,
        "ports": ports(design),
        "range_width": max(len(port.range) for port in ports(design)),
        "unused_ports": [p for p in _all_ports(design) if not _is_used(design, p.name)],
        "parameters": parameters(design),
        "library": library,
        "files": [*library, f"rtl/{module}.sv"],
    }
    if design.is_key_expansion:
        special = {"tb.sv.j2": "tb_key.sv.j2", "README.md.j2": "README_key.md.j2"}
        context |= {"expansions": expansions(design)}
    else:
        special = {}
        beat_list = beats(design)
        context |= {
            "beats": beat_list,
            "first": beat_list[0],
            # Of several slots each has its key throughout; one slot gets each beat's in turn.
            "keys": list({beat.slot: beat for beat in beat_list}.values()),
            "has_slots": design.key_slots is not None and design.key_slots > 1,
            "beat_cycles": int(design.interval) + 1,
        }
    filled = environment()
    files = {f"rtl/{path.name}": path.read_text(encoding="utf-8") for path in sources}
    for path, template in (
        (f"rtl/{module}.sv", "wrapper.sv.j2"),
        (f"tb/tb_{module}.sv", "tb.sv.j2"),
        ("files.f", "files.f.j2"),
        (f"{module}.core", "fusesoc.core.j2"),
        ("synth/yosys.ys", "yosys.ys.j2"),
        ("synth/vivado.tcl", "vivado.tcl.j2"),
        ("README.md", "README.md.j2"),
    ):
        files[path] = filled.get_template(special.get(template, template)).render(context)
    return finished(files, design.to_toml())


def _title(design: Design) -> str:
    """Return what a catalogue says of the core."""
    rate = design.blocks_per_cycle
    if design.is_key_expansion:
        every = "cycle" if design.interval == 1 else f"{design.interval:g} cycles"
        return (
            f"Key expansion of AES-{design.key_bits}, all round keys in {design.latency_cycles} "
            f"cycles, a key every {every}"
        )
    return (
        f"{design.cipher_name} {design.direction}, latency {design.latency_cycles} cycles, "
        f"{rate:g} blocks per cycle"
    )


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


# --- Writing ------------------------------------------------------------------------------------


def build(
    design: Design | Engine, out_dir: str | os.PathLike[str], *, force: bool = False
) -> list[Path]:
    """Write the bundle of a design into a folder, and give the files' paths.

    A folder that holds an earlier bundle is brought up to date; files that others put there stay.

    Args:
        design: what to build.
        out_dir: made when it does not exist.
        force: write into a folder that holds other things, over files of the same names.

    Raises:
        UsageError: the folder holds other things or an edited bundle, or cannot be written;
            nothing has been written then.
    """
    out = Path(out_dir)
    files = render(design)
    stale = _refuse_or_list_stale(out, files, force)
    try:
        write_folder(out, files)
    except OSError as error:
        raise UsageError(f"cannot write '{out}': {error.strerror}") from None
    for path in stale:
        path.unlink(missing_ok=True)
    return [out / path for path in files]


def _refuse_or_list_stale(out: Path, files: dict[str, str], force: bool) -> list[Path]:
    """Return the files of an earlier bundle that the new one lacks; refuse other files."""
    if out.is_dir():
        present = list(out.iterdir())
    elif out.exists() or out.is_symlink():
        raise UsageError(f"'{out}' is not a folder; choose another with -o")
    else:
        return []
    manifest = out / MANIFEST
    if not present:
        return []
    if not manifest.is_file():
        if force:
            return []
        raise UsageError(
            f"'{out}' is not empty and holds no earlier bundle; choose another folder, or give "
            "--force to write among what is there"
        )
    earlier: dict[str, str] = {}
    for line in manifest.read_text(encoding="utf-8", errors="replace").splitlines():
        # Only paths that stay inside the folder.
        if ".." not in line and (match := re.fullmatch(r"([0-9a-f]{64})  (\w[\w./-]*)", line)):
            earlier[match[2]] = match[1]
    edited = []
    for path, digest in earlier.items():
        with contextlib.suppress(FileNotFoundError):
            if _digest((out / path).read_bytes()) != digest:
                edited.append(path)
    foreign = [p for p in files if p not in earlier and p != MANIFEST and (out / p).exists()]
    if (edited or foreign) and not force:
        raise UsageError(
            f"'{out}' holds a bundle that was changed by hand ({', '.join(edited + foreign)}); "
            "choose another folder, or give --force to lose the changes"
        )
    return [out / path for path in earlier if path not in files and path not in edited]
