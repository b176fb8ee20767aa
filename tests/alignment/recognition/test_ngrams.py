"""The language model: probabilities that are some, counted by hand, and read back."""

from pathlib import Path

import numpy as np
import pytest

from alignment.recognition.ngrams import ExpectedText, NGrams, load_ngrams
from training.alignment import train_words
from training.alignment.train_words import kneser_ney, pruned, save_ngrams, sentences, vocabulary_of

TEXT = "the cat sat. the cat ran. a dog sat on the cat. the dog ran. the end of the day".split(". ")


@pytest.fixture(scope="module")
def counted() -> NGrams:
    words = [line.split() for line in TEXT]
    vocabulary = vocabulary_of(dict.fromkeys(w for line in words for w in line))
    numbers = {word: k for k, word in enumerate(vocabulary.words)}
    tokens = [n for line in words for n in (0, *(numbers[w] for w in line), 1)]
    return kneser_ney(np.array(tokens), vocabulary)


def p(model: NGrams | ExpectedText, words: tuple[str, ...], *told: str) -> float:
    numbers = [words.index(word) for word in told]
    first = numbers[-3] if len(numbers) > 2 else -1
    context = model.context(np.array([first]), np.array([numbers[-2]]))
    return float(np.exp(model.follow(context, np.array([numbers[-1]]))[0][0]))


def everything_after(model: NGrams | ExpectedText, first: int, second: int) -> float:
    every = np.arange(model.count)
    context = model.context(np.full(model.count, first), np.full(model.count, second))
    scores, _ = model.follow(context, every)
    return float(np.exp(scores).sum())


def test_each_history_has_a_whole_probability(counted: NGrams) -> None:
    smaller = pruned(counted, 12, 5)
    assert len(smaller.bigrams) <= 14
    for model in (counted, smaller):
        for second in range(model.count):
            if second != 1:
                assert everything_after(model, -1, second) == pytest.approx(1, abs=1e-6)
                assert everything_after(model, 0, second) == pytest.approx(1, abs=1e-6)


def test_a_probability_by_hand(counted: NGrams) -> None:
    """After "the": cat 3 times, dog, end, day. Of the different words before each: "cat" 1, "dog" 2
    (a, the) ... so a bigram of "the cat" counts the words before "the": <s>, on, of."""
    words = counted.words
    assert p(counted, words, "the", "cat") > p(counted, words, "the", "dog")
    assert p(counted, words, "<s>", "the") > 0.5
    assert p(counted, words, "the", "cat", "sat") > p(counted, words, "the", "cat", "day")
    assert p(counted, words, "sat", "on") > p(counted, words, "cat", "on")


def test_a_model_is_read_as_it_was_written(counted: NGrams, tmp_path: Path) -> None:
    save_ngrams(counted, tmp_path / "model.safetensors")
    read = load_ngrams(tmp_path / "model.safetensors")
    assert read.words == counted.words
    assert read.pronunciations == counted.pronunciations
    assert (read.bigrams == counted.bigrams).all()
    assert (read.trigrams == counted.trigrams).all()
    every = np.arange(counted.count)
    for second in every:
        given = (np.full(len(every), 0), np.full(len(every), second), every)
        assert read.scores(*given) == pytest.approx(counted.scores(*given), abs=0.12)


def test_the_model_that_ships_knows_english() -> None:
    model = load_ngrams()
    assert p(model, model.words, "of", "the") > 30 * p(model, model.words, "the", "of")
    assert p(model, model.words, "one", "of", "the") > p(model, model.words, "of", "the")
    for second in ("the", "<s>", "internet"):
        number = model.words.index(second)
        assert everything_after(model, -1, number) == pytest.approx(1, abs=0.05)
    assert len(model.pronunciations) == len(model.pronounced)


def test_a_context_is_the_words_that_led_to_it(counted: NGrams) -> None:
    text = [counted.words.index(word) for word in ("a", "dog", "ran")]
    first, second, word = np.indices((counted.count,) * 3).reshape(3, -1)
    for model in (counted, pruned(counted, 12, 5), ExpectedText(counted, text, counted.count)):
        _, then = model.follow(model.context(np.full(len(first), -1), first), second)
        told = model.follow(model.context(first, second), word)[0]
        assert model.follow(then, word)[0] == pytest.approx(told, abs=1e-6)


def test_an_expected_text_is_followed_left_and_found_again(counted: NGrams) -> None:
    words = (*counted.words, "zebra")
    text = [words.index(w) for w in ("a", "zebra", "ran")]
    model = ExpectedText(counted, text, len(words))
    assert p(model, words, "a", "zebra") > 0.6
    assert p(model, words, "<s>", "a", "zebra") > 0.8
    assert p(model, words, "a", "ran") > 10 * p(model, words, "a", "day")  # a word was left out
    assert p(model, words, "the", "zebra") > 0.05  # back in the text
    assert p(model, words, "a", "dog") > 1e-3  # another word
    assert p(model, words, "a", "dog", "ran") > 0.4  # and on behind it
    for second in range(counted.count):
        if second != 1:
            total = everything_after(model, -1, second)
            assert total == pytest.approx(1, abs=0.06)
    assert np.exp(model.unigram()).sum() == pytest.approx(1, abs=1e-3)


def test_sentences_as_they_are_spoken() -> None:
    said = list(sentences("“Mr. Dorian-Gray’s here,” he said. In 1890? Yes: we'll go—now!"))
    assert said == [
        ["mister", "dorian", "gray's", "here", "he", "said"],
        ["yes"],
        ["we'll", "go"],
        ["now"],
    ]


@pytest.mark.slow
def test_the_command_trains_a_model_without_known_sentences(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = tmp_path / "text.txt"
    told = "the quick brown fox was on the hill"
    text.write_text(f"The cat sat. The cat ran.\n{told.capitalize()}.\n" * 3, encoding="utf-8")
    (tmp_path / "known.txt").write_text(f"{told.upper()}\n", encoding="utf-8")
    out = tmp_path / "model.safetensors"
    arguments = [str(text), "--out", str(out)]
    assert train_words.main(arguments) == 0
    assert "fox" in load_ngrams(out).words
    other = tmp_path / "other.safetensors"
    arguments[-1] = str(other)
    assert train_words.main([*arguments, "--without", str(tmp_path / "known.txt")]) == 0
    assert set(load_ngrams(other).words) == {"<s>", "</s>", "<unk>", "the", "cat", "sat", "ran"}
    assert "sentences" in capsys.readouterr().out
    (tmp_path / "empty.txt").write_text("", encoding="utf-8")
    assert train_words.main([str(tmp_path / "empty.txt"), "--out", str(out)]) == 1
