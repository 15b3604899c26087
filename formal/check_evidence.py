#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Check the evidence that `aesforge prove --evidence DIR` wrote; it shares no code with aesforge.

    python formal/check_evidence.py DIR

It prints each step. Exit status 0: the evidence shows the claim. 1: it does not, with the reason.
It needs Python alone. The claim: after a reset, whenever the core accepts a block in a cycle t,
and neither `rst` nor `zeroize` is high from t to t + latency, then at t + latency `out_valid` is
high, `out_tag` is the tag, and `out_block` is CIPHER(block, key) of FIPS 197, or INVCIPHER().

A form is the exact function of a bit: a sum over GF(2) of terms, an integer with a bit for each.
Term 0 is the constant one, terms 1 to n are the inputs of a case, and the terms after them are
functions of the byte that an S-box of the standard is given. Equal forms are equal functions. A
product of two forms that depend on one such byte is worked out by their values for 256 bytes. Any
other product is not known, and an unknown form equals none.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

FORMAT = 3
MOST_BITS = 16
# A form that is not known: it depends on what is no input of the case.
UNKNOWN = -1
DIRECTIONS = {"encrypt": (0,), "decrypt": (1,), "both": (0, 1)}

Bits = list[int]
Known = Mapping[int, int]

# Prints a step.
say = partial(print, flush=True)


class Refused(Exception):
    """The evidence does not show the claim."""


def require(condition: object, message: str) -> None:
    """Refuse the evidence where a condition does not hold."""
    if not condition:
        raise Refused(message)


# --- FIPS 197, by the standard. State and key are bytes; here a byte is eight forms, lowest first.


def gf_multiply(a: int, b: int) -> int:
    """Return the product in GF(2^8), Sec. 4.2."""
    result = 0
    while b:
        if b & 1:
            result ^= a
        a = a << 1 ^ (0x11B if a & 0x80 else 0)
        b >>= 1
    return result


def sbox_table() -> bytes:
    """Return SBOX(), Sec. 5.1.1: the inverse in GF(2^8), then the affine map."""
    table = []
    for byte in range(256):
        inverse = next((i for i in range(256) if gf_multiply(byte, i) == 1), 0)
        value = 0x63
        for turn in range(5):
            value ^= (inverse << turn | inverse >> (8 - turn)) & 0xFF
        table.append(value)
    return bytes(table)


SBOX = sbox_table()
INVSBOX = bytes(SBOX.index(byte) for byte in range(256))


def add(a: Bits, b: Bits) -> Bits:
    """Return the sum of two bytes of forms."""
    return [one ^ other for one, other in zip(a, b, strict=True)]


def mix_columns(state: list[Bits], row: Sequence[int]) -> list[Bits]:
    """Return MIXCOLUMNS() or its inverse, by the first row of the matrix, Sec. 5.1.3 and 5.3.3."""
    result = []
    for place in range(16):
        byte = [0] * 8
        for k, factor in enumerate(row):
            for bit, form in enumerate(state[place & 12 | (place + k) % 4]):
                product = gf_multiply(1 << bit, factor)
                byte = [b ^ form if product >> n & 1 else b for n, b in enumerate(byte)]
        result.append(byte)
    return result


def key_expansion(sums: Sums, key: list[Bits]) -> list[list[Bits]]:
    """Return the round keys, 16 bytes each, of a key of 16, 24 or 32 bytes, Sec. 5.2."""
    nk = len(key) // 4
    words = [key[4 * i : 4 * i + 4] for i in range(nk)]
    rcon = 1
    for i in range(nk, 4 * (nk + 7)):
        word = words[i - 1]
        if i % nk == 0:
            word = [sums.sbox(byte, SBOX) for byte in word[1:] + word[:1]]
            word[0] = add(word[0], [rcon >> bit & 1 for bit in range(8)])
            rcon = gf_multiply(rcon, 2)
        elif nk > 6 and i % nk == 4:
            word = [sums.sbox(byte, SBOX) for byte in word]
        words.append([add(a, b) for a, b in zip(words[i - nk], word, strict=True)])
    return [list(itertools.chain(*words[i : i + 4])) for i in range(0, len(words), 4)]


def cipher(sums: Sums, key: list[Bits], state: list[Bits], inverse: int) -> list[Bits]:
    """Return CIPHER() of a block of 16 bytes, Sec. 5.1, or INVCIPHER(), Sec. 5.3."""
    keys = key_expansion(sums, key)[:: -1 if inverse else 1]
    table, turn = (INVSBOX, -1) if inverse else (SBOX, 1)
    for number, round_key in enumerate(keys):
        if number:
            # ShiftRows and SubBytes in either order are the same.
            state = [state[(i + turn * 4 * (i % 4)) % 16] for i in range(16)]
            state = [sums.sbox(byte, table) for byte in state]
            if not inverse and number < len(keys) - 1:
                state = mix_columns(state, (2, 3, 1, 1))
        state = [add(a, b) for a, b in zip(state, round_key, strict=True)]
        if inverse and 0 < number < len(keys) - 1:
            state = mix_columns(state, (14, 11, 13, 9))
    return state


def bytes_of(bits: Sequence[int]) -> list[Bits]:
    """Return the bytes of a port: its highest bit is the first bit of byte 0."""
    return [list(bits[at - 8 : at]) for at in range(len(bits), 0, -8)]


# --- Functions of a byte: their values are an integer, with a bit for each of 256 bytes

# The values of each bit of the byte; and the bytes in which it is 0.
BIT = [sum(1 << byte for byte in range(256) if byte >> bit & 1) for bit in range(8)]
ALL = (1 << 256) - 1
AFFINE = 1 | sum(1 << (1 << bit) for bit in range(8))


def transformed(function: int) -> int:
    """Return the monomials of a function from its values, or its values from its monomials."""
    for bit in range(8):
        function ^= (function & (ALL ^ BIT[bit])) << (1 << bit)
    return function


class Table:
    """An S-box as a function of a byte.

    Args:
        table: its 256 bytes.
    """

    def __init__(self, table: bytes) -> None:
        self.values = [sum((y >> bit & 1) << x for x, y in enumerate(table)) for bit in range(8)]
        # Sums of outputs, each with a monomial of its own, that the sums after it have not.
        self.rows: list[tuple[int, int, int]] = []
        for bit, values in enumerate(self.values):
            monomials, outputs = self.reduced(transformed(values))
            own = monomials & ~AFFINE
            self.rows.append((own & -own, monomials, outputs ^ 1 << bit))

    def reduced(self, monomials: int) -> tuple[int, int]:
        """Return a function as a sum of monomials and of outputs, always in the same way."""
        outputs = 0
        for own, row, of in self.rows:
            if monomials & own:
                monomials ^= row
                outputs ^= of
        return monomials, outputs


class Sums:
    """Forms: a term for each input, then 8 outputs of each S-box, then 256 monomials of each.

    Args:
        inputs: their variables.
    """

    def __init__(self, inputs: Sequence[int]) -> None:
        self.inputs = {variable: 2 << n for n, variable in enumerate(inputs)}
        self._first = 1 + len(inputs)
        self._tables = {table: Table(table) for table in (SBOX, INVSBOX)}
        # By number: the S-box, and its byte.
        self._sboxes: list[tuple[Table, Bits]] = []
        self._numbers: dict[tuple[Any, ...], int] = {}
        # Sums of bits of an S-box's byte, without the constant: its number, and the values.
        self._linear: dict[int, tuple[int, int]] = {}
        self._products: dict[tuple[int, int], int] = {}

    def sbox(self, byte: Bits, table: bytes) -> Bits:
        """Return a table's byte for a byte of forms."""
        if max(byte) < 2:
            value = table[sum(bit << n for n, bit in enumerate(byte))]
            return [value >> bit & 1 for bit in range(8)]
        number = self._numbers.setdefault((*byte, table), len(self._sboxes))
        if number == len(self._sboxes):
            require(not self._products, "an S-box after the products")
            self._sboxes.append((self._tables[table], byte))
            sums = [(0, 0)]
            for form, values in zip(byte, BIT, strict=True):
                sums += [(f ^ form, v ^ values) for f, v in sums]
            for form, values in sums[1:]:
                self._linear.setdefault(form & ~1, (number, values ^ (ALL if form & 1 else 0)))
        return [1 << (self._first + 8 * number + bit) for bit in range(8)]

    def product(self, a: int, b: int) -> int:
        """Return the form of a product of two forms."""
        if a in (0, 1) or b in (0, 1):
            return a * b
        if a == b or UNKNOWN in (a, b):
            return min(a, b)
        if a ^ b == 1:
            return 0
        result = self._products.get((a, b))
        if result is None:
            other = dict(self._of_byte(b))
            both = ((n, values & other[n]) for n, values in self._of_byte(a) if n in other)
            result = next((self._form(*found) for found in both), UNKNOWN)
            self._products[a, b] = result
        return result

    def _of_byte(self, form: int) -> Iterator[tuple[int, int]]:
        """Return each S-box of whose byte alone a form is a function, with the values."""
        constant = ALL if form & 1 else 0
        form &= ~1
        if form in self._linear:
            number, values = self._linear[form]
            yield number, values ^ constant
        top, outputs = form.bit_length() - 1 - self._first, 8 * len(self._sboxes)
        if top < 0:
            return
        number = top // 8 if top < outputs else (top - outputs) // 256
        table, _ = self._sboxes[number]
        outputs = form >> (self._first + 8 * number) & 0xFF
        monomials = form >> self._place(number) & ALL
        form ^= outputs << (self._first + 8 * number) ^ monomials << self._place(number)
        constant ^= transformed(monomials)
        found, values = self._linear.get(form, (-1, 0)) if form else (number, 0)
        if found == number:
            for bit in range(8):
                values ^= table.values[bit] if outputs >> bit & 1 else 0
            yield number, values ^ constant

    def _form(self, number: int, values: int) -> int:
        """Return the form of a function of an S-box's byte."""
        table, byte = self._sboxes[number]
        monomials, outputs = table.reduced(transformed(values))
        form = monomials & 1 ^ outputs << (self._first + 8 * number)
        for bit, of in enumerate(byte):
            if monomials >> (1 << bit) & 1:
                form ^= of
        return form ^ (monomials & ~AFFINE) << self._place(number)

    def _place(self, number: int) -> int:
        """Return the term of the first monomial of an S-box's byte."""
        return self._first + 8 * len(self._sboxes) + 256 * number


# --- The netlist: what Yosys wrote, modules joined


class Netlist:
    """A hierarchy as one circuit of AND gates and registers.

    A literal is twice a variable, plus one where it is inverted; variable 0 is false.

    Args:
        modules: of Yosys, by name.
        top: the name of the module at the top.
    """

    def __init__(self, modules: Mapping[str, Any], top: str) -> None:
        self._modules = modules
        self._nets = 1
        self._drivers: dict[int, tuple[Any, ...]] = {}
        self._names: dict[int, str] = {}
        # What must be false: a cell is used as its model does not say.
        self._unmodelled: list[int] = []
        ports = modules[top]["ports"]
        nets: dict[Any, int] = {}
        for port in ports.values():
            for bit in port["bits"] if port["direction"] == "input" else ():
                self._drive(self._net(nets, bit), "input")
        self._join(top, nets, "")
        # Of each variable its gate, if it is one, operands first; of a register what it holds a
        # cycle later; and of a gate that is NOT (s ? x : y) these three.
        self.gates: list[tuple[int, int] | None] = [None]
        self.choices: dict[int, tuple[int, int, int]] = {}
        self._made: dict[tuple[int, int], int] = {}
        # Of each net; -1 where it is being worked out.
        self._literals = {0: 0, 1: 1}
        literal = self._literal
        found = {name: [self._net(nets, bit) for bit in ports[name]["bits"]] for name in ports}
        self.ports = {name: [literal(net) for net in bits] for name, bits in found.items()}
        held = {net: of for net, (kind, *of) in self._drivers.items() if kind == "register"}
        self.registers = {self._names[net]: literal(net) >> 1 for net in held}
        self.following = {literal(net) >> 1: literal(data) for net, (data, _) in held.items()}
        clocks = {literal(clock) for _, clock in held.values()}
        require(len(self.registers) == len(held), "netlist: two registers have one name")
        require(clocks == set(self.ports["clk"]), "netlist: a register has another clock")
        require(not any(map(literal, self._unmodelled)), "netlist: a cell is used as no model says")

    def _new(self, *driver: Any) -> int:
        """Return a new net, with what drives it if that is known."""
        self._nets += 1
        if driver:
            self._drive(self._nets, *driver)
        return self._nets

    def _net(self, nets: dict[Any, int], bit: Any) -> int:
        if bit in ("0", "1"):
            return int(bit)
        if isinstance(bit, str):
            return self._new()
        if bit not in nets:
            nets[bit] = self._new()
        return nets[bit]

    def _drive(self, net: int, *driver: Any) -> None:
        require(net > 1 and net not in self._drivers, "netlist: a net has two drivers")
        self._drivers[net] = driver

    def _join(self, name: str, nets: dict[Any, int], path: str) -> None:
        """Put one copy of a module in; `nets` holds those of its ports."""
        module = self._modules[name]
        # A net has the first name that someone gave it, the outermost, else one that Yosys made up.
        wires = module["netnames"].items()
        for wire, about in sorted(wires, key=lambda item: int(item[1].get("hide_name", 0))):
            for place, bit in enumerate(about["bits"], about.get("offset", 0)):
                if isinstance(bit, int):
                    text = f"{wire}[{place}]" if len(about["bits"]) > 1 else wire
                    self._names.setdefault(self._net(nets, bit), path + text)
        for instance, cell in module["cells"].items():
            ports = cell["connections"].items()
            at = {port: [self._net(nets, bit) for bit in bits] for port, bits in ports}
            kind = cell["type"]
            if kind == "$_AND_":
                self._drive(at["Y"][0], "and", at["A"][0], at["B"][0])
            elif kind == "$_NOT_":
                self._drive(at["Y"][0], "not", at["A"][0])
            elif kind == "$_DFF_P_":
                self._drive(at["Q"][0], "register", at["D"][0], at["C"][0])
            elif kind == "$mem_v2":
                self._memory(cell["parameters"], at)
            elif kind == "unmodelled":
                self._unmodelled += at["condition"]
            elif kind in self._modules:
                inner: dict[Any, int] = {}
                for port, about in self._modules[kind]["ports"].items():
                    for bit, net in zip(about["bits"], at.get(port) or [], strict=False):
                        if bit in inner or isinstance(bit, str):
                            require(about["direction"] == "output", "netlist: an input is no net")
                            self._drive(net, "wire", self._net(inner, bit))
                        else:
                            inner[bit] = net
                self._join(kind, inner, f"{path}{instance}.")
            else:
                require(kind in ("$anyseq", "$scopeinfo"), f"netlist: a cell of the kind {kind}")

    def _memory(self, parameters: Mapping[str, str], at: Mapping[str, list[int]]) -> None:
        """Make multiplexers of a memory that is only read."""
        names = ("ABITS", "OFFSET", "RD_CLK_ENABLE", "RD_PORTS", "SIZE", "WIDTH", "WR_PORTS")
        bits, first, clocked, ports, size, width, written = (int(parameters[n], 2) for n in names)
        require(not written and not clocked, "netlist: a memory is written")
        contents = parameters["INIT"][::-1]
        for port, bit in itertools.product(range(ports), range(width)):
            held = [contents[width * word + bit] for word in range(size)]
            places = range(-first, (1 << bits) - first)
            values = [self._net({}, held[n] if 0 <= n < size else "x") for n in places]
            for line in at["RD_ADDR"][bits * port :][:bits]:
                pairs = zip(values[::2], values[1::2], strict=True)
                values = [low if low == high else self._mux(line, high, low) for low, high in pairs]
            self._drive(at["RD_DATA"][width * port + bit], "wire", values[0])

    def _mux(self, s: int, x: int, y: int) -> int:
        """Return a net that is s ? x : y."""
        first = self._new("not", self._new("and", s, x))
        second = self._new("not", self._new("and", self._new("not", s), y))
        return self._new("not", self._new("and", first, second))

    def _literal(self, net: int) -> int:
        """Return the literal of a net, after those that it depends on."""
        if net not in self._literals:
            self._literals[net] = -1
            kind, *of = self._drivers.get(net, ("undefined",))
            if kind == "and":
                self._literals[net] = self._gate(self._literal(of[0]), self._literal(of[1]))
            elif kind in ("not", "wire"):
                self._literals[net] = self._literal(of[0]) ^ (kind == "not")
            else:
                self._literals[net] = 2 * len(self.gates)
                self.gates.append(None)
        require(self._literals[net] >= 0, "netlist: a loop without a register")
        return self._literals[net]

    def _gate(self, a: int, b: int) -> int:
        """Return a literal for an AND of two."""
        a, b = min(a, b), max(a, b)
        if a == 0 or a ^ b == 1:
            return 0
        if a == 1 or a == b:
            return b
        for one, other in ((a, b), (b, a)):
            inside = self.gates[one >> 1]
            if inside and one & 1 and other in inside:
                # NOT (s AND w) AND w = NOT s AND w: if s is true, that is seen to be false.
                s = inside[0] if other == inside[1] else inside[1]
                return self._gate(s ^ 1, other)
        variable = self._made.setdefault((a, b), len(self.gates))
        if variable == len(self.gates):
            self.gates.append((a, b))
            first, second = self.gates[a >> 1], self.gates[b >> 1]
            if a & b & 1 and first and second:
                for s, x in (first, first[::-1]):
                    if s ^ 1 in second:
                        y = second[1] if second[0] == s ^ 1 else second[0]
                        self.choices[variable] = s, x, y
        return 2 * variable

    # --- Three-valued simulation, of several patterns at once

    def step(self, known: Sequence[Known]) -> list[int]:
        """Return for each literal in which patterns it can be true.

        Args:
            known: for each pattern the inputs and registers of which a value is known.
        """
        ones = (1 << len(known)) - 1
        given: dict[int, int] = {}
        for number, values in enumerate(known):
            for variable, value in values.items():
                literal = 2 * variable + value
                given[literal] = given.get(literal, ones) & ~(1 << number)
        can = [0, ones]
        for variable, gate in enumerate(self.gates[1:], 1):
            if gate:
                a, b = gate
                can += can[a] & can[b], can[a ^ 1] | can[b ^ 1]
            else:
                can += given.get(2 * variable, ones), given.get(2 * variable + 1, ones)
        return can

    def after(self, can: Sequence[int], pattern: int = 0) -> dict[int, int]:
        """Return the registers that are known a cycle later, in a pattern."""
        found = ((v, value_of(can, of, pattern)) for v, of in self.following.items())
        return {v: value for v, value in found if value is not None}

    def port(self, name: str, value: int) -> dict[int, int]:
        """Return an input port of one bit as a known value."""
        return {literal >> 1: value for literal in self.ports[name]}


def value_of(can: Sequence[int], literal: int, pattern: int = 0) -> int | None:
    """Return the value of a literal in a pattern, if it can only have one."""
    if not can[literal] >> pattern & 1:
        return 0
    return None if can[literal ^ 1] >> pattern & 1 else 1


def agree(known: Sequence[Known], variables: Sequence[int], listed: Collection[Any]) -> bool:
    """Return whether all states that agree with what is known are in a list."""
    choices = ([(one[v],) if v in one else (0, 1) for v in variables] for one in known)
    return all(state in listed for every in choices for state in itertools.product(*every))


# --- The steps


Specified = tuple[Sums, Mapping[str, Bits]]


class Check:
    """The check of one folder of evidence."""

    def __init__(self, folder: Path) -> None:
        try:
            self.facts = json.loads((folder / "evidence.json").read_bytes())
            require(self.facts["format"] == FORMAT, f"evidence.json: format {FORMAT} is needed")
            circuit = (folder / "circuit.json").read_bytes()
            known = hashlib.sha256(circuit).hexdigest() == self.facts["circuit"]
            require(known, "circuit.json: not the netlist of the evidence")
            self._run(json.loads(circuit)["modules"])
        except OSError as error:
            raise Refused(f"{Path(error.filename).name}: {error.strerror}") from None
        except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
            raise Refused(f"not evidence: {type(error).__name__}: {error}") from None

    def _run(self, modules: Mapping[str, Any]) -> None:
        facts = self.facts
        self.key_bits, self.latency = facts["key_bits"], facts["latency"]
        require(self.key_bits in (128, 192, 256), "evidence.json: no such key size")
        require(0 < self.latency < 1000, "evidence.json: no such latency")
        require(facts["direction"] in DIRECTIONS, "evidence.json: no such direction")
        self.directions = DIRECTIONS[facts["direction"]]
        say(f"claim: AES-{self.key_bits}, {facts['direction']}, latency {self.latency}")
        tops = [n for n, m in modules.items() if int(m["attributes"].get("top", "0"), 2)]
        require(len(tops) == 1, "netlist: not one module is the top")
        self.netlist = netlist = Netlist(modules, tops[0])
        widths = {"in_key": self.key_bits, "in_block": 128, "out_block": 128, "out_valid": 1}
        widths |= dict.fromkeys(("rst", "zeroize", "in_valid", "in_ready"), 1)
        if len(self.directions) > 1:
            widths["in_decrypt"] = 1
        for port, width in widths.items():
            require(len(netlist.ports[port]) == width, f"netlist: {port} has not {width} bits")
        require(len(netlist.ports["in_tag"]) == len(netlist.ports["out_tag"]), "netlist: two tags")
        say(f"netlist: {len(netlist.registers)} registers, {len(netlist.gates)} variables")
        self.quiet = netlist.port("rst", 0) | netlist.port("zeroize", 0)
        self._invariant()
        self._ready()
        self._counters()
        self._cases()

    def _known(self, said: Mapping[str, int]) -> dict[int, int]:
        """Return values of registers by their names."""
        registers = self.netlist.registers
        for name, value in said.items():
            require(name in registers, f"there is no register {name}")
            require(value in (0, 1), f"register {name}: no value of a bit")
        return {registers[name]: value for name, value in said.items()}

    def _invariant(self) -> None:
        netlist = self.netlist
        self.known = self._known(self.facts["invariant"])
        self.reset = netlist.after(netlist.step([netlist.port("rst", 1)]))
        after = netlist.after(netlist.step([{**self.known, **netlist.port("rst", 0)}]))
        for name in self.facts["invariant"]:
            v = netlist.registers[name]
            require(self.reset.get(v) == self.known[v], f"invariant: a reset does not give {name}")
            require(after.get(v) == self.known[v], f"invariant: {name} changes")
        say(f"invariant: {len(self.known)} registers, inductive")

    def _ready(self) -> None:
        """Find each way for in_ready to be high."""
        netlist, names = self.netlist, self.facts["ready"]
        require(len(names) <= MOST_BITS, "in_ready depends on too many registers")
        every = itertools.product((0, 1), repeat=len(names))
        self.every_way = [self._known(dict(zip(names, bits, strict=True))) for bits in every]
        given = {**self.known, **netlist.port("in_valid", 1), **self.quiet}
        can = netlist.step([{**given, **way} for way in [*self.every_way, self.reset]])
        ready = netlist.ports["in_ready"][0]
        *found, first = (value_of(can, ready, n) for n in range(len(self.every_way) + 1))
        require(None not in found, "in_ready depends on more than these registers")
        require(first == 1, "in_ready is not high after a reset: the claim is empty")
        self.ways = [way for way, value in zip(self.every_way, found, strict=True) if value]
        say(f"in_ready: {len(self.ways)} ways of {len(names)} registers, and high after a reset")

    def _counters(self) -> None:
        """See that some registers, as of free-running counters, never leave a set of states.

        They are followed for some cycles at a time: a turn of a ring, after which each of its
        places holds the block that it held, or another one.
        """
        turn = self.facts["turn"]
        require(0 < turn < 1000, "evidence.json: no such turn")
        # What comes in, and what in_ready depends on, are told apart.
        valid = [self.netlist.port("in_valid", value) for value in (0, 1)]
        self.counters = {}
        for about, said in self.facts["counters"].items():
            states = self.counters[about] = [self._known(state) for state in said]
            variables = list(states[0])
            wrong = f"counters of {about}: states of other registers"
            require(all(set(state) == set(variables) for state in states), wrong)
            listed = {tuple(state[v] for v in variables) for state in states}
            after: list[dict[int, int]] = [self.reset]
            for _ in range(turn):
                require(agree(after, variables, listed), "a state after a reset is missing")
                after = self._later(after)
            every = itertools.product(states, self.every_way, valid)
            after = [{**way, **given, **state} for state, way, given in every]
            for _ in range(turn):
                after = self._later(after)
            require(agree(after, variables, listed), "a state after one of them is missing")
            say(f"counters of {about}: {len(states)} states, closed")

    def _later(self, known: Sequence[Known]) -> list[dict[int, int]]:
        """Return the registers that are known a cycle later, for each pattern."""
        runs = self.netlist.port("rst", 0)
        can = self.netlist.step([{**self.known, **one, **runs} for one in known])
        return [self.netlist.after(can, number) for number in range(len(known))]

    def _cases(self) -> None:
        """See that the cases cover all that is accepted, and what comes out in each."""
        cases = [(case["about"], self._known(case["known"])) for case in self.facts["cases"]]
        require({of for of, _ in cases} <= {"tag", "block"}, "a case of neither tag nor block")
        for about in ("tag", "block"):
            for way, counter in itertools.product(self.ways, self.counters.get(about, [{}])):
                state = {**self.known, **way, **counter}.items()
                covered = any(of == about and known.items() <= state for of, known in cases)
                require(covered, f"cases: a state that accepts a block has no case of {about}")
        say(f"cases: {len(cases)}, every state that accepts a block has one")
        # A byte has a bit for each of eight cases.
        for inverse in self.directions:
            specified = self._specified(inverse)
            for first in range(0, len(cases), 8):
                self._outputs(inverse, specified, first, cases[first : first + 8])

    def _outputs(self, inverse: int, specified: Specified, first: int, cases: list[Any]) -> None:
        """See that tag or block comes out in up to eight cases, the first of this number."""
        netlist, carried, (sums, wanted) = self.netlist, [], specified
        states: list[Known] = [{**self.known, **case} for _, case in cases]
        given = netlist.port("in_valid", 1)
        if len(self.directions) > 1:
            given |= netlist.port("in_decrypt", inverse)
        for _ in range(self.latency + 1):
            can = netlist.step([{**state, **given, **self.quiet} for state in states])
            carried.append(bytes(can))
            states = [netlist.after(can, number) for number in range(len(states))]
            given = {}
        for number, (about, _) in enumerate(cases):
            label = f"case {first + number}, {about} of {'INVCIPHER' if inverse else 'CIPHER'}()"
            outputs = [*netlist.ports[f"out_{about}"], *netlist.ports["out_valid"]]
            names = [*(f"{about}[{bit}]" for bit in range(len(wanted[about]))), "valid"]
            found = self._forms(carried, number, sums, outputs)
            for name, one, other in zip(names, found, [*wanted[about], 1], strict=True):
                require(one == other, f"{label}: the netlist gives another {name}")
            say(f"{label}: the netlist agrees with FIPS 197")

    def _specified(self, inverse: int) -> Specified:
        """Return the forms of the inputs in cycle 0, and of tag and block that must come out."""
        ports = self.netlist.ports
        names = ("in_key", "in_block", "in_tag")
        sums = Sums([literal >> 1 for name in names for literal in ports[name]])
        key, block, tag = ([sums.inputs[literal >> 1] for literal in ports[name]] for name in names)
        result = cipher(sums, bytes_of(key), bytes_of(block), inverse)
        return sums, {"tag": tag, "block": [bit for byte in reversed(result) for bit in byte]}

    def _forms(self, carried: list[bytes], pattern: int, sums: Sums, outputs: Bits) -> Bits:
        """Return the forms of outputs in the last cycle.

        Args:
            carried: for each cycle what each literal can be.
            pattern: the bit of these bytes that is looked at.
            sums: with a term for each input, by its variable, that is given in cycle 0.
            outputs: literals.
        """
        netlist = self.netlist
        forms: list[dict[int, int]] = [{} for _ in carried]

        def form(cycle: int, literal: int) -> int:
            """Return the form of a literal in a cycle."""
            known, v = value_of(carried[cycle], literal, pattern), literal >> 1
            if known is not None:
                return known
            if v not in forms[cycle]:
                gate = netlist.gates[v]
                if v in netlist.choices:
                    value = chosen(cycle, *netlist.choices[v])
                elif gate:
                    value = sums.product(form(cycle, gate[0]), form(cycle, gate[1]))
                elif v in netlist.following and cycle:
                    value = form(cycle - 1, netlist.following[v])
                else:
                    value = UNKNOWN if cycle else sums.inputs.get(v, UNKNOWN)
                forms[cycle][v] = value
            return inverted(forms[cycle][v]) if literal & 1 else forms[cycle][v]

        def chosen(cycle: int, s: int, x: int, y: int) -> int:
            """Return the form of NOT (s ? x : y), which is 1 + y + s (x + y)."""
            select = form(cycle, s)
            if select in (0, 1):
                return inverted(form(cycle, x if select else y))
            one, other = form(cycle, x), form(cycle, y)
            if one == other or UNKNOWN in (one, other):
                return inverted(min(one, other))
            product = sums.product(select, one ^ other)
            return product if product == UNKNOWN else 1 ^ other ^ product

        return [form(len(carried) - 1, literal) for literal in outputs]


def inverted(form: int) -> int:
    """Return the form of the inverse."""
    return form if form == UNKNOWN else form ^ 1


def main() -> int:
    """Check a folder."""
    # Nets, and forms over all cycles, are followed by recursion.
    sys.setrecursionlimit(1_000_000)
    if len(sys.argv) != 2:
        print("usage: check_evidence.py DIR", file=sys.stderr)
        return 2
    try:
        Check(Path(sys.argv[1]))
    except Refused as error:
        say(f"refused: {error}")
        return 1
    say("the evidence shows the claim")
    return 0


if __name__ == "__main__":
    sys.exit(main())
