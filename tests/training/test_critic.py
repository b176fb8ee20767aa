"""The critic of filled mels: which loss trains which part, and that it learns to detect blur."""

import torch
from torch import Tensor

from training.critic import Critic, CriticLosses, critic_losses


def batch(seed: int) -> tuple[Tensor, Tensor, Tensor]:
    """Blurred, recorded (2, 60, 80) and masked (2, 60): ripples along the bins, and their third."""
    random = torch.Generator().manual_seed(seed)
    phase = torch.rand(2, 60, 1, generator=random) * 6.28
    recorded = torch.sin(torch.arange(80) * 1.3 + phase) + 0.1 * torch.randn(
        2, 60, 80, generator=random
    )
    masked = torch.zeros(2, 60, dtype=torch.bool)
    masked[:, 20:45] = True
    return recorded / 3, recorded, masked


def judged(critic: Critic, filled: Tensor, recorded: Tensor, masked: Tensor) -> CriticLosses:
    return critic_losses(critic, filled.requires_grad_(), recorded, masked)


def test_the_critics_loss_trains_the_critic_alone() -> None:
    torch.manual_seed(0)
    critic = Critic(4)
    filled, recorded, masked = batch(0)
    judged(critic, filled, recorded, masked).critic.backward()
    assert filled.grad is None
    for name, parameter in critic.named_parameters():
        assert parameter.grad is not None and parameter.grad.any(), name


def test_the_networks_losses_train_the_network_alone_and_only_where_it_filled() -> None:
    torch.manual_seed(0)
    critic = Critic(4)
    filled, recorded, masked = batch(0)
    losses = judged(critic, filled, recorded, masked)
    (losses.adversarial + losses.matching).backward()
    assert all(parameter.grad is None for parameter in critic.parameters())
    assert filled.grad is not None
    assert filled.grad[masked].any(dim=-1).all()
    assert not filled.grad[~masked].any()


def test_a_perfect_fill_has_no_matching_loss() -> None:
    critic = Critic(4)
    _, recorded, masked = batch(0)
    losses = judged(critic, recorded.clone(), recorded, masked)
    assert losses.matching == 0
    # Verdicts on the same sound cannot be 1 and 0 at once: a half each is the best there is.
    assert losses.critic >= 0.5


def test_unmasked_frames_are_not_judged() -> None:
    critic = Critic(4)
    filled, recorded, masked = batch(0)
    other = torch.where(masked[..., None], filled, torch.full_like(filled, 9.0))
    assert judged(critic, filled, recorded, masked) == judged(critic, other, recorded, masked)


def test_it_learns_to_see_blur_and_its_verdict_sharpens() -> None:
    torch.manual_seed(0)
    critic = Critic(4)
    depth = torch.nn.Parameter(torch.tensor(1.0))  # of the ripples: 1 the blurred, 3 the recorded
    optimiser = torch.optim.Adam(critic.parameters(), 5e-3)
    for step in range(40):
        optimiser.zero_grad()
        losses = judged(critic, *batch(step))
        losses.critic.backward()
        optimiser.step()
    assert losses.critic < 0.2
    filled, recorded, masked = batch(99)
    losses = judged(critic, filled * depth, recorded, masked)
    losses.adversarial.backward()
    assert depth.grad is not None and depth.grad < 0  # deeper ripples would pass for recorded
