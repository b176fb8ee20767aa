"""Confidence of recognised words, from their rivals."""

from __future__ import annotations

import numpy as np
import pytest

from alignment.recognition.word_confidence import Endings, Rivals, confidences

# Records: 0 "a" ends at step 20; 1 another word there; 2 "b" at 50 after "a"; 3 "b" at 52 after
# the other word; 4 "c" at 50 after "a".
ENDINGS = Endings(
    np.array([-1, -1, 0, 1, 0]), np.array([7, 8, 9, 9, 5]), np.array([20, 20, 50, 52, 50])
)
SECONDS = 0.02


def sure(scores: list[float], latest: list[int]) -> list[float]:
    rivals = [
        Rivals(40, np.array(scores), np.array(latest)),
        Rivals(70, np.array(scores), np.array(latest)),
    ]
    return confidences([0, 2], ENDINGS, rivals, SECONDS)


def test_words_without_rivals_are_sure() -> None:
    assert min(sure([0.0, -1.0], [2, 2])) > 0.99


def test_a_word_is_shared_by_all_that_have_it_at_its_time() -> None:
    """Record 3 has the same second word, 40 ms later; 4 shares the first alone."""
    both, second_alone, first_alone = (sure([0.0, -1.0], [2, other]) for other in (2, 3, 4))
    assert second_alone[1] == both[1] and second_alone[0] < both[0]
    assert first_alone[0] == both[0] and first_alone[1] < both[1]


@pytest.mark.parametrize("rival", [3, 4])
def test_the_likelier_a_rival_the_less_sure_a_word(rival: int) -> None:
    place = 0 if rival == 3 else 1
    found = [sure([0.0, -behind], [2, rival])[place] for behind in (0.0, 2.0, 10.0, 40.0)]
    assert found == sorted(found) and found[0] < found[-1]
    assert all(0 < each < 1 for each in found)
