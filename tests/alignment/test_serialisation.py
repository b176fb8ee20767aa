"""Records go to JSON and back by their types; anything else is one ValueError."""

import json
import math
import sys
from dataclasses import dataclass, field, make_dataclass
from pathlib import Path
from threading import Barrier, Thread
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from a3t.plan.edit_limits import Count, Number
from alignment import Alignment, Phone, Word
from alignment.serialisation import MAX_PATH, OMITTED, Record, from_json
from tests.children import result_of

TIMES = st.floats(0, 1e6)
PHONES = st.builds(Phone, st.text(), TIMES, TIMES, st.floats(0, 1), st.floats(0, 1))
WORDS = st.builds(
    Word, st.text(), TIMES, TIMES, st.floats(0, 1), st.lists(PHONES).map(tuple), st.text()
)


@dataclass(frozen=True)
class Kept(Record):
    number: Number
    count: Count = 0
    path: Path = Path("talk.wav")
    spans: tuple[tuple[int, int], ...] = ()
    note: str = field(default="", metadata=OMITTED)


@given(st.builds(Alignment, st.lists(WORDS).map(tuple), TIMES, st.floats(0, 1)))
def test_a_record_comes_back(alignment: Alignment) -> None:
    assert Alignment.from_json(json.loads(json.dumps(alignment.to_json()))) == alignment


def test_what_a_record_holds_is_written() -> None:
    written = {"number": 1.5, "count": 2, "path": "a", "spans": [[0, 3]]}
    kept = Kept(1.5, 2, Path("a"), ((0, 3),))
    assert kept.to_json() == written and Kept.from_json(written | {"later": [1]}) == kept
    assert Kept(1.5, note="why").to_json()["note"] == "why"


@pytest.mark.parametrize(
    ("entry", "place"),
    [
        ({"number": "1"}, "number"),
        ({"number": math.nan}, "number"),
        ({"number": math.inf}, "number"),
        ({"number": True}, "number"),
        ({"number": 10**400}, ""),
        ({"count": -1}, "count"),
        ({"count": 1.0}, "count"),
        ({"count": 10**30}, "count"),
        ({"path": "a" * (MAX_PATH + 1)}, "path"),
        ({"path": "a\0"}, "path"),
        ({"path": 3}, "path"),
        ({"spans": [[0, 1], [2, 3, 4]]}, "spans[1]"),
        ({"spans": {"0": 1}}, "spans"),
    ],
)
def test_other_values_are_refused(entry: dict[str, Any], place: str) -> None:
    with pytest.raises(ValueError) as caught:
        Kept.from_json({"number": 1} | entry)
    assert place in str(caught.value)


@pytest.mark.parametrize("data", [{}, [], None, "number", 3, [[]] * 3])
def test_what_is_no_object_is_refused(data: object) -> None:
    with pytest.raises(ValueError):
        Kept.from_json(data)


def met_by_threads() -> str:
    """Types that nothing has met yet, each first read by four threads at once."""
    sys.setswitchinterval(1e-6)
    for number in range(50):
        fields = [(f"f{k}", "tuple[int, ...] | None", None) for k in range(12)]
        part = make_dataclass(f"Part{number}", fields)
        whole = make_dataclass(
            f"Whole{number}", [(f"f{k}", tuple[part, ...], ()) for k in range(9)]
        )
        ready = Barrier(4)

        def read(whole: type = whole, ready: Barrier = ready) -> None:
            ready.wait()
            from_json(whole, {"f0": [{"f1": [1]}]})

        threads = [Thread(target=read) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    return "alive"


def test_threads_may_read_a_type_first_at_once() -> None:
    """It ended the page's server, when a change was made while its state was asked for."""
    assert result_of(met_by_threads) == "alive"
