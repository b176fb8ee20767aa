"""Flows draw from a distribution, by a seed, without training what they are given."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import torch

from a3t.model.conformer import Layout
from a3t.model.filling import MaskedMel, fill
from a3t.model.flow import Flow, standard_noise
from a3t.model.prosody import interpolated, smoothed, speakers_middle
from tests.model.test_filling import item
from tests.model.test_network import DRAWING, build, make_clip


def test_a_flow_draws_either_of_two_answers_where_a_mean_is_neither() -> None:
    torch.manual_seed(0)
    flow = Flow(channels=1, condition=1, width=24, blocks=1, kernel=1, voice=0)
    optimiser = torch.optim.Adam(flow.parameters(), lr=5e-3)
    where = Layout(torch.ones(1, 256, 1), torch.zeros(1, 256), seam=256)
    condition = torch.zeros(1, 256, 1)
    for _ in range(300):
        target = (torch.rand(1, 256, 1) < 0.25).float() * 2 - 1
        loss = flow.loss(target, torch.randn_like(target), condition, None, where).mean()
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    everywhere = torch.ones(1, 256, dtype=torch.bool)
    with torch.no_grad():
        drawn = flow.sample(torch.randn(1, 256, 1), condition, None, where, everywhere, steps=20)
    assert (drawn.abs() - 1).abs().median() < 0.2
    assert 0.15 < (drawn > 0).float().mean() < 0.35


def test_the_seed_decides_what_is_drawn() -> None:
    network = build(DRAWING).eval()
    with torch.no_grad():  # they begin with nothing
        for flow in (network.flow, network.prosody):
            assert flow is not None
            flow.flow.output.weight.normal_()
    work = item(120, 40, 80)

    def filled(seed: int) -> torch.Tensor:
        parts = (work.mel, work.masked, work.phones, work.phone_of_frame)
        return fill(network, MaskedMel(*parts, seed=seed))

    assert torch.equal(filled(1), filled(1))
    assert not torch.allclose(filled(1)[work.masked], filled(2)[work.masked], atol=1e-2)
    assert torch.equal(filled(2)[~work.masked], work.mel[~work.masked])


def test_noise_goes_on_where_it_was() -> None:
    assert torch.equal(standard_noise(70, 3)[:41], standard_noise(41, 3))
    assert not torch.equal(standard_noise(5, 3), standard_noise(5, 4))


def test_what_flows_are_given_is_not_trained_by_them() -> None:
    network = build(DRAWING).train()
    batch = replace(make_clip(60, 9, 0), pitch=torch.rand(1, 60) + 7)
    losses = network(batch).losses
    assert set(losses) == {"flow", "prosody"}
    sum(losses.values()).backward()  # type: ignore[union-attr]
    trained = {name.split(".")[0] for name, p in network.named_parameters() if p.grad is not None}
    assert trained == {"flow", "prosody"}


def test_smooth_noise_is_smooth_and_of_variance_one() -> None:
    noise = smoothed(torch.randn(400, 30, 1, generator=torch.Generator().manual_seed(0)))
    spread = noise.square().mean((0, 2))
    assert (spread - 1).abs().max() < 0.3  # at the ends as well
    assert noise.diff(dim=1).square().mean() < 0.2  # 2 if it were white


def test_lines_between_what_is_known() -> None:
    rng = np.random.default_rng(0)
    values, known = rng.normal(size=(3, 40)), rng.random((3, 40)) < 0.2
    known[2] = False
    found = interpolated(torch.from_numpy(values), torch.from_numpy(known)).numpy()
    for k in range(2):
        places = np.flatnonzero(known[k])
        np.testing.assert_allclose(
            found[k], np.interp(np.arange(40), places, values[k, places]), rtol=1e-5
        )
    assert not found[2].any()


def test_the_speakers_middle_is_that_of_the_visible_voice() -> None:
    clip = make_clip(9, 3, 0)  # of which the middle third is masked
    octaves = torch.tensor([[0.1, 9.0, 0.3, 9.0, 9.0, 9.0, 0.2, 9.0, 9.0]])
    voiced = torch.where(octaves < 9, 1.0, -1.0)
    voiced[:, 3:6] = 1.0
    middle = speakers_middle(torch.stack([voiced, octaves], dim=-1), clip)
    torch.testing.assert_close(middle, torch.tensor([[np.log2(180.0) + 0.2]]).float())
