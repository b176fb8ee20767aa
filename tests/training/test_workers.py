"""Clips processed in parallel, in order, without long waits."""

import os
from collections import Counter

import pytest

from a3t.errors import InputError
from training.features import workers


def whose(job: int) -> tuple[int, int]:
    if job < 0:
        raise ValueError("no such clip")
    if job == 13:
        os._exit(1)
    return job, os.getpid()


def test_results_come_in_order_and_no_process_gets_old(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "PORTION", 10)
    found = list(workers.by_workers(whose, range(100, 150), 2))
    assert [job for job, _ in found] == list(range(100, 150))
    counts = Counter(process for _, process in found)
    assert os.getpid() not in counts and max(counts.values()) <= 20 and len(counts) >= 3


def test_a_few_jobs_need_no_other_process_and_errors_come_through() -> None:
    assert list(workers.by_workers(whose, [3], 1)) == [(3, os.getpid())]
    with pytest.raises(ValueError, match="no such clip"):
        list(workers.by_workers(whose, [1, -1], 2))


def test_a_stopped_process_is_reported() -> None:
    with pytest.raises(InputError, match="lack of memory"):
        list(workers.by_workers(whose, [1, 13], 2))
