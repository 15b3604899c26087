# SPDX-License-Identifier: Apache-2.0
"""The ports that both engines have: random packets at them, and what must come out."""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from rtl_bench import Bench, Driver, Instance, Mutation, Outputs, Twins
from streams import Beat, Context, Scoreboard, Source

USER_BITS, WAIT = 2, 20
# Bytes of a packet that is drawn.
LENGTHS = (0, 1, 15, 16, 16, 16, 17, 31, 32, 33, 48, 64, 80)
# Inputs that hold secrets.
SECRETS = {"s_key_tdata": 128, "s_ctx_key": 128, "s_ctx_iv": 128, "s_axis_tdata": 128}


def add_engine(
    bench: Bench,
    name: str,
    module: str,
    parameters: Mapping[str, int],
    mutation: Mutation | None,
    probed: Mapping[str, tuple[str, int]] | None,
    *,
    mode_bits: int,
    id_bits: int,
) -> None:
    """Add an engine to a bench; ``probed`` has path and width of its internal signals."""
    slots, bits = parameters["KeySlots"], parameters["KeyBits"]
    slot_bits = (slots - 1).bit_length() if slots else 1
    common = {"SboxStyle": 0, "KeySboxStyle": 0, "ContextTimeout": WAIT, "UserBits": USER_BITS}
    bench.add(
        name,
        module,
        {**parameters, **common},
        inputs={
            **{"rst": 1, "s_key_tvalid": 1, "s_key_slot": slot_bits, "s_key_tdata": bits},
            **{"s_ctx_tvalid": 1, "s_ctx_key": bits, "s_ctx_slot": slot_bits},
            **{"s_ctx_iv": 128, "s_ctx_mode": mode_bits, "s_ctx_decrypt": 1},
            **{"s_axis_tvalid": 1, "s_axis_tdata": 128, "s_axis_tkeep": 16, "s_axis_tlast": 1},
            **{"s_axis_tid": id_bits, "s_axis_tuser": USER_BITS, "m_axis_tready": 1},
        },
        outputs={
            **{"s_key_tready": 1, "s_ctx_tready": 1, "s_axis_tready": 1, "m_axis_tvalid": 1},
            **{"m_axis_tdata": 128, "m_axis_tkeep": 16, "m_axis_tlast": 1},
            **{"m_axis_tid": id_bits, "m_axis_tuser": USER_BITS + 1},
        },
        probes=probed,
        mutation=mutation,
    )


def little(data: bytes) -> int:
    return int.from_bytes(data, "little")


def beat_values(beat: Beat) -> dict[str, int]:
    """Ports at which a beat goes in."""
    return {
        **{"s_axis_tvalid": 1, "s_axis_tdata": beat.data, "s_axis_tkeep": beat.keep},
        **{"s_axis_tlast": beat.last, "s_axis_tid": beat.id, "s_axis_tuser": beat.user},
    }


def beat_out(one: Instance, outputs: Outputs) -> Beat:
    """The beat at the output."""
    names = ("tdata", "tkeep", "tlast", "tid", "tuser")
    data, keep, last, id_, user = (outputs.of(one, f"m_axis_{name}") for name in names)
    return Beat(data, keep, last, id_, user >> 1, user & 1)


class EnginePorts:
    """One engine, the traffic at its ports, and the keys that it holds.

    Args:
        one: the instance.
        seed: of its traffic.
        faulty: share of packets that are wrong in some way.
        board: takes what must come out.
    """

    def __init__(self, one: Instance, seed: int, faulty: float, board: Scoreboard) -> None:
        self.one = one
        self.draw = random.Random(seed)
        self.faulty = faulty
        self.beats, self.contexts, self.keys = Source(), Source(), Source()
        self.board = board
        self.packets = 0  # that went in whole
        self.errors = 0
        self.reset()

    def reset(self) -> None:
        for source in (self.beats, self.contexts, self.keys):
            source.drop()
        self.board.drop()
        self.known: dict[int, bytes] = {}  # slot -> key
        self.ready = 0
        self.stalled = 0  # cycles without a beat in or out

    # --- What goes in

    def queue_packet(self) -> None:
        """Queue a random packet, or some of one."""
        raise NotImplementedError

    def finish(self) -> None:
        """Queue what is left of packets that have begun."""

    def load(self, slot: int) -> None:
        self.keys.queue.append((slot, self.draw.randbytes(self.one["KeyBits"] // 8)))

    def fill(self) -> None:
        """Keep the sources busy."""
        if self.one["KeySlots"]:
            if not self.known and not self.keys.queue:
                self.load(0)
            elif not self.keys.queue and self.draw.random() < 0.02:
                self.load(self.draw.randrange(2 ** self.one.inputs["s_key_slot"][1]))
            if not self.known:
                return
        while len(self.beats.queue) < 8:
            self.queue_packet()

    def context(self, mode: int, decrypt: int, iv: bytes) -> Context:
        """A context with a random key, or a slot that holds one where one does."""
        slot = self.draw.choice([*self.known] or [0]) if self.one["KeySlots"] else 0
        return Context(mode, decrypt, iv, self.draw.randbytes(self.one["KeyBits"] // 8), slot)

    def spoil(self, beats: list[Beat], context: Context) -> Context | None:
        """Make a packet wrong in some way, or perhaps so; give what its context is then."""
        draw = self.draw
        at = draw.randrange(len(beats))
        beat = beats[at]
        rest = beat.last, beat.id, beat.user
        match draw.randrange(8):
            case 0:  # a hole
                beats[at] = Beat(beat.data, 0b1011 << draw.randrange(12), *rest)
            case 1:  # too short, where a beat is not the last or the mode wants whole ones
                beats[at] = Beat(beat.data, 2 ** draw.randrange(16) - 1, *rest)
            case 2:
                return None
            case 3:  # a mode or way that may not be built
                context.mode = draw.randrange(2 ** self.one.inputs["s_ctx_mode"][1])
                context.decrypt = draw.randrange(2)
            case 4:  # a slot that may hold no key
                context.slot = draw.randrange(2 ** self.one.inputs["s_ctx_slot"][1])
            case 5:  # not the first bytes
                beats[at] = Beat(beat.data, 0b1100, *rest)
            case 6:  # nothing in the last beat
                beats[-1] = Beat(0, 0, 1, beat.id, beat.user)
            case _:
                context.decrypt ^= 1
        return context

    # --- A cycle

    def next_beat(self) -> Beat:
        """The beat at the head of the source."""
        raise NotImplementedError

    def next_context(self) -> Context:
        """The context at the head of the source."""
        raise NotImplementedError

    def context_values(self, context: Context) -> dict[str, int]:
        """Ports at which a context goes in."""
        values = {"s_ctx_iv": little(context.iv)}
        values |= {"s_ctx_mode": context.mode, "s_ctx_decrypt": context.decrypt}
        if self.one["KeySlots"]:
            values["s_ctx_slot"] = context.slot
        else:
            values["s_ctx_key"] = little(context.key)
        return values

    def offer(self, share: float, ready: float) -> dict[str, int]:
        """Values of this engine's inputs."""
        draw = self.draw
        self.ready = int(draw.random() < ready)
        values = {"m_axis_tready": self.ready}
        if self.beats.offer(draw, share):
            values |= beat_values(self.next_beat())
        if self.contexts.offer(draw, max(share, 0.6)):
            values |= {"s_ctx_tvalid": 1} | self.context_values(self.next_context())
        if self.keys.offer(draw, share):
            slot, key = self.keys.queue[0]
            values |= {"s_key_tvalid": 1, "s_key_slot": slot, "s_key_tdata": little(key)}
        return values

    def after(self, now: int, outputs: Outputs) -> None:
        """Take note of what went in and look at what comes out."""
        raise NotImplementedError

    def watch(self, now: int, outputs: Outputs) -> None:
        """Look at the output."""
        beat = beat_out(self.one, outputs)
        self.board.cycle(now, outputs.of(self.one, "m_axis_tvalid"), self.ready, beat)

    def take_key(self, outputs: Outputs) -> None:
        """Packets that begin later find the key that goes in now."""
        key = self.keys.after(outputs.of(self.one, "s_key_tready"))
        if key is not None:
            slot, value = key
            self.known.pop(slot, None)
            if slot < self.one["KeySlots"]:
                self.known[slot] = value

    def take_beat(self, outputs: Outputs) -> Any:
        """What the source of beats has that goes in now, None where nothing does."""
        taken = self.beats.after(outputs.of(self.one, "s_axis_tready"))
        moved = taken is not None or (outputs.of(self.one, "m_axis_tvalid") and self.ready)
        self.stalled = 0 if moved else self.stalled + 1
        return taken

    @property
    def idle(self) -> bool:
        """Whether all that came is out."""
        raise NotImplementedError


class InOrderPorts(EnginePorts):
    """An engine of one stream: packets, and beats out, in the order in which they came.

    Args:
        one: the instance.
        seed: of its traffic.
        faulty: share of packets that are wrong in some way.
    """

    def __init__(self, one: Instance, seed: int, faulty: float) -> None:
        super().__init__(one, seed, faulty, Scoreboard())

    def reset(self) -> None:
        super().reset()
        self.due: list[Beat] = []  # of the packet that is going in
        self.plan: list[Any] = []  # packets whose context has not been given to the source
        self.under_way: list[Any] = []  # packets whose first beat has not gone in

    def random_packet(self) -> Any:
        """A packet, right or wrong, with its beats and its context."""
        raise NotImplementedError

    def open(self) -> None:
        """The first beat of a packet has gone in: what it comes out as is decided now."""
        raise NotImplementedError

    def send(self, packet: Any) -> None:
        self.beats.queue.extend(packet.beats)
        self.plan.append(packet)
        self.under_way.append(packet)

    def queue_packet(self) -> None:
        self.send(self.random_packet())

    def next_beat(self) -> Beat:
        beat: Beat = self.beats.queue[0]
        return beat

    def next_context(self) -> Any:
        return self.contexts.queue[0]

    def after(self, now: int, outputs: Outputs) -> None:
        self.watch(now, outputs)
        if self.take_beat(outputs):
            if not self.due:
                self.open()
            self.board.accepted(self.due.pop(0))
            self.packets += not self.due
        self.contexts.after(outputs.of(self.one, "s_ctx_tready"))
        # A packet finds this key if its first beat goes in later.
        self.take_key(outputs)

    @property
    def idle(self) -> bool:
        return not (self.beats.queue or self.board.expected or self.contexts.queue)


# --- Several engines on a bench


async def step(
    driver: Driver, engines: Sequence[EnginePorts], share: float, ready: float
) -> Outputs:
    # What has gone wrong is not driven on.
    working = [engine for engine in engines if engine.board.fault is None]
    own = {engine.one.name: engine.offer(share, ready) for engine in working}
    now = driver.number
    outputs = await driver.cycle({}, own)
    for engine in working:
        engine.after(now, outputs)
    return outputs


async def drain(
    driver: Driver, engines: Sequence[EnginePorts], share: float, ready: float, cycles: int = 6000
) -> None:
    """Go on without new packets until all is out, or until some engine has clearly stopped."""
    for engine in engines:
        engine.finish()
    for _ in range(cycles):
        if all(e.idle or e.board.fault or e.stalled > 2000 for e in engines):
            break
        await step(driver, engines, share, ready)
    for engine in engines:
        engine.board.end(len(engine.beats.queue))


async def reset(driver: Driver, engines: Sequence[EnginePorts], cycles: int = 1) -> None:
    for _ in range(cycles):
        await driver.cycle({}, {engine.one.name: {"rst": 1} for engine in engines})
    for engine in engines:
        engine.reset()


async def traffic(driver: Driver, engines: Sequence[EnginePorts], cycles: int, left: int) -> None:
    """Idle x back-pressure x reset or zeroize in flight.

    Args:
        driver: of the bench.
        engines: on it.
        cycles: of each traffic.
        left: cycles of new packets, which are under way when the reset or the zeroization comes.
    """
    await reset(driver, engines)
    for share in (1.0, 0.6, 0.15):
        for ready in (1.0, 0.6, 0.15):
            for number in range(cycles + left):
                if number == cycles:
                    await drain(driver, engines, share, ready)
                for engine in engines:
                    engine.fill()
                await step(driver, engines, share, ready)
            if ready == 0.6:
                await driver.cycle({"zeroize": 1})
                # From the fourth cycle on nothing leaves either of them.
                for _ in range(2):
                    await driver.cycle({})
                for engine in engines:
                    engine.reset()
            else:
                await reset(driver, engines)


def judge(engines: Sequence[EnginePorts], mutants: Collection[str]) -> None:
    """Want no fault of a true engine, and one of every mutant among them."""
    faults = {e.one.name: e.board.fault for e in engines if e.board.fault}
    true = {name: fault for name, fault in faults.items() if name not in mutants}
    assert not true, f"{len(true)} engines went wrong: {true}"
    survivors = {e.one.name for e in engines if e.one.name in mutants} - set(faults)
    assert not survivors, f"mutants that no check caught: {survivors}"


# --- `zeroize`


def of_ports(one: Instance, values: Mapping[str, int]) -> dict[str, int]:
    """Return the values of ports that an engine has."""
    return {port: value for port, value in values.items() if port in one.inputs}


async def zeroize_zeroizes(
    driver: Driver,
    twins: Twins,
    *,
    modes: range,
    cycles: int,
    public_cycles: int,
    bound: Callable[[Instance], int],
    own_control: Callable[[Instance, int], Mapping[str, int]],
) -> None:
    """Full of different secrets, two engines are the same when `zeroize` is through, and stay so.

    Args:
        driver: of the bench.
        twins: on it.
        modes: that are drawn.
        cycles: of traffic before a `zeroize`.
        public_cycles: after it, with data that is not secret.
        bound: cycles from `zeroize` until an engine is zeroized and open again.
        own_control: control inputs that not all engines have in common, in a cycle of the traffic.
    """
    draw = random.Random(14)
    await driver.cycle({}, {one.name: {"rst": 1} for one in twins.ones})
    for _ in range(3):
        for number in range(cycles):
            # Each has its own data; the control is the same for both of a pair.
            go = number > 60
            control = {
                **{"s_key_tvalid": int(number % 20 == 1), "s_key_slot": number // 20 % 3},
                **{"s_ctx_tvalid": int(go), "s_ctx_slot": draw.randrange(3)},
                **{"s_ctx_mode": draw.choice(modes), "s_ctx_decrypt": 1},
                **{"s_axis_tvalid": int(go), "s_axis_tkeep": 0xFFFF},
                **{"s_axis_tlast": int(draw.random() < 0.4)},
                "m_axis_tready": int(draw.random() < 0.5),
            }
            own = {
                one.name: of_ports(one, {**control, **own_control(one, number), **secrets})
                for one, secrets in twins.secrets(draw, SECRETS)
            }
            now = driver.number
            twins.look(await driver.cycle({}, own, probes=True), now)
        begin = driver.number
        await driver.cycle({"zeroize": 1})
        for _ in range(public_cycles):
            since = driver.number - begin
            public = {"s_axis_tdata": since, "s_ctx_iv": 5, "s_ctx_key": 7, "s_key_tdata": 9}
            everyone = {one.name: of_ports(one, public) for one in twins.ones}
            outputs = await driver.cycle({}, everyone, probes=True)
            twins.look(outputs, since, bound)
            for one in twins.true:
                if since == bound(one):
                    assert outputs.of(one, "s_ctx_tready"), f"{one.name} is not open again"
    twins.judge()
