# SPDX-License-Identifier: Apache-2.0
"""What the claims about both kinds of engine share: nets of their shells, and words."""

from __future__ import annotations

from aesforge.design import Engine


def places(name: str, count: int) -> str:
    """Return the words of a memory, the last one first."""
    return ",".join(f"{name}[{place}]" for place in reversed(range(count)))


def shell_nets(shell: str, engine: Engine) -> dict[str, str]:
    """Return nets of a claim about credits, contexts and the wait for one, and the engine's own.

    Args:
        shell: the instance, with a dot.
        engine: the engine.
    """
    contexts = f"{shell}u_contexts."
    found = {
        **{name: f"{shell}u_credits.{name}" for name in ("used_q", "delta_q", "carry_q")},
        "ctx_valid": f"{contexts}m_valid",
        "ctx_stall_q": f"{contexts}u_slice.stall_q",
        "ctx_header": f"{contexts}m_header",
        "ctx_spare_q": f"{contexts}u_slice.spare_q",
        "ctx_read_q": f"{contexts}m_place",
        "ctx_write_q": f"{contexts}write_q",
        "ctx_write_delayed_q": f"{contexts}write_delayed_q",
        "payload_q": f"{contexts}payload_q",
        "ctx_zeroize_q": f"{contexts}zeroize_q",
        "payloads": places(f"{contexts}payloads", 4),
    }
    if engine.context_timeout:
        found["wait_count"] = f"{shell}u_timeout.gen_count.count"
        found["wait_end_q"] = f"{shell}u_timeout.gen_count.end_q"
    return found


def without_a_context(engine: Engine) -> str:
    """Return when the first beat of a packet goes on without a context."""
    if not engine.context_timeout:
        return "never"
    return f"only after it has waited for {engine.context_timeout} cycles"
