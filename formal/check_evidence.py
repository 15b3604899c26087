#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Check the evidence that `aesforge prove --evidence DIR` wrote; it shares no code with aesforge.

    python formal/check_evidence.py DIR

It prints each step. Exit status 0: the evidence shows the claim. 1: it does not, with the reason.
It needs Python alone. The claim: after a reset, whenever the core accepts a block in a cycle t,
and neither `rst` nor `zeroize` is high from t to t + latency, then at t + latency `out_valid` is
high, `out_tag` is the tag, and `out_block` is CIPHER(block, key) of FIPS 197.

A form is the exact function of a bit: a sum over GF(2) of terms, an integer with a bit for each.
Term 0 is the constant one, terms 1 to n are the inputs of a case, and the terms after them are
products of two earlier forms, numbered as they are met. Equal forms are equal functions.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import sys
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

FORMAT = 1
CLOCK = "clk"
MOST_BITS = 16
# A form that is not known: it depends on what is no input of the case.
UNKNOWN = -1


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


def add(*parts: Sequence[int]) -> list[int]:
    """Return the sum of some bytes or words of forms."""
    result = list(parts[0])
    for part in parts[1:]:
        result = [a ^ b for a, b in zip(result, part, strict=True)]
    return result


def xtimes(byte: Sequence[int]) -> list[int]:
    """Return a byte multiplied by x, Sec. 4.2.1."""
    return add([0, *byte[:7]], [byte[7] if 0x1B >> bit & 1 else 0 for bit in range(8)])


def cipher(sums: Sums, key: list[list[int]], block: list[list[int]]) -> list[list[int]]:
    """Return CIPHER() of a block (16 bytes) under a key (16, 24 or 32 bytes), Sec. 5.1 and 5.2."""
    nk = len(key) // 4
    rounds = nk + 6
    words = [key[4 * i : 4 * i + 4] for i in range(nk)]
    rcon = 1
    for i in range(nk, 4 * rounds + 4):
        word = words[i - 1]
        if i % nk == 0:
            word = [sums.sbox(byte) for byte in word[1:] + word[:1]]
            word[0] = add(word[0], [rcon >> bit & 1 for bit in range(8)])
            rcon = gf_multiply(rcon, 2)
        elif nk > 6 and i % nk == 4:
            word = [sums.sbox(byte) for byte in word]
        words.append([add(a, b) for a, b in zip(words[i - nk], word, strict=True)])

    def add_round_key(state: list[list[int]], number: int) -> list[list[int]]:
        round_key = itertools.chain(*words[4 * number : 4 * number + 4])
        return [add(a, b) for a, b in zip(state, round_key, strict=True)]

    state = add_round_key(block, 0)
    for number in range(1, rounds + 1):
        state = [sums.sbox(byte) for byte in state]
        state = [state[(i + 4 * (i % 4)) % 16] for i in range(16)]
        if number < rounds:
            mixed = []
            for column in range(4):
                s = state[4 * column : 4 * column + 4]
                for i in range(4):
                    a, b, c, d = (s[(i + k) % 4] for k in range(4))
                    mixed.append(add(xtimes(a), xtimes(b), b, c, d))
            state = mixed
        state = add_round_key(state, number)
    return state


def bytes_of(bits: Sequence[int]) -> list[list[int]]:
    """Return the bytes of a port: its highest bit is the first bit of byte 0."""
    return [list(bits[at - 8 : at]) for at in range(len(bits), 0, -8)]


# --- Graphs: binary AIGER without latches, with names


class Graph:
    """An and-inverter graph, read from a file."""

    def __init__(self, path: Path) -> None:
        data = path.read_bytes()
        try:
            head, _, rest = data.partition(b"\n")
            kind, *numbers = head.split()
            most, inputs, latches, outputs, ands = map(int, numbers)
            require(kind == b"aig" and not latches, f"{path.name}: not a graph without latches")
            require(most == inputs + ands, f"{path.name}: its numbers do not add up")
            lines = rest.split(b"\n", outputs)
            self.outputs = [int(line) for line in lines[:outputs]]
            body = lines[outputs]
            at = 0
            self.gates: list[tuple[int, int]] = []
            for number in range(ands):
                pair = []
                for _ in range(2):
                    value = shift = 0
                    while True:
                        byte = body[at]
                        at += 1
                        value |= (byte & 0x7F) << shift
                        shift += 7
                        if byte < 0x80:
                            break
                    pair.append(value)
                high = 2 * (1 + inputs + number) - pair[0]
                require(
                    high - pair[1] >= 0 and pair[0] > 0, f"{path.name}: a gate reads a later one"
                )
                self.gates.append((high, high - pair[1]))
            names = dict(line.split(" ", 1) for line in body[at:].decode().splitlines() if line)
            self.inputs = [names[f"i{n}"] for n in range(inputs)]
            self.output_names = [names[f"o{n}"] for n in range(outputs)]
        except (ValueError, IndexError, KeyError) as error:
            raise Refused(f"{path.name}: no AIGER file with names: {error}") from None
        require(all(lit >> 1 <= most for lit in self.outputs), f"{path.name}: no such variable")

    def evaluate(self, sums: Sums, inputs: Mapping[str, int]) -> dict[str, int]:
        """Return the form of each output."""
        require(set(self.inputs) <= set(inputs), "a graph has other inputs than the case")
        first = 1 + len(self.inputs)
        forms = [0, *(inputs[name] for name in self.inputs)]
        for gate in self.gates:
            forms.append(
                sums.gate(gate, lambda v: self.gates[v - first] if v >= first else None, forms)
            )
        values = [
            forms[lit >> 1] ^ (lit & 1) if forms[lit >> 1] >= 0 else UNKNOWN for lit in self.outputs
        ]
        return dict(zip(self.output_names, values, strict=True))


# --- Sums


class Sums:
    """Forms: a term for each input, and one for each product of two forms that is met."""

    def __init__(self, names: Sequence[str], sbox: Graph) -> None:
        self._sbox = sbox
        self.inputs = {name: 2 << n for n, name in enumerate(names)}
        self._next = 2 << len(names)
        # For two factors, their product; for a factor, its products and those that it makes zero.
        self._products: dict[tuple[int, int], int] = {}
        self._terms: dict[int, tuple[int, int]] = {}

    def product(self, a: int, b: int) -> int:
        """Return the form of a product of two forms."""
        if a == 0 or b == 0:
            return 0
        if a == UNKNOWN or b == UNKNOWN:
            return b if a == 1 else a if b == 1 else UNKNOWN
        # (a + 1) b = a b + b, and so on; then no factor has a constant.
        result = (a & b & 1) ^ (a & ~1 if b & 1 else 0) ^ (b & ~1 if a & 1 else 0)
        a, b = a & ~1, b & ~1
        while a and b and a != b:
            # A term of b that is a product with a stays as it is: a (a c) = a c. One that is a
            # product of d and a + d with a ends: a d (a + d) = 0. So for a (a + b) = a + a b.
            for factor, other in ((a, b), (b, a), (a ^ b, a)):
                kept, ended = self._terms.get(factor, (0, 0))
                if other & (kept | ended):
                    # The product a b = a + a (a + b), where the factor is the sum.
                    result ^= (other & kept) ^ (a if factor == a ^ b else 0)
                    a, b = factor, other & ~(kept | ended)
                    break
            else:
                return result ^ self._product_of(a, b)
        return result ^ a if a == b else result

    def _product_of(self, a: int, b: int) -> int:
        """Return the term of a product, or a sum with it: the least two of a, b, a + b."""
        least, second, most = sorted((a, b, a ^ b))
        term = self._products.get((least, second))
        if term is None:
            term = self._products[least, second] = self._next
            self._next <<= 1
            for factor in (least, second, most):
                kept, ended = self._terms.get(factor, (0, 0))
                ends = factor == most
                self._terms[factor] = (kept, ended | term) if ends else (kept | term, ended)
        # a (a + b) = a + a b.
        return term if most == a ^ b else term ^ (a if most == b else b)

    def gate(self, gate: tuple[int, int], of: Any, forms: Sequence[int]) -> int:
        """Return the form of an AND gate, given its two literals.

        Args:
            gate: the literals, twice the variable, plus one where it is inverted.
            of: returns the gate of a variable, or None.
            forms: of the variables.
        """

        def form(literal: int) -> int:
            value = forms[literal >> 1]
            return value if value == UNKNOWN else value ^ (literal & 1)

        a, b = gate
        if a & b & 1 and (one := of(a >> 1)) and (other := of(b >> 1)):
            for s, x in (one, one[::-1]):
                if s ^ 1 in other:
                    # NOT (s ? x : y) = 1 + y + s (x + y).
                    y = other[1] if other[0] == s ^ 1 else other[0]
                    values = form(x), form(y)
                    if UNKNOWN in values:
                        chosen = {1: values[0], 0: values[1]}.get(form(s), UNKNOWN)
                        return chosen if chosen == UNKNOWN else chosen ^ 1
                    # Of an exclusive or, x + y = 1.
                    chosen = self.product(form(s), values[0] ^ values[1])
                    return UNKNOWN if chosen == UNKNOWN else 1 ^ values[1] ^ chosen
        return self.product(form(a), form(b))

    def sbox(self, byte: Sequence[int]) -> list[int]:
        """Return SBOX() of a byte of forms, by the graph that was tried for every byte."""
        if UNKNOWN in byte:
            return [UNKNOWN] * 8
        found = self._sbox.evaluate(self, {f"x[{bit}]": form for bit, form in enumerate(byte)})
        return [found[f"y[{bit}]"] for bit in range(8)]


# --- The netlist: what Yosys wrote, modules joined


class Netlist:
    """A hierarchy as one circuit of AND gates, registers and S-boxes.

    A literal is twice a variable, plus one where it is inverted; variable 0 is false.

    Args:
        modules: of Yosys, by name.
        top: the name of the module at the top.
        sboxes: modules that stay S-boxes, and their pipeline stages.
    """

    def __init__(self, modules: Mapping[str, Any], top: str, sboxes: Mapping[str, int]) -> None:
        self._modules, self._sboxes = modules, sboxes
        self._nets = 2
        self._drivers: dict[int, tuple[Any, ...]] = {}
        self._names: dict[int, str] = {}
        self.places: dict[str, str] = {}
        self._sbox_clocks: set[int] = set()
        ports = modules[top]["ports"]
        nets = {
            bit: self._new()
            for port in ports.values()
            for bit in port["bits"]
            if bit not in ("0", "1")
        }
        for port in ports.values():
            if port["direction"] == "input":
                for bit in port["bits"]:
                    self._drivers[nets[bit]] = ("input",)
        self._join(top, nets, "")
        self.variables: list[tuple[Any, ...]] = [("false",)]
        self._literals: dict[int, int] = {0: 0, 1: 1}
        self.ports = {
            name: [self._net(nets, bit) for bit in port["bits"]] for name, port in ports.items()
        }
        self.clocks: set[int] = set()
        held = [net for net, driver in self._drivers.items() if driver[0] == "register"]
        self._build([*itertools.chain(*self.ports.values()), *held, *self._sbox_clocks])
        number = self._literals
        self.clocks |= {number[net] for net in self._sbox_clocks}
        self.ports = {name: [number[net] for net in bits] for name, bits in self.ports.items()}
        self.registers = {self._names[net]: number[net] >> 1 for net in held}
        require(len(self.registers) == len(held), "netlist: two registers have one name")

    def _new(self) -> int:
        self._nets += 1
        return self._nets - 1

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
            at = {
                port: [self._net(nets, bit) for bit in bits]
                for port, bits in cell["connections"].items()
            }
            kind = cell["type"]
            if kind == "$_AND_":
                self._drive(at["Y"][0], "and", at["A"][0], at["B"][0])
            elif kind == "$_NOT_":
                self._drive(at["Y"][0], "not", at["A"][0])
            elif kind == "$_DFF_P_":
                self._drive(at["Q"][0], "register", at["D"][0], at["C"][0])
            elif kind == "$mem_v2":
                self._memory(cell["parameters"], at)
            elif kind in self._sboxes:
                self.places[f"{path}{instance}"] = kind
                self._sbox_clocks |= {*at[CLOCK]}
                for byte in range(len(at["x"]) // 8):
                    given = at["x"][8 * byte : 8 * byte + 8]
                    for bit in range(8):
                        self._drive(at["y"][8 * byte + bit], "sbox", kind, bit, *given)
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
        number = {
            name: int(parameters[name], 2)
            for name in (
                "ABITS",
                "OFFSET",
                "RD_CLK_ENABLE",
                "RD_PORTS",
                "SIZE",
                "WIDTH",
                "WR_PORTS",
            )
        }
        require(
            not number["WR_PORTS"] and not number["RD_CLK_ENABLE"], "netlist: a memory is written"
        )
        contents, width, bits = parameters["INIT"][::-1], number["WIDTH"], number["ABITS"]
        for port, bit in itertools.product(range(number["RD_PORTS"]), range(width)):
            values = []
            for place in range(1 << bits):
                word = place - number["OFFSET"]
                held = contents[width * word + bit] if 0 <= word < number["SIZE"] else "x"
                values.append(self._net({}, held))
            for line in at["RD_ADDR"][bits * port :][:bits]:
                pairs = list(zip(values[::2], values[1::2], strict=True))
                values = [
                    low if low == high else self._choose(line, high, low) for low, high in pairs
                ]
            self._drive(at["RD_DATA"][width * port + bit], "wire", values[0])

    def _choose(self, s: int, x: int, y: int) -> int:
        """Return a net that is s ? x : y."""

        def driven(*driver: Any) -> int:
            net = self._new()
            self._drive(net, *driver)
            return net

        neither = (
            driven("not", driven("and", s, x)),
            driven("not", driven("and", driven("not", s), y)),
        )
        return driven("not", driven("and", *neither))

    def _build(self, roots: list[int]) -> None:
        """Assign a number to all that some nets depend on, operands first."""
        literals, variables = self._literals, self.variables
        later: list[tuple[int, tuple[Any, ...]]] = []
        stack = list(roots)
        begun: set[int] = set()
        while stack or later:
            if not stack:
                # What a register holds was worked out in the cycle before: any order will do.
                variable, (kind, *rest) = later[-1]
                operands = rest[2:] if kind == "sbox" else rest
                stack = [net for net in operands if net not in literals]
                if not stack:
                    later.pop()
                    found = [literals[net] for net in operands]
                    if kind == "register":
                        self.clocks.add(found.pop())
                    variables[variable] = (kind, *rest[: len(rest) - len(operands)], *found)
                continue
            net = stack[-1]
            if net in literals:
                stack.pop()
                continue
            kind, *rest = driver = self._drivers.get(net, ("undefined",))
            if kind == "register" or (kind == "sbox" and self._sboxes[rest[0]]):
                later.append((len(variables), driver))
                literals[net] = 2 * len(variables)
                variables.append((kind,))
                continue
            operands = rest[2:] if kind == "sbox" else rest
            missing = [one for one in operands if one not in literals]
            if missing:
                require(net not in begun, "netlist: a loop without a register")
                begun.add(net)
                stack += missing
                continue
            found = [literals[one] for one in operands]
            if kind == "and":
                # Three-valued simulation would not see that x AND NOT x is false.
                a, b = sorted(found)
                simple = 0 if a == 0 or a ^ b == 1 else b if a == 1 or a == b else None
                if simple is not None:
                    literals[net] = simple
                    continue
            if kind in ("not", "wire"):
                literals[net] = found[0] ^ (kind == "not")
                continue
            literals[net] = 2 * len(variables)
            variables.append((kind, *rest[: len(rest) - len(operands)], *found))

    # --- Three-valued simulation

    def step(self, given: Mapping[int, tuple[int, int]], ones: int = 1) -> list[tuple[int, int]]:
        """Return for each variable in which patterns it can be false, and in which true.

        Args:
            given: the same of inputs and registers; of others nothing is known.
            ones: a bit for each pattern.
        """
        can: list[tuple[int, int]] = []
        for number, (kind, *rest) in enumerate(self.variables):
            if kind == "and":
                a, b = value_of(can, rest[0]), value_of(can, rest[1])
                pair = a[0] | b[0], a[1] & b[1]
                if pair[0] & pair[1] and rest[0] & rest[1] & 1:
                    false, true = self._chosen(can, rest) or pair
                    pair = pair[0] & false, pair[1] & true
                can.append(pair)
            else:
                can.append((ones, 0) if kind == "false" else given.get(number, (ones, ones)))
        return can

    def _chosen(self, can: list[tuple[int, int]], gate: Sequence[int]) -> tuple[int, int] | None:
        """Return what NOT (s ? x : y) can be where it is such a gate, whatever s is."""
        one, other = (self.variables[literal >> 1] for literal in gate)
        if one[0] == other[0] == "and":
            for s, x in (one[1:], one[:0:-1]):
                if s ^ 1 in other[1:]:
                    y = other[2] if other[1] == s ^ 1 else other[1]
                    (x0, x1), (y0, y1) = value_of(can, x), value_of(can, y)
                    return x1 | y1, x0 | y0
        return None

    def after(self, can: Sequence[tuple[int, int]]) -> dict[int, tuple[int, int]]:
        """Return what the registers can hold a cycle later."""
        registers = ((v, of) for v, of in enumerate(self.variables) if of[0] == "register")
        return {v: value_of(can, of[1]) for v, of in registers}

    def port(self, name: str, value: int) -> dict[int, tuple[int, int]]:
        """Return an input port of one bit as a known value."""
        return {literal >> 1: KNOWN[value] for literal in self.ports[name]}


KNOWN = ((1, 0), (0, 1))


def value_of(can: Sequence[tuple[int, int]], literal: int) -> tuple[int, int]:
    """Return in which patterns a literal can be false, and in which true."""
    pair = can[literal >> 1]
    return (pair[1], pair[0]) if literal & 1 else pair


# --- The steps


def check_sbox_module(modules: Mapping[str, Any], name: str, stages: int, table: bytes) -> None:
    """See that a module gives SBOX() of each byte, some cycles later, whatever else it is given."""
    ones = (1 << 256) - 1
    netlist = Netlist(modules, name, {})
    x, y = netlist.ports["x"], netlist.ports["y"]
    require(len(x) == len(y) and len(x) % 8 == 0 and x, f"S-box {name}: no ports of bytes")
    require(netlist.clocks <= set(netlist.ports[CLOCK]), f"S-box {name}: it has another clock")
    for first in range(0, len(x), 8):
        given: dict[int, tuple[int, int]] = {}
        for bit, literal in enumerate(x[first : first + 8]):
            up = sum(1 << byte for byte in range(256) if byte >> bit & 1)
            given[literal >> 1] = (ones ^ up, up)
        can = netlist.step(given, ones)
        for _ in range(stages):
            can = netlist.step(netlist.after(can), ones)
        for bit, literal in enumerate(y[first : first + 8]):
            up = sum(1 << byte for byte in range(256) if table[byte] >> bit & 1)
            found = value_of(can, literal) == (ones ^ up, up)
            require(found, f"S-box {name}: not SBOX() after {stages} cycles")


class Check:
    """The check of one folder of evidence."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.agreed: dict[tuple[str, str, str], tuple[Sums, dict[str, int]]] = {}
        try:
            self.facts = json.loads(self._bytes("evidence.json"))
            require(self.facts["format"] == FORMAT, f"evidence.json: format {FORMAT} is needed")
            circuit = self._bytes("circuit.json")
            digest = hashlib.sha256(circuit).hexdigest()
            require(
                digest == self.facts["circuit"], "circuit.json: not the netlist of the evidence"
            )
            self.modules = json.loads(circuit)["modules"]
            self._run()
        except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
            raise Refused(f"not evidence: {type(error).__name__}: {error}") from None

    def _bytes(self, name: str) -> bytes:
        try:
            return (self.folder / name).read_bytes()
        except OSError as error:
            raise Refused(f"{name}: {error.strerror}") from None

    def _run(self) -> None:
        facts = self.facts
        self.key_bits, self.latency = facts["key_bits"], facts["latency"]
        require(self.key_bits in (128, 192, 256), "evidence.json: no such key size")
        require(0 < self.latency < 1000, "evidence.json: no such latency")
        say(f"claim: AES-{self.key_bits}, encrypting, latency {self.latency}")
        self._sboxes()
        self._invariant()
        self._ready()
        self._counters()
        self._coverage()
        for number, case in enumerate(facts["cases"]):
            self._case(number, case)

    def _sboxes(self) -> None:
        table = sbox_table()
        self.form = Graph(self.folder / "sbox.aig")
        none = Sums([], self.form)
        for byte in range(256):
            found = none.sbox([byte >> bit & 1 for bit in range(8)])
            value = sum(bit << n for n, bit in enumerate(found)) if max(found) < 2 else -1
            require(value == table[byte], f"sbox.aig: not SBOX() of {byte:02x}")
        require(self.facts["table"] == table.hex(), "evidence.json: table is not that of SBOX()")
        key, block = bytes(range(16)), bytes(17 * i for i in range(16))
        bits = [[[byte >> bit & 1 for bit in range(8)] for byte in text] for text in (key, block)]
        result = cipher(none, *bits)
        text = bytes(sum(bit << n for n, bit in enumerate(byte)) for byte in result).hex()
        require(text == "69c4e0d86a7b0430d8cdb78070b4c55a", "CIPHER() here: not FIPS 197, C.1")
        tops = [n for n, m in self.modules.items() if int(m["attributes"].get("top", "0"), 2)]
        require(len(tops) == 1, "netlist: not one module is the top")
        said = self.facts["sboxes"]
        for name, about in said.items():
            require(name in self.modules, f"S-box {name}: the netlist has no such module")
            require(0 <= about["stages"] <= MOST_BITS, f"S-box {name}: too many stages")
            check_sbox_module(self.modules, name, about["stages"], table)
        self.stages = {name: about["stages"] for name, about in said.items()}
        self.netlist = netlist = Netlist(self.modules, tops[0], self.stages)
        places = {place: name for name, about in said.items() for place in about["places"]}
        require(places == netlist.places, "S-boxes: other places than in the netlist")
        require(
            netlist.clocks == set(netlist.ports[CLOCK]), "netlist: a register has another clock"
        )
        widths = {"in_key": self.key_bits, "in_block": 128, "out_block": 128, "out_valid": 1}
        for port, width in widths.items():
            require(len(netlist.ports[port]) == width, f"netlist: {port} has not {width} bits")
        require(len(netlist.ports["in_tag"]) == len(netlist.ports["out_tag"]), "netlist: two tags")
        say(f"S-boxes: {len(places)} places, {len(said)} modules, each tried for 256 bytes")

    def _known(self, said: Mapping[str, int]) -> dict[int, tuple[int, int]]:
        """Return values of registers by their names."""
        registers = self.netlist.registers
        for name, value in said.items():
            require(name in registers, f"there is no register {name}")
            require(value in (0, 1), f"register {name}: no value of a bit")
        return {registers[name]: KNOWN[value] for name, value in said.items()}

    def _invariant(self) -> None:
        netlist = self.netlist
        self.known = self._known(self.facts["invariant"])
        self.reset = netlist.after(netlist.step(netlist.port("rst", 1)))
        for v, pair in self.known.items():
            require(self.reset[v] == pair, f"invariant: a reset does not give {self._name(v)}")
        after = netlist.after(netlist.step({**self.known, **netlist.port("rst", 0)}))
        for v, pair in self.known.items():
            require(after[v] == pair, f"invariant: {self._name(v)} changes")
        say(f"invariant: {len(self.known)} registers, inductive")

    def _name(self, variable: int) -> str:
        return next(name for name, v in self.netlist.registers.items() if v == variable)

    def _ready(self) -> None:
        """Find each way for in_ready to be high."""
        netlist = self.netlist
        known = {**self.known, **self._quiet(), **netlist.port("in_valid", 1)}
        can = netlist.step(known)
        (ready,) = netlist.ports["in_ready"]
        free, stack, seen = [], [ready >> 1], set()
        while stack:
            v = stack.pop()
            if v in seen or 0 in can[v]:
                continue
            seen.add(v)
            kind, *rest = netlist.variables[v]
            if kind == "and":
                stack += [literal >> 1 for literal in rest]
            else:
                require(kind == "register", "in_ready depends on more than registers")
                free.append(v)
        require(len(free) <= MOST_BITS, "in_ready depends on too many registers")
        ones = (1 << (1 << len(free))) - 1
        patterns = {v: (ones * pair[0], ones * pair[1]) for v, pair in known.items()}
        for n, v in enumerate(free):
            up = sum(1 << pattern for pattern in range(1 << len(free)) if pattern >> n & 1)
            patterns[v] = ones ^ up, up
        up = value_of(netlist.step(patterns, ones), ready)[1]
        self.ways = [
            {v: KNOWN[pattern >> n & 1] for n, v in enumerate(free)}
            for pattern in range(1 << len(free))
            if up >> pattern & 1
        ]
        state = {**{v: p for v, p in self.reset.items() if 0 in p}, **self._quiet()}
        found = value_of(netlist.step({**state, **netlist.port("in_valid", 1)}), ready)
        require(found == KNOWN[1], "in_ready is not high after a reset: the claim is empty")
        say(f"in_ready: {len(self.ways)} ways of {len(free)} registers, and high after a reset")

    def _quiet(self) -> dict[int, tuple[int, int]]:
        return {**self.netlist.port("rst", 0), **self.netlist.port("zeroize", 0)}

    def _counters(self) -> None:
        """See that free-running counters never leave their states."""
        self.counters = {}
        for about, said in self.facts["counters"].items():
            states = [self._known(state) for state in said]
            variables = set(states[0])
            require(all(set(s) == variables for s in states), "counters: states of other registers")
            start = {v: self.reset[v] for v in variables}
            require(start in states, "counters: the state after a reset is missing")
            for state in states:
                given = {**self.known, **state, **self.netlist.port("rst", 0)}
                after = self.netlist.after(self.netlist.step(given))
                found = {v: after[v] for v in variables} in states
                require(found, "counters: the state after one of them is missing")
            self.counters[about] = states
            say(f"counters of {about}: {len(states)} states, closed")

    def _coverage(self) -> None:
        cases = [(case["about"], self._known(case["known"])) for case in self.facts["cases"]]
        for about in ("tag", "block"):
            for way, counter in itertools.product(self.ways, self.counters.get(about, [{}])):
                state = {**self.known, **way, **counter}
                found = any(a == about and known.items() <= state.items() for a, known in cases)
                require(found, f"cases: a state that accepts a block has no case of {about}")
        say(f"cases: {len(cases)}, every state that accepts a block has one")

    def _case(self, number: int, case: Mapping[str, Any]) -> None:
        netlist, about = self.netlist, case["about"]
        require(about in ("tag", "block"), f"case {number}: about neither tag nor block")
        ports = ("in_key", "in_block") if about == "block" else ("in_tag",)
        inputs = {
            (f"{port}[{bit}]@0" if len(netlist.ports[port]) > 1 else f"{port}@0"): literal >> 1
            for port in ports
            for bit, literal in enumerate(netlist.ports[port])
        }
        known = {**self.known, **self._known(case["known"])}
        outputs = {
            f"{about}[{bit}]": literal for bit, literal in enumerate(netlist.ports[f"out_{about}"])
        }
        outputs["valid"] = netlist.ports["out_valid"][0]
        label = f"case {number} ({about})"
        # Of cases with the same graphs, only the netlist differs.
        graphs = (about, case["core"], case["fips197"])
        if graphs not in self.agreed:
            self.agreed[graphs] = self._agree(list(inputs), *graphs, label)
        sums, wanted = self.agreed[graphs]
        found = self._unrolled(known, sums, inputs, outputs)
        for name, form in wanted.items():
            require(found[name] == form, f"{label}: the netlist gives another {name}")
        say(f"{label}: netlist, both graphs and FIPS 197 agree")

    def _agree(
        self, inputs: Sequence[str], about: str, core: str, fips197: str, label: str
    ) -> tuple[Sums, dict[str, int]]:
        """Return the sums of a case and the form of each output, which both graphs have.

        Args:
            inputs: the names of the inputs: for a block, of the key and then of the block.
            about: ``tag`` or ``block``.
            core: the file of one graph.
            fips197: the file of the other.
            label: of the case, for messages.
        """
        sums = Sums(inputs, self.form)
        bits = [sums.inputs[name] for name in inputs]
        if about == "block":
            key, block = bits[: self.key_bits], bits[self.key_bits :]
            result = cipher(sums, bytes_of(key), bytes_of(block))
            bits = [bit for byte in reversed(result) for bit in byte]
        wanted = {f"{about}[{bit}]": form for bit, form in enumerate(bits)} | {"valid": 1}
        for file in (core, fips197):
            found = Graph(self.folder / file).evaluate(sums, sums.inputs)
            require(found == wanted, f"{label}: {file} has other sums")
        return sums, wanted

    def _unrolled(
        self,
        known: Mapping[int, tuple[int, int]],
        sums: Sums,
        inputs: Mapping[str, int],
        outputs: Mapping[str, int],
    ) -> dict[str, int]:
        """Return the forms of outputs after the latency, from a state of which this is known."""
        netlist, variables, latency = self.netlist, self.netlist.variables, self.latency
        can = []
        state: Mapping[int, tuple[int, int]] = {**known, **netlist.port("in_valid", 1)}
        for _ in range(latency + 1):
            can.append(netlist.step({**state, **self._quiet()}))
            state = netlist.after(can[-1])
        # Backwards: what the outputs need, and what is not known already.
        needed: list[set[int]] = [set() for _ in can]
        stack = [(latency, literal >> 1) for literal in outputs.values()]
        while stack:
            cycle, v = stack.pop()
            if cycle < 0 or v in needed[cycle] or 0 in can[cycle][v]:
                continue
            needed[cycle].add(v)
            kind, *rest = variables[v]
            if kind == "sbox":
                rest, cycle = rest[2:], cycle - self.stages[rest[0]]
            elif kind == "register":
                cycle -= 1
            stack += [(cycle, literal >> 1) for literal in rest]
        # Forwards: their forms.
        given = {v: sums.inputs[name] for name, v in inputs.items()}
        forms: list[dict[int, int]] = []
        called: dict[tuple[int, ...], list[int]] = {}

        def form_at(cycle: int, literal: int) -> int:
            if cycle < 0:
                return UNKNOWN
            pair = can[cycle][literal >> 1]
            value = pair[1] if 0 in pair else forms[cycle][literal >> 1]
            return value if value == UNKNOWN else value ^ (literal & 1)

        for cycle, wanted in enumerate(needed):
            here = {v: pair[1] for v, pair in enumerate(can[cycle]) if 0 in pair}
            forms.append(here)

            def unknown_gate(v: int, of: Collection[int] = wanted) -> tuple[int, int] | None:
                gate = variables[v]
                return (gate[1], gate[2]) if v in of and gate[0] == "and" else None

            for v in sorted(wanted):
                kind, *rest = variables[v]
                if kind == "and":
                    here[v] = sums.gate((rest[0], rest[1]), unknown_gate, here)
                elif kind == "register":
                    here[v] = form_at(cycle - 1, rest[0])
                elif kind == "sbox":
                    at = cycle - self.stages[rest[0]]
                    byte = tuple(form_at(at, literal) for literal in rest[2:])
                    if byte not in called:
                        called[byte] = sums.sbox(byte)
                    here[v] = called[byte][rest[1]]
                else:
                    here[v] = given.get(v, UNKNOWN) if cycle == 0 else UNKNOWN
        return {name: form_at(latency, literal) for name, literal in outputs.items()}


def say(text: str) -> None:
    """Print a step."""
    print(text, flush=True)


def main() -> int:
    """Check a folder."""
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
