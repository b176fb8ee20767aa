"""The record of a take: what earlier versions wrote is read, and what doesn't fit is refused."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from a3t.projects.take_record import TakeRecord

GOLDEN = json.loads(Path(__file__).with_name("golden").joinpath("take-1.json").read_text())


def test_the_record_of_an_earlier_version_is_read() -> None:
    record = TakeRecord.from_json(GOLDEN)
    assert TakeRecord.from_json(json.loads(json.dumps(record.to_json()))) == record
    assert record.mix is not None and record.model is not None
    (edit,), (span,) = record.mix.edits, record.spans
    assert edit.plan.op == "replace" and len(edit.new) == len(record.words)
    assert {"mix", "model"}.isdisjoint(record.shown().to_json())
    patch = np.zeros((span.length, 1))
    record.check(patch, span.source[1], 1)
    for wrong in (patch[1:], patch.astype(int), np.full_like(patch, np.nan), patch[:, 0]):
        with pytest.raises(ValueError, match="samples"):
            record.check(wrong, span.source[1], 1)
    with pytest.raises(ValueError, match="span"):
        record.check(patch, span.source[1] - 1, 1)


@pytest.mark.parametrize(
    "wrong",
    [
        {"number": 40}, {"number": True}, {"pace": float("nan")}, {"pace": "1"}, {"spans": []},
        {"model": None}, {"mix": None}, {"words": [{"span": 9}]}, {"guessed": {"x": 3}},
        {"level": "loud"}, {"voice": {"name": ["x"]}}, {"mix": {"edits": [], "rate": 1.0}},
    ],
)  # fmt: skip
def test_what_is_no_record_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError):
        TakeRecord.from_json(GOLDEN | wrong)
