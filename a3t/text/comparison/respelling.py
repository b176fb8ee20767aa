"""Changes that make no sound: spellings, such as colour and color, and readings by a new context.

A reading depends on what stands around: a text all in capitals has no initials, "ANNA:" begins a
line or is a heading, "St." is a street or a saint. A change must not reach the words beyond it,
which have been spoken. So what a text settles as a whole, the old one settles for the words that
both have, and a word whose neighbours are the same is read as it was.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby

from a3t.spans import Span
from a3t.text.comparison.edit_script import WordEdit, minimal_script
from a3t.text.normaliser.normalise import Conventions
from a3t.text.normaliser.numbers import MONTHS, cardinal, ordinal
from a3t.text.pronunciation.homographs import FUNCTION_WORDS, is_homograph
from a3t.text.pronunciation.lexicon import in_lexicon, lookup
from a3t.text.transcript import Transcript, TranscriptWord, conventions_of
from alignment.arpabet import strip_stress

_MOST = 6  # words on either side that are compared as one
_PASSES = 4  # a pass brings the texts nearer, which may line them up anew; few texts need two
# British endings and their American ones, with the letters that must stand before them.
_ENDINGS = tuple(
    (re.compile(british), american)
    for british, american in (
        (r"(?<=...)our(?=$|s$|ed$|ing$|ful|able$|ite|hood)", "or"),
        (r"(?<=...)is(?=e$|es$|ed$|ing$|er$|ers$|ation)", "iz"),
        (r"(?<=...)ys(?=e$|es$|ed$|ing$|er$)", "yz"),
        (r"(?<=..[bt])re$", "er"),
        (r"(?<=..[bt])res$", "ers"),
        (r"(?<=..)ogue(?=$|s$)", "og"),
        (r"(?<=..)ll(?=ed$|ing$|er$|ers$)", "l"),
        (r"(?<=..)ence(?=$|s$)", "ense"),
        (r"(?<=..)mme(?=$|s$)", "m"),
    )
)
_AMERICAN = {
    "grey": "gray", "greys": "grays", "tyre": "tire", "tyres": "tires", "plough": "plow",
    "cheque": "check", "cheques": "checks", "kerb": "curb", "sceptical": "skeptical",
    "mould": "mold", "jewellery": "jewelry", "pyjamas": "pajamas", "judgement": "judgment",
    "practise": "practice", "practised": "practiced", "storey": "story", "cosy": "cozy",
    "anaemia": "anemia", "encyclopaedia": "encyclopedia", "okay": "ok",
}  # fmt: skip
_BEFORE_AND = frozenset("hundred thousand million billion".split())
_AFTER_AND = frozenset(
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
    "sixteen seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety "
    "first second third".split()
)
_SMALL = {cardinal(n): n for n in (*range(1, 20), *range(20, 100, 10))}
_SCALES = {"thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12}
_DAYS = {ordinal(n): n for n in range(1, 32)}
_DATES = frozenset([*MONTHS, *(day.split()[0] for day in _DAYS), "the"])
NUMBER_WORDS = frozenset([*_SMALL, *_SCALES, "hundred"])
_TELLING = NUMBER_WORDS | _DAYS.keys() | {"half"}
_LONGEST = 20  # words of one number
_BESIDE = 2  # written tokens on either side that a reading may depend on
_MARKS = ".,;:!?…—–-\"'“”‘’()[]*_"


def respelled(old: Transcript, new: Transcript) -> Transcript:
    """Return the new text with the old one's words wherever only their spelling differs.

    So nothing is synthesised there: the words are the old ones, their written tokens the new ones.
    Two texts that are said alike give the old words throughout, and a result is its own result, so
    a plan that is read back finds the edits that it was saved with.
    """
    new = with_old_words(old, new, same_figures(old, new))
    for _ in range(_PASSES):
        same = _alike(old, new)
        if not same:
            break
        new = with_old_words(old, new, same)
    return new


def with_old_words(old: Transcript, new: Transcript, same: Sequence[WordEdit]) -> Transcript:
    """Return the new text with words of the old one in place of its own in the ``same`` ranges."""
    words: list[TranscriptWord] = []
    places: list[int] = []  # where each new word, and the end, has gone
    token = -1
    position = 0
    for edit in [*same, WordEdit("insert", (0, 0), (len(new.words), len(new.words)))]:
        for k in range(position, edit.new[0]):
            begins = k == 0 or new.words[k].token != new.words[k - 1].token
            token += begins or token < 0
            places.append(len(words))
            words.append(new.words[k].in_token(token))
        if edit.new[0] == len(new.words):
            break
        places += [len(words)] * (edit.new[1] - edit.new[0])
        inside = _starts_inside_token(new, edit.new[0])
        token += not inside
        last = new.words[edit.new[1] - 1]
        written = new.written(*edit.new)
        if inside:
            written = new.words[edit.new[0]].written
        for k in range(*edit.old):
            pause = last.pause_after and k == edit.old[1] - 1
            words.append(TranscriptWord(old.words[k].text, written, pause, token, last.speaker))
        position = edit.new[1]
    places.append(len(words))
    return Transcript(
        new.text,
        tuple(words),
        tuple((places[k], seconds) for k, seconds in new.pauses),
        frozenset(places[k] for k in new.emphasis),
    )


def _starts_inside_token(text: Transcript, index: int) -> bool:
    return index > 0 and text.words[index].token == text.words[index - 1].token


def _alike(old: Transcript, new: Transcript) -> list[WordEdit]:
    """Return the ranges, in order, where the words differ and the sound doesn't."""
    a, b = old.spoken, new.spoken
    found: list[WordEdit] = []
    old_keys, new_keys = [american(word) for word in a], [american(word) for word in b]
    position = shift = 0
    ends = WordEdit("insert", (len(a), len(a)), (len(b), len(b)))
    for edit in [*minimal_script(old_keys, new_keys), ends]:
        for k in range(position, edit.old[0]):  # kept words, perhaps spelt otherwise
            if a[k] != b[k + shift]:
                found.append(WordEdit("replace", (k, k + 1), (k + shift, k + shift + 1)))
        found += _alike_within(old, new, edit)
        position, shift = edit.old[1], edit.new[1] - edit.old[1]
    return found


def _alike_within(old: Transcript, new: Transcript, edit: WordEdit) -> list[WordEdit]:
    """Return the parts of an edit, from its ends inwards, that sound alike."""
    found: list[WordEdit] = []
    (i, i_end), (j, j_end) = edit.old, edit.new
    while sizes := _alike_at(old, new, (i, i_end), (j, j_end)):
        found.append(WordEdit("replace", (i, i + sizes[0]), (j, j + sizes[1])))
        i, j = i + sizes[0], j + sizes[1]
    after: list[WordEdit] = []
    while sizes := _alike_at(old, new, (i, i_end), (j, j_end), from_end=True):
        i_end, j_end = i_end - sizes[0], j_end - sizes[1]
        after.append(WordEdit("replace", (i_end, i_end + sizes[0]), (j_end, j_end + sizes[1])))
    if (i, j) == (i_end, j_end):
        return found + after[::-1]
    extra = _spoken_and(old, new, (i, i_end), (j, j_end))
    return found + ([extra] if extra else []) + after[::-1]


def _alike_at(
    old: Transcript,
    new: Transcript,
    old_range: Span,
    new_range: Span,
    from_end: bool = False,
) -> tuple[int, int] | None:
    """Return how many words of each sound alike at this end of the ranges; None if none do."""
    most_old = min(_MOST, old_range[1] - old_range[0])
    most_new = min(_MOST, new_range[1] - new_range[0])
    sizes = sorted(
        ((p, q) for p in range(1, most_old + 1) for q in range(1, most_new + 1)),
        key=lambda pair: pair[0] + pair[1],
    )
    for p, q in sizes:
        i = old_range[1] - p if from_end else old_range[0]
        j = new_range[1] - q if from_end else new_range[0]
        if _written_alike(old, (i, i + p), new, (j, j + q)) or (
            sounds_alike(old.spoken[i : i + p], new.spoken[j : j + q])
        ):
            return p, q
    return None


def _spoken_and(
    old: Transcript, new: Transcript, old_range: Span, new_range: Span
) -> WordEdit | None:
    """Find "one hundred (and) five": the word before takes the "and" along, or goes without it."""
    (i, i_end), (j, j_end) = old_range, new_range
    gone, come = old.spoken[i:i_end], new.spoken[j:j_end]
    if (gone, come) not in (((), ("and",)), (("and",), ())) or i == 0 or j == 0:
        return None
    following = old.spoken[i_end : i_end + 1]
    if old.spoken[i - 1] in _BEFORE_AND and following and following[0] in _AFTER_AND:
        return WordEdit("replace", (i - 1, i_end), (j - 1, j_end))
    return None


def _written_alike(old: Transcript, old_range: Span, new: Transcript, new_range: Span) -> bool:
    """Return whether whole tokens differ only in capitals, hyphens, spaces and punctuation."""
    for text, (first, last) in ((old, old_range), (new, new_range)):
        if _starts_inside_token(text, first) or (
            last < len(text.words) and _starts_inside_token(text, last)
        ):
            return False
    written = [old.written(*old_range), new.written(*new_range)]
    if written[0] == written[1]:
        return False  # read otherwise because of what stands beside it
    keys = ["".join(filter(str.isalnum, each.casefold())) for each in written]
    # "1.5" and "15" are different numbers; "$5" and "5" are different amounts.
    return keys[0] == keys[1] and keys[0].isalpha()


def american(word: str) -> str:
    """Return a word's American spelling, if that is a word of its own: colour -> color."""
    if word in _AMERICAN:
        return _AMERICAN[word]
    for british, ending in _ENDINGS:
        changed = british.sub(ending, word)
        if changed != word and in_lexicon(changed) and _may_be_said_as(word, changed):
            return changed
    return word


def _may_be_said_as(word: str, changed: str) -> bool:
    """Return whether the lexicon has nothing against it: "filled" is no spelling of "filed"."""
    ways = {tuple(map(strip_stress, phones)) for phones in lookup(word)}
    return not ways or bool(ways & {tuple(map(strip_stress, way)) for way in lookup(changed)})


def sounds_alike(a: Sequence[str], b: Sequence[str]) -> bool:
    """Return whether words are said alike in a row, stress aside: per cent, percent.

    Words whose sound depends on their neighbours ("to", "read") are like nothing but themselves.
    """
    first, second = _sound(a), _sound(b)
    return first is not None and first == second


def _sound(words: Sequence[str]) -> tuple[str, ...] | None:
    phones: list[str] = []
    for word in words:
        ways = lookup(word)
        if not ways or word in FUNCTION_WORDS or word == "a" or is_homograph(word, ways):
            return None
        phones += map(strip_stress, ways[0])
    return tuple(phones)


def same_figures(old: Transcript, new: Transcript) -> list[WordEdit]:
    """Return the ranges, in order, that say the same number or date in other words."""
    if _TELLING.isdisjoint(old.spoken):
        return []
    (old_keys, old_spans), (new_keys, new_spans) = _units(old), _units(new)
    same: list[WordEdit] = []
    i = j = 0
    ends = WordEdit("insert", (len(old_keys),) * 2, (len(new_keys),) * 2)
    for edit in [*minimal_script(old_keys, new_keys), ends]:
        for first, last in zip(old_spans[i : edit.old[0]], new_spans[j : edit.new[0]], strict=True):
            if old.spoken[slice(*first)] != new.spoken[slice(*last)]:
                same.append(WordEdit("replace", first, last))
        i, j = edit.old[1], edit.new[1]
    return same


def value(words: Sequence[str]) -> int | None:
    """Return the number that words say, as a count or a year; None if they say no single one."""
    words = [word for k, word in enumerate(words) if word != "and" or k in (0, len(words) - 1)]
    if (year := _year(words)) is not None:
        return year
    total, size = 0, 10**15
    while words:
        place = next((k for k, word in enumerate(words) if word in _SCALES), len(words))
        group, scale = _group(words[:place]), _SCALES[words[place]] if place < len(words) else 1
        if not group or scale >= size:
            return None
        total, size, words = total + group * scale, scale, words[place + 1 :]
    return total or None


def _group(words: Sequence[str]) -> int | None:
    """Return 1312 for thirteen hundred twelve; None above 9999."""
    if "hundred" in words:
        place = [*words].index("hundred")
        above, below = _below_hundred(words[:place]), _below_hundred(words[place + 1 :])
        rest = place + 1 == len(words)
        return 100 * above + (below or 0) if above and (below or rest) else None
    return _below_hundred(words)


def _below_hundred(words: Sequence[str]) -> int | None:
    values = [_SMALL.get(word, 0) for word in words]
    if len(values) == 1:
        return values[0] or None
    two = len(values) == 2 and values[0] >= 20 and 0 < values[1] < 10
    return sum(values) if two else None


def _year(words: Sequence[str]) -> int | None:
    """Return 1984 for nineteen eighty four, 2005 for twenty oh five."""
    for place in (1, 2):
        century, rest = _below_hundred(words[:place]), [*words[place:]]
        years = _below_hundred(rest[1:] if rest[:1] == ["oh"] else rest)
        if century and years and century >= 10 and (years < 10) == (rest[0] == "oh"):
            return 100 * century + years
    return None


def _units(text: Transcript) -> tuple[list[str], list[Span]]:
    """Return the key of each number, date and other word, and where it stands."""
    keys: list[str] = []
    spans: list[Span] = []
    for key, span in _found(text):
        keys.append(key)
        spans.append(span)
    return keys, spans


def _found(text: Transcript) -> Iterator[tuple[str, Span]]:
    words, place = text.spoken, 0
    while place < len(words):
        half = ("half", place + 2) if words[place : place + 2] == ("one", "half") else None
        found = half or _date(text, place) or _number(text, place)
        key, last = found or (words[place], place + 1)
        yield key, (place, last)
        place = last


def _number(text: Transcript, first: int) -> tuple[str, int] | None:
    last = first
    while last < min(len(text.words), first + _LONGEST) and (
        text.spoken[last] in NUMBER_WORDS or (text.spoken[last] in ("and", "oh") and last > first)
    ):
        last += 1
        if text.words[last - 1].pause_after:
            break
    while last > first and text.spoken[last - 1] in ("and", "oh"):
        last -= 1
    found = value(text.spoken[first:last]) if last > first + 1 else None
    return None if found is None else (f"number {found}", last)


def _date(text: Transcript, first: int) -> tuple[str, int] | None:
    """Return the date that begins at a word: the fifth of may, fifth may, may the fifth."""
    words = text.spoken[first : first + 5]
    if words[0] not in _DATES:
        return None
    for length in range(4, 1, -1):
        if any(word.pause_after for word in text.words[first : first + length - 1]):
            continue
        part = [word for word in words[:length] if word not in ("the", "of")]
        months, rest = [w for w in part if w in MONTHS], [w for w in part if w not in MONTHS]
        ends = words[:length][-1:] + words[:1]
        if len(months) == 1 and (day := _DAYS.get(" ".join(rest))) and "of" not in ends:
            whole = length == len(words) or words[length] not in _DAYS
            if whole and words[length - 1] != "the":
                return f"{months[0]} {day}", first + length
    return None


def with_kept_readings(old: Transcript, new: Transcript) -> Transcript:
    """Return the new text with the old one's words for the written tokens of the old one.

    Tokens beside a change are read again, by the old text's `Conventions`: two kilogram*s* for one.
    New tokens are read by the new text's own.
    """
    earlier, own = conventions_of(old.text), conventions_of(new.text)
    names = {**own.names, **earlier.names}
    if names != own.names:
        new = new.read_by(Conventions(own.capitals_mean, names))
    again = new
    if earlier.capitals_mean != own.capitals_mean:
        again = new.read_by(Conventions(earlier.capitals_mean, names))
    (old_keys, old_ranges), (new_keys, new_ranges) = _tokens(old), _tokens(new)
    _, again_ranges = _tokens(again)
    kept, sizes = _kept(old_keys, new_keys), (len(old_keys), len(new_keys))
    alike = len(again_ranges) == len(new_ranges)
    for source, ranges, chosen in (
        (again, again_ranges, {j: j for j in kept if alike}),
        (old, old_ranges, {j: i for j, i in kept.items() if _is_beside_kept(j, i, kept, *sizes)}),
    ):
        same = [
            WordEdit("replace", ranges[i], new_ranges[j])
            for j, i in chosen.items()
            if source.spoken[slice(*ranges[i])] != new.spoken[slice(*new_ranges[j])]
        ]
        if same:
            new = with_old_words(source, new, same)
            new_ranges = _tokens(new)[1]
    return new


def _tokens(text: Transcript) -> tuple[list[str], list[Span]]:
    """Return the writing of each token, marks and capitals aside, and its words."""
    keys, ranges = [], []
    for _, group in groupby(enumerate(text.words), lambda pair: pair[1].token):
        words = [*group]
        keys.append(words[0][1].written.strip(_MARKS).casefold())
        ranges.append((words[0][0], words[-1][0] + 1))
    return keys, ranges


def _kept(old: Sequence[str], new: Sequence[str]) -> dict[int, int]:
    """Return the new tokens that stand in the old text, and where."""
    kept: dict[int, int] = {}
    i = j = 0
    ends = WordEdit("insert", (len(old), len(old)), (len(new), len(new)))
    for edit in [*minimal_script(old, new), ends]:
        kept |= zip(range(j, edit.new[0]), range(i, edit.old[0]), strict=True)
        i, j = edit.old[1], edit.new[1]
    return kept


def _is_beside_kept(j: int, i: int, kept: dict[int, int], old: int, new: int) -> bool:
    """Return whether new token j has the neighbours of old token i; old, new: their numbers."""
    return all(
        kept.get(j + k) == i + k or not (0 <= i + k < old or 0 <= j + k < new)
        for k in range(-_BESIDE, _BESIDE + 1)
    )
