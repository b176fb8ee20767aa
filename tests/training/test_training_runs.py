"""The training loop: an interrupted run resumes as if it had not been interrupted."""

import contextlib
import json
import threading
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch
from torch import Tensor, nn

from a3t.learning.loop import Run, Schedule
from training.training_runs import TrainingRun, TrainingSchedule


def network() -> nn.Module:
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(4, 8), nn.Dropout(0.5), nn.BatchNorm1d(8), nn.Linear(8, 1))


def make_run(folder: Path, **schedule: object) -> TrainingRun:
    plan = TrainingSchedule(warmup=3, decay=5, **schedule)  # type: ignore[arg-type]
    return TrainingRun(network(), plan, folder)


def losses(run: Run, step: int) -> dict[str, Tensor]:
    x = torch.randn(16, 4, generator=torch.Generator().manual_seed(step))
    return {"total": (run.model(x) - x.sum(1, keepdim=True)).abs().mean()}


def train(run: Run, steps: int) -> None:
    while run.step < steps:
        run.train_step(lambda step: losses(run, step))


def test_a_voice_is_learnt_as_a_network_is_trained(tmp_path: Path) -> None:
    """`Run` and `TrainingRun` take the same steps, and both resume where they were."""
    whole = make_run(tmp_path / "whole", steps=20)
    whole.train(lambda step: losses(whole, step), dict)
    for _ in range(2):
        run = Run(network(), Schedule(steps=20, warmup=3, decay=5, epoch=6), tmp_path / "parts")
        run.resume()

        def interrupted(step: int, run: Run = run) -> dict[str, Tensor]:
            if step == 9 and run.saved:
                raise KeyboardInterrupt
            return losses(run, step)

        with contextlib.suppress(KeyboardInterrupt):
            run.train(interrupted, dict)
    assert run.step == 20 and not list((tmp_path / "parts").glob("*.tmp"))
    for name, value in whole.model.state_dict().items():
        assert torch.equal(value, run.model.state_dict()[name]), name
        assert torch.equal(whole.average[name], run.average[name]), name


def test_a_run_writes_log_and_checkpoint_and_stops_where_it_should(tmp_path: Path) -> None:
    run = make_run(tmp_path, steps=12, epoch=6)
    run.train(lambda step: losses(run, step), lambda: {"l1": 1.0}, log_every=4)
    rows = [json.loads(line) for line in (tmp_path / "log.jsonl").read_text().splitlines()]
    assert [row["step"] for row in rows] == [4, 6, 8, 12, 12]
    assert rows[1]["valid_l1"] == 1.0 and rows[0]["seconds_per_step"] >= 0
    again = make_run(tmp_path, steps=12)
    assert again.resume() and again.step == 12


def test_divergence_stops_the_run(tmp_path: Path) -> None:
    run = make_run(tmp_path, steps=3)
    with pytest.raises(FloatingPointError, match="step 0"):
        run.train_step(lambda step: {"total": losses(run, step)["total"] * float("nan")})
    assert all(value.isfinite().all() for value in run.model.state_dict().values())


def test_on_a_gpu_divergence_is_found_before_the_next_checkpoint(tmp_path: Path) -> None:
    run = make_run(tmp_path, steps=20)
    run.deferred = True  # as on a GPU, which would have to wait for each answer
    train(run, 2)
    run.save()

    def diverging(step: int) -> dict[str, Tensor]:
        found = losses(run, step)
        return {"total": found["total"] * (float("nan") if step == 4 else 1.0)}

    with pytest.raises(FloatingPointError, match="before step 8"):
        run.train(diverging, dict, log_every=8)
    again = make_run(tmp_path, steps=20)
    assert again.resume() and again.step == 2
    assert all(value.isfinite().all() for value in again.model.state_dict().values())


def test_the_average_is_judged_and_the_weights_come_back(tmp_path: Path) -> None:
    run = make_run(tmp_path, steps=12)
    train(run, 6)
    own = {name: value.clone() for name, value in run.model.state_dict().items()}
    seen: dict[str, Tensor] = {}

    def validate() -> dict[str, float]:
        seen.update({name: value.clone() for name, value in run.model.state_dict().items()})
        assert not run.model.training
        return {}

    run.judge(validate)
    assert all(torch.equal(seen[name], value) for name, value in run.average.items())
    assert all(torch.equal(run.model.state_dict()[name], value) for name, value in own.items())
    assert not torch.equal(seen["0.weight"], own["0.weight"])


def test_the_rate_warms_up_stays_and_falls() -> None:
    plan = TrainingSchedule(steps=100, rate=2.0, warmup=10, decay=20)
    rates = [plan.rate_at(step) for step in range(100)]
    assert rates[0] == pytest.approx(0.2) and rates[9:81] == [2.0] * 72
    assert rates[90] == pytest.approx(1.0) and rates[99] == pytest.approx(0.1)


def test_noam_is_the_thesiss_schedule() -> None:
    """Equation 4.2's optimiser: rate 1, width 384, 4000 steps of warm-up; its peak is there."""
    plan = TrainingSchedule(steps=10_000, rate=1.0, warmup=4000, noam=384)
    rates = [plan.rate_at(step) for step in range(10_000)]
    assert max(range(10_000), key=rates.__getitem__) == 3999
    assert rates[3999] == pytest.approx(384**-0.5 * 4000**-0.5)
    assert rates[0] == pytest.approx(384**-0.5 * 4000**-1.5)


def test_by_minutes_the_rate_falls_with_what_is_spent_and_the_end_is_kept(tmp_path: Path) -> None:
    plan = TrainingSchedule(steps=10**6, rate=3.0, warmup=1, decay=1, minutes=10)
    assert [plan.rate_at(5, spent=60.0 * spent) for spent in (0, 6, 8, 10)] == pytest.approx(
        [3, 3, 1.8, 0]
    )
    run = make_run(tmp_path, steps=10**6, minutes=1e-9)
    run.train(lambda step: losses(run, step), dict)
    assert run.done and run.step == 1 and run.spent > 0
    again = make_run(tmp_path, steps=10**6, minutes=1e-9)
    assert again.resume() and again.spent == run.spent and again.done


@pytest.mark.parametrize(("by_clock", "seconds"), [(False, 3.0), (True, 60.0)])
def test_minutes_are_the_processors_or_the_clocks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, by_clock: bool, seconds: float
) -> None:
    clocks = {"process_time": iter([5.0, 8.0]).__next__, "monotonic": iter([0.0, 60.0]).__next__}
    run = make_run(tmp_path, steps=10**6, minutes=10, by_clock=by_clock)
    monkeypatch.setattr("training.training_runs.time", SimpleNamespace(**clocks))
    run.train_step(lambda step: losses(run, step))
    assert run.spent == seconds


def test_training_that_no_longer_improves_decays_and_ends(tmp_path: Path) -> None:
    """Validations at 4, 8, … are lowest at 8; five steps of decay follow the patience of 8."""
    totals = {4: 3.0, 8: 2.0}

    def run_on(folder: Path, until: int) -> TrainingRun:
        run = make_run(folder, steps=1000, epoch=4, patience=8)
        run.resume()
        stopping = threading.Event()

        def step_losses(step: int) -> dict[str, Tensor]:
            if step == until:
                stopping.set()
            return losses(run, step)

        run.train(step_losses, lambda: {"total": totals.get(run.step, 2.5)}, stopping=stopping)
        return run

    whole = run_on(tmp_path / "whole", 1000)
    assert whole.done and whole.best == (2.0, 8) and whole.step == whole.end == 16 + 5
    for until in (9, 17, 1000):
        parts = run_on(tmp_path / "parts", until)
    assert (parts.step, parts.end, parts.best) == (whole.step, whole.end, whole.best)
    average = parts.average.items()
    assert all(torch.equal(whole.average[name], value) for name, value in average)
