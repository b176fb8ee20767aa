"""Marks and capitals for a transcript that has none; its words stay what they are."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from functools import cache
from itertools import accumulate
from pathlib import Path

import torch
from torch import nn

from a3t.errors import InputError
from a3t.text.normaliser.vocabulary import OWN_FORMS
from a3t.text.punctuation.network import PunctuationNetwork, build, predict
from a3t.text.punctuation.words_and_tags import (
    CASES,
    MARK_OF,
    PIECE,
    TAGS,
    Vocabulary,
    pause_length,
    pieces,
)
from a3t.text.transcript import Transcript, spoken_words

NAME = "punctuation"  # of the shipped model
LONGEST = 200_000  # words; more than a day of speech

# What isn't speech stands in brackets ([Music], <i>) and is passed over; lengths are bounded so
# that an unclosed bracket isn't searched for to the end of the text.
_PARTS = re.compile(r"\[[^\[\]]{0,80}\]|<[^<>]{0,80}>|\([^()]{0,80}\)|[^\s\[<(]+|[\[<(]")
_ENDS = ("PERIOD", "QUESTION")


def with_punctuation(
    text: Transcript, pauses: Sequence[float | None] = (), network: nn.Module | None = None
) -> Transcript:
    """Return the transcript with marks and capitals, and exactly its spoken words.

    pauses: the seconds of silence after each spoken word, None if unknown; they help to find the
    marks. network: another than the shipped one.
    """
    if not 0 < len(text.words) <= LONGEST:
        return text
    return text.written_as(punctuated(text.text, _of_pieces(text, pauses), network))


def punctuated(
    text: str, pauses: Sequence[float | None] = (), network: nn.Module | None = None
) -> str:
    """Add marks and capitals to a text wherever its spoken words stay as they are.

    pauses: seconds after each piece (`a3t.text.punctuation.words_and_tags.pieces`) of the text, or
    nothing at all. Marks and capitals that the text has stay.
    """
    if not any(map(str.islower, text)):
        text = text.lower()
    spans = [part.span() for part in _PARTS.finditer(text)]
    words = [[] if text[a] in "[<(" else pieces(text[a:b]) for a, b in spans]
    flat = [piece for token in words for piece in token]
    if not flat:
        return text
    lengths = None
    if len(pauses) == len(flat):
        lengths = [pause_length(seconds) for seconds in pauses]
    tags, cases = predict(network or shipped(), flat, lengths)
    tags[-1, [TAGS.index(tag) for tag in TAGS if tag not in _ENDS]] = -1.0  # the text ends here
    tag_of, case_of = tags.argmax(-1).tolist(), cases.argmax(-1).tolist()
    sentences: list[str] = []
    sentence: list[tuple[str, str, str]] = []  # as written, with its mark, and with its capitals
    place = end = 0
    begins = True
    for k, (token, (a, b)) in enumerate(zip(words, spans, strict=True)):
        space, written, mark, capitalised = text[end:a], text[a:b], "", text[a:b]
        end = b
        if token:
            last = place + len(token) - 1
            capitalised = _capitalised(written, begins, CASES[case_of[place]], token[0])
            tag = TAGS[tag_of[last]]
            mark = MARK_OF[tag] if written[-1:].isalnum() else ""
            place, begins = last + 1, tag in _ENDS
        sentence.append((space + written, space + written + mark, space + capitalised + mark))
        if token and begins:
            follows = text[slice(*spans[k + 1])] if k + 1 < len(spans) else ""
            sentences.append(_said_alike(sentence, follows))
            sentence = []
    return "".join([*sentences, *(capitalised for _, _, capitalised in sentence), text[end:]])


def _capitalised(token: str, begins: bool, case: str, piece: str) -> str:
    """Return a token with the capitals that it should have, and those that it has.

    Only its first letter is made one, and only where it begins with it: not 25th, @anna, x.org;
    after Mc and O' the next one too.
    """
    bare = token.strip("\"'“”‘’([{.,;:!?…)]}")
    if own := OWN_FORMS.get(bare.lower()):
        return token.replace(bare, own)
    if not bare[:1].isalpha() or re.search(r"[@/\\]|\w\.\w{2}", bare):
        return token
    if any(map(str.isupper, bare[1:])) and not bare[0].isupper():
        return token  # a form of its own: iDrive
    if case == "capitals" and not begins and not any(map(str.isdigit, bare)):
        return token.upper()
    if begins or case != "lower" or piece == "i" or piece.startswith("i'"):
        token = re.sub(r"[^\W\d_]", lambda letter: letter[0].upper(), token, count=1)
        name = r"\b(Mc|O['’](?!clock))([a-z])(?=[a-z]{3})"
        return re.sub(name, lambda found: found[1] + found[2].upper(), token)
    return token


def _said_alike(sentence: Sequence[tuple[str, str, str]], follows: str) -> str:
    """Add marks and capitals to a sentence as far as it is read as it was.

    "no" and "5" aren't "No. 5", and "nhs", which is one word, isn't "NHS".
    """
    plain, marked, full = zip(*sentence, strict=True)
    due = spoken_words(f"{''.join(plain)} {follows}")
    after = _capitalised(follows, True, "lower", "")
    careful = [""]
    for only, new, after_it in zip(marked, full, (*full[1:], ""), strict=True):
        beside = (f"{careful[-1]}{only}{after_it}", f"{careful[-1]}{new}{after_it}")
        careful.append(new if spoken_words(beside[0]) == spoken_words(beside[1]) else only)
    for attempt in (full, careful, marked):
        if spoken_words(f"{''.join(attempt)} {after}") == due:
            return "".join(attempt)
    return "".join(plain)


def _of_pieces(text: Transcript, pauses: Sequence[float | None]) -> list[float | None]:
    """Return the pauses after each piece of the written text, from those of spoken words."""
    if len(pauses) != len(text.words):
        return []
    sizes = [0, *accumulate(not sign.isspace() for sign in text.text)]  # up to each place
    result: list[float | None] = []
    ends: list[int] = []  # of the pieces
    for part in _PARTS.finditer(text.text):
        for piece in PIECE.finditer("" if part[0][0] in "[<(" else part[0]):
            result.append(0.0)
            ends.append(sizes[part.start() + piece.end()])
    begin = end = 0
    for k, word in enumerate(text.words):
        if k == 0 or word.token != text.words[k - 1].token:
            begin, end = end, end + len("".join(word.written.split()))
        last = bisect_right(ends, end) - 1
        if last >= 0 and ends[last] > begin:  # else it stands in brackets
            result[last] = pauses[k]
    return result


@cache
def shipped() -> PunctuationNetwork:
    """Load the model that comes with the package."""
    return load(NAME)


@torch.random.fork_rng(devices=[])
def load(name_or_path: str | Path) -> PunctuationNetwork:
    """Load a shipped model by name, or one of a folder; raise InputError if it can't be used."""
    from a3t.pretrained import check_sizes, load_checkpoint

    config, tensors, _ = load_checkpoint(name_or_path)
    try:
        words = bytes(tensors.pop("vocabulary").tolist()).decode("utf-8").split("\n")
        vocabulary = Vocabulary(tuple(words), int(config["buckets"]))
        for part in ("encoder", "ffa"):
            check_sizes(config[part], Path(name_or_path))
        network = build(config, vocabulary)
        network.load_state_dict({key: tensor.float() for key, tensor in tensors.items()})
    except (KeyError, TypeError, ValueError, RuntimeError, AttributeError) as error:
        first = (str(error) or repr(error)).splitlines()[0]
        raise InputError(
            f"The model {str(name_or_path)!r} isn't one for punctuation: {first}"
        ) from None
    return network.eval()
