"""Jobs in parallel processes: all are done, failures are values, crashes are survived."""

import os
import signal
from functools import partial
from pathlib import Path

import pytest

from alignment import AlignmentError
from alignment.parallel import WorkerDiedError, run_jobs

FATAL = 5


def halved(job: int) -> int:
    if job % 2:
        raise ValueError(f"{job} is odd")
    return job // 2


def deadly(folder: Path, job: int) -> int:
    """Ends its own process at the job FATAL; leaves a trace of every other one."""
    if job == FATAL:
        os.kill(os.getpid(), signal.SIGKILL)
    (folder / str(job)).touch()
    return job


def threads(_: int) -> str | None:
    return os.environ.get("OMP_NUM_THREADS")


@pytest.mark.parametrize("workers", [1, 2])
def test_every_job_once_and_failures_are_values(workers: int) -> None:
    done = list(run_jobs(halved, range(7), workers))
    assert sorted(each.job for each in done) == list(range(7))
    for each in done:
        if each.job % 2:
            assert isinstance(each.error, ValueError)
            assert str(each.error) == f"{each.job} is odd"
        else:
            assert (each.result, each.error) == (each.job // 2, None)


def test_a_worker_that_dies_takes_no_other_job_with_it(tmp_path: Path) -> None:
    done = {each.job: each for each in run_jobs(partial(deadly, tmp_path), range(12), 2)}
    assert sorted(done) == list(range(12))
    assert isinstance(done.pop(FATAL).error, WorkerDiedError)
    assert all(each.error is None and each.result == job for job, each in done.items())
    assert sorted(int(path.name) for path in tmp_path.iterdir()) == sorted(done)


def test_workers_keep_to_one_core_each(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    assert {each.result for each in run_jobs(threads, range(4), 2)} == {"1"}
    assert "OMP_NUM_THREADS" not in os.environ


def test_no_jobs() -> None:
    assert list(run_jobs(halved, [], 4)) == []


@pytest.mark.slow
def test_a_cluster_gives_the_same() -> None:
    distributed = pytest.importorskip("distributed", reason="Dask is not installed")
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=None
    ) as cluster:
        there = list(run_jobs(halved, range(20), 1, cluster.scheduler_address))
    here = {each.job: (each.result, str(each.error)) for each in run_jobs(halved, range(20), 1)}
    assert {each.job: (each.result, str(each.error)) for each in there} == here


def test_a_scheduler_that_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("distributed", reason="Dask is not installed")
    monkeypatch.setattr("alignment.parallel.CONNECT_S", 0.2)
    for address in ("tcp://127.0.0.1:9", "nonsense"):
        with pytest.raises(AlignmentError, match="can't be reached"):
            list(run_jobs(halved, [2], 1, address))
