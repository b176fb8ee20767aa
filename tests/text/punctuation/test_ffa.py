"""FFA: its equations, and what each of its streams sees."""

import math
from dataclasses import replace

import pytest
import torch

from a3t.text.punctuation.network import FFA, FFAConfig, HeadAttention

TINY = FFAConfig(heads=4, hidden=32, fusion_heads=4, fusion_hidden=32)
D = 16


@pytest.fixture(autouse=True)
def seeded() -> None:
    torch.manual_seed(0)


def by_the_paper(attention: HeadAttention, x: torch.Tensor) -> torch.Tensor:
    """Equations 1 to 6 written out head by head, for one text (T, d)."""
    heads, d = attention.heads, x.shape[1]
    w, b = attention.query_key_value.weight, attention.query_key_value.bias
    query, key, value = (
        (x @ w[k * d : (k + 1) * d].T + b[k * d : (k + 1) * d]).chunk(heads, 1) for k in range(3)
    )
    scores = [query[h] @ key[h].T for h in range(heads)]  # eq. 2
    if attention.interaction is not None:
        projected = attention.interaction
        scores = [
            sum(projected[h, k] * scores[k] for k in range(heads)) + scores[h]  # eq. 4
            for h in range(heads)
        ]
    mixed = [
        (scores[h] / math.sqrt(d / heads)).softmax(-1) @ value[h] for h in range(heads)
    ]  # eq. 1, 5
    return torch.cat(mixed, 1) @ attention.out.weight.T + attention.out.bias  # eq. 6


@pytest.mark.parametrize("interaction", [True, False])
def test_attention_is_that_of_the_equations(interaction: bool) -> None:
    attention = HeadAttention(D, 4, interaction, masked=False)
    if attention.interaction is not None:
        torch.nn.init.normal_(attention.interaction)
    x = torch.randn(7, D)
    assert torch.allclose(attention(x[None])[0], by_the_paper(attention, x), atol=1e-5)


def test_the_projection_over_heads_begins_as_the_paper_says() -> None:
    attention = HeadAttention(64, 64, interaction=True, masked=False)
    assert attention.interaction is not None and attention.interaction.shape == (64, 64)
    assert float(attention.interaction.detach().std()) == pytest.approx(0.1 / 8, rel=0.05)


def test_without_a_projection_the_heads_are_the_usual_ones() -> None:
    attention = HeadAttention(D, 4, interaction=True, masked=False)
    usual = HeadAttention(D, 4, interaction=False, masked=False)
    usual.load_state_dict(attention.state_dict(), strict=False)
    torch.nn.init.zeros_(attention.interaction)  # type: ignore[arg-type]
    x = torch.randn(2, 9, D)
    assert torch.allclose(attention(x), usual(x), atol=1e-5)


@pytest.mark.parametrize("stream, sees_later", [("msa", False), ("isa", True)])
def test_which_words_a_stream_sees(stream: str, sees_later: bool) -> None:
    """By the gradient of one word's output."""
    x = torch.randn(1, 8, D, requires_grad=True)
    (getattr(FFA(D, TINY), stream)(x)[0, 3] * torch.randn(D)).sum().backward()
    assert x.grad is not None
    seen = x.grad[0].abs().sum(-1) > 0
    assert seen[:4].all() and bool(seen[4:].any()) == sees_later


@pytest.mark.parametrize(
    "without", [{}, {"isa": False}, {"msa": False}, {"interaction": False}, {"fusion": False}]
)
def test_ablations_and_padding(without: dict[str, bool]) -> None:
    network = FFA(D, replace(TINY, **without)).eval()
    x, padding = torch.randn(2, 6, D), torch.zeros(2, 6, dtype=torch.bool)
    padding[0, 4:] = True
    tags, cases = network(x, padding)
    assert tags.shape == (2, 6, 4) and cases.shape == (2, 6, 3)
    assert torch.allclose(tags[0, :4], network(x[:1, :4])[0][0], atol=1e-5)
    assert tags.isfinite().all()


def test_the_streams_are_concatenated_and_fused_by_one_layer() -> None:
    network = FFA(D, TINY)
    assert network.fusion is not None
    assert network.fusion.attention.query_key_value.in_features == 2 * D
    assert network.tag.in_features == 2 * D


def test_one_stream_is_needed() -> None:
    with pytest.raises(ValueError, match="streams"):
        FFA(D, FFAConfig(isa=False, msa=False))
