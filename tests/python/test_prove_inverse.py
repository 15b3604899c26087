# SPDX-License-Identifier: Apache-2.0
"""One core is proved the inverse of another."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from aesforge.cli import main as cli
from aesforge.errors import AesforgeError
from aesforge.prove import circuit
from aesforge.prove.engines import equal
from aesforge.prove.properties import inverse
from proofs import TOWER


def test_the_inverse_is_made_of_lemmas_that_can_fail() -> None:
    steps = inverse.cipher_steps(10) + inverse.inv_cipher_steps(10)
    assert len(steps) == 80
    assert inverse.cancelled(steps) == []
    assert inverse.cancelled([*steps[:-1], ("ADDROUNDKEY", 1)]) != []
    parts = {
        name: circuit.specification(name, 128, TOWER).aig
        for name in ("SUBBYTES", "INVSUBBYTES", "MIXCOLUMNS", "INVMIXCOLUMNS")
    }
    mix, back = (inverse.linear_forms(parts[name]) for name in ("MIXCOLUMNS", "INVMIXCOLUMNS"))
    assert inverse.undoes(back, mix)
    assert not inverse.undoes(back, [mix[1], mix[0], *mix[2:]])
    with pytest.raises(AesforgeError, match="no sums"):
        inverse.linear_forms(parts["SUBBYTES"])
    whole = circuit.specification("CIPHER of words", 128, TOWER).aig
    order = inverse.cipher_steps(10)
    assert equal.sampled(whole, inverse.composed(order, parts, whole.inputs, 10), 1) is None
    order[1], order[3] = order[3], order[1]
    assert equal.sampled(whole, inverse.composed(order, parts, whole.inputs, 10), 1) is not None


def test_a_pair_that_is_none_is_refused() -> None:
    for name in ("balanced", "kiran-looped"):
        done = CliRunner().invoke(cli.main, ["prove", "compact", "--inverse-of", name])
        assert done.exit_code == 2
        assert "does not decrypt" in done.stderr
