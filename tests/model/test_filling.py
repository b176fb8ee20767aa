"""Masks have exact numbers; filling, in one pass or in pieces, changes only masked frames."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from a3t.model.a3t import A3T
from a3t.model.masking import (
    AHEAD_FRAMES,
    PIECE_FRAMES,
    PROMPT_FRAMES,
    RECENT_FRAMES,
    EditMasking,
    MaskedMel,
    fill,
    fill_in_pieces,
    random_spans,
)
from a3t.text.phones import PAUSE_ID
from tests.model.test_network import SMALL
from training.features.corpus_batches import MaskingConfig, ThesisMasking


def item(frames: int, first: int, last: int) -> MaskedMel:
    masked = np.zeros(frames, bool)
    masked[first:last] = True
    of_frame = np.arange(frames) // 7
    mel = torch.randn(frames, 80, generator=torch.Generator().manual_seed(0)) - 2
    return MaskedMel(mel, masked, [3 + k % 60 for k in range(of_frame[-1] + 1)], of_frame)


def model() -> A3T:
    torch.manual_seed(0)
    return A3T(**SMALL).eval()  # type: ignore[arg-type]


def test_unmasked_frames_are_unchanged() -> None:
    for work in (item(120, 40, 80), item(900, 200, 700)):
        filled = fill(model(), work)
        assert torch.equal(filled[~work.masked], work.mel[~work.masked])
        assert torch.isfinite(filled).all()
        assert not torch.equal(filled[work.masked], work.mel[work.masked])


def test_the_masked_content_has_no_influence() -> None:
    work = item(900, 200, 700)
    other = MaskedMel(work.mel.clone(), work.masked, work.phones, work.phone_of_frame)
    other.mel[work.masked] = 5.0
    assert torch.equal(fill(model(), work), fill(model(), other))


def test_long_masks_are_filled_in_bounded_pieces() -> None:
    """However long the target, the model sees a few seconds at a time."""
    seen: list[int] = []
    network = model()
    inner = network.fill

    def watched(batch):  # type: ignore[no-untyped-def]
        seen.append(batch.mel.shape[1])
        return inner(batch)

    network.fill = watched  # type: ignore[method-assign]
    fill(network, item(5000, 300, 4800))
    assert len(seen) > 10
    assert max(seen) <= PROMPT_FRAMES + RECENT_FRAMES + PIECE_FRAMES + 2 * AHEAD_FRAMES


def test_a_fully_masked_clip_is_filled() -> None:
    assert torch.isfinite(fill(model(), item(500, 0, 500))).all()


def test_pieces_follow_each_other_and_end_after_pauses() -> None:
    work = item(2000, 300, 1900)
    rested = MaskedMel(
        work.mel,
        work.masked,
        [PAUSE_ID if k % 20 == 0 else phone for k, phone in enumerate(work.phones)],
        work.phone_of_frame,
    )
    ends = [end for end, _ in fill_in_pieces(model(), rested)]
    assert ends == sorted(set(ends)) and ends[-1] == 1900
    assert all(rested.phones[rested.phone_of_frame[end - 1]] == PAUSE_ID for end in ends[:-1])


WORDS = [-1, 0, 0, 0, 1, 1, -1, 2, 2, 2, 3, 3, 3, 3, -1]


@given(st.integers(1, 60), st.data())
def test_spans_have_the_requested_number_and_length(count: int, data: st.DataObject) -> None:
    masked = data.draw(st.integers(1, count))
    spans = data.draw(st.integers(1, 8))
    result = random_spans(count, masked, spans, np.random.default_rng(0))
    assert result.sum() == masked
    runs = int((np.diff(np.concatenate([[0], result.astype(int)])) == 1).sum())
    assert runs == min(spans, masked, count - masked + 1)


@pytest.mark.parametrize("scheme", [ThesisMasking(ratio=0.4), EditMasking()])
def test_start_middle_end_and_whole_targets_are_masked(
    scheme: ThesisMasking | EditMasking,
) -> None:
    rng = np.random.default_rng(0)
    masks = np.array([scheme.draw(WORDS, rng) for _ in range(2000)])
    share = masks.mean(0)
    assert (share > 0.05).all() and (share < 0.95).all()
    assert abs(share[0] - share[-1]) < 0.1  # no side is preferred
    assert (masks.sum(1) > 0).all()


def test_the_thesis_masks_four_fifths_in_spans_of_eight() -> None:
    rng = np.random.default_rng(0)
    mask = ThesisMasking().draw(list(range(100)), rng)
    assert mask.sum() == 80
    assert (np.diff(np.concatenate([[0], mask.astype(int)])) == 1).sum() == 10


def test_word_masks_hold_whole_words() -> None:
    rng = np.random.default_rng(0)
    scheme = EditMasking(words=1.0, target=0.0)
    words = np.array(WORDS)
    for _ in range(200):
        mask = scheme.draw(WORDS, rng)
        for word in range(4):
            assert len(set(mask[words == word])) == 1
        assert not mask.all()


def test_configuration_names_a_scheme() -> None:
    built = MaskingConfig("use", {"ratio": [0.1, 0.2], "words": 0.5}).build()
    assert built == EditMasking(ratio=(0.1, 0.2), words=0.5)
