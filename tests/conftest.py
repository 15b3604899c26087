# SPDX-License-Identifier: Apache-2.0
"""The order of the tests: the long ones first, so that no process is left with one at the end."""

from __future__ import annotations

import pytest

# CPU seconds from a cold cache; what is not here takes less than ten.
LONG = {
    "test_aesforge_engine": 50,
    "test_aesforge_serial": 30,
    "test_aesforge_serial_cipher": 30,
    "test_an_iterative_core_is_proved": 20,
    "test_aesforge_engine_interleaved": 25,
    "test_interleaved_vectors": 25,
    "test_the_specification_gives_every_published_vector": 20,
    "test_the_netlist_passes_the_published_vectors": 20,
    "test_aesforge_round": 15,
    "test_aesforge_tile": 15,
    "test_a_foreign_core_is_measured_alike": 15,
    "test_aesforge_core": 12,
    "test_aesforge_inverse_core": 12,
    "test_aesforge_cipher": 12,
}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Deal the long tests out to two processes, each of which begins with half of the tests."""

    def seconds(item: pytest.Item) -> int:
        return LONG.get(getattr(item, "originalname", item.name), 0)

    long = sorted((item for item in items if seconds(item)), key=seconds, reverse=True)
    rest = [item for item in items if not seconds(item)]
    middle = (len(rest) + len(long)) // 2 - len(long[::2])
    items[:] = [*long[::2], *rest[:middle], *long[1::2], *rest[middle:]]
