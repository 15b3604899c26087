# SPDX-License-Identifier: Apache-2.0
"""A misspelt mode or preset never brings up the name of another mode, which may be weaker."""

from __future__ import annotations

import pytest

from aesforge.design import load_any
from aesforge.design.modes import MODES, nearest_mode
from aesforge.design.presets import ENGINES, PRESETS
from aesforge.errors import UsageError

# What other tools and standards have and no engine here has.
FOREIGN = ("siv", "eax", "gcm-siv", "gmac")


def hint(name: str, known: list[str]) -> str | None:
    text = nearest_mode(name, known)
    return text.removeprefix("; did you mean '").removesuffix("'?") or None


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("gcm-strem", "gcm-stream"),
        ("gmc-stream", "gcm-stream"),
        ("gcmstream", "gcm-stream"),
        ("GCM-STREM", "gcm-stream"),
        ("ctr-strem", "ctr-stream"),
        ("cbc-decryp-stream", "cbc-decrypt-stream"),
        ("lin-rate", "line-rate"),
        ("compact-strem", "compact-stream"),
        ("ecb-strem", "ecb-stream"),
        # A core has no mode at all: who wants a mode is not led to one.
        ("gcm-compactor", "gcm-compact"),
        ("gcm-balanced", "gcm-dual"),
        ("ctr-compact-bram", "ctr-stream"),
        ("xts-strea", "xts-stream"),
        ("ocb-strem", "ocb-stream"),
        ("ccm-stream", "ccm-interleaved"),
        ("siv-stream", None),
        ("eax-stream", None),
    ],
)
def test_presets(name: str, meant: str | None) -> None:
    assert hint(name, [*ENGINES, *PRESETS]) == meant


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("gcm-x", "gcm"),
        ("ecm", "gcm"),  # one letter from ECB, CCM and GCM: the strongest that there is
        ("ctx", "ctr"),
        ("cbc-enc", "cbc-encrypt"),
        ("cbc-mca", "cbc-encrypt"),
        ("cfb9", "cfb"),
        ("xts-x", "xts"),
        ("ocb-x", "ocb"),
        ("siv", None),
        ("eax", None),
    ],
)
def test_modes(name: str, meant: str | None) -> None:
    assert hint(name, [*MODES]) == meant


@pytest.mark.parametrize("word", [*FOREIGN, *dict.fromkeys(mode.cipher for mode in MODES.values())])
@pytest.mark.parametrize("rest", ["-x", "-strem", "-stream", "stream", "-compact", "-interleaved"])
def test_no_name_leads_to_another_mode(word: str, rest: str) -> None:
    for known in ([*ENGINES, *PRESETS], [*MODES]):
        found = hint(f"{word}{rest}", known)
        assert found is None or found.startswith(word.split("-")[0])


def test_the_messages_have_it_from_there() -> None:
    for name in ("gcm-strem", "siv-x"):
        with pytest.raises(UsageError) as caught:
            load_any(name)
        assert nearest_mode(name, [*ENGINES, *PRESETS]) in caught.value.message
        assert "ecb" not in caught.value.message
    with pytest.raises(UsageError, match=r"no mode 'siv-x' \(modes are"):
        load_any("compact", {"modes": "siv-x"})
    with pytest.raises(UsageError, match=r"no mode 'eax' \(modes are"):
        load_any("compact", {"modes": "eax"})


def test_what_is_not_aes_is_not_suggested() -> None:
    with pytest.raises(UsageError) as caught:
        load_any("liu2014-two-stage-hu2008")
    assert "did you mean 'liu2014-two-stage'?" in caught.value.message
