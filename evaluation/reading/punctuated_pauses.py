"""Do new words pause as this speaker does, at each mark, and without a punctuated transcript?

    python -m evaluation.reading.punctuated_pauses CORPORA [--edits 100]

Recordings of half a minute are put together from neighbouring clips of a corpus with punctuated
texts and alignments (LJSpeech), whose sentences end at a clip's end and without the pause that the
reader made there: it is put back as silence, as long as the median of those within clips. In each,
single words become some with a mark among them: a comma, a full stop, a question mark, a colon, a
dash. The pauses that are planned there are compared with those of a plan that was given the
transcript as its writer punctuated it: without any punctuation, and with what is restored. Beside
them, for each mark, how long the speaker pauses at it in the whole corpus. Then F1 of the restored
marks, by words alone and with the pauses, and in what the recogniser writes.
"""

from __future__ import annotations

import random
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from pathlib import Path
from statistics import mean, median

import numpy as np
import soundfile

from a3t.editor import Editor
from a3t.grid import seconds_of
from a3t.plan.edit_plan import EditPlan
from a3t.text.punctuation.restoring import shipped
from a3t.text.punctuation.tags import TAGS, pause_length
from a3t.text.transcript import MARKS, Transcript
from alignment import Alignment
from alignment.result import Phone, Word, shift_word
from evaluation.harness.programs import program_parser
from training.text.pause_lengths import pauses_after, read_alignments
from training.text.punctuated_text import tagged
from training.text.punctuation_scores import OVERALL, scores, tags_of

CORPUS = "LJSpeech"
CLIPS = 4  # of a recording
BETWEEN = 0.3  # seconds of silence between two clips, which have 0.1 s at their ends
NEW = ("however, it", "indeed. And", "is it so? Perhaps", "as follows: it", "I mean — this")
_TAG_OF = {"": "O", ",": "COMMA", ":": "COMMA", "—": "COMMA", ".": "PERIOD", "?": "QUESTION"}

Recorded = tuple[Path, str, Alignment]  # sound, punctuated text, its alignment


def recordings(corpora: Path, folder: Path) -> Iterator[Recorded]:
    """Neighbouring clips put together, of those whose words are the alignment's."""
    clips = []
    for path, text, record in read_alignments(corpora):
        alignment = Alignment.from_json(dict(record))
        spoken = tuple(word.text for word in alignment.spoken)
        # A clip may end within a sentence; with a full stop there, nobody would pause as at one.
        if CORPUS in path and text.endswith((".", "?")) and spoken == tagged([text]).words:
            clips.append((path, text, alignment))
    clips.sort(key=lambda clip: clip[0])
    for first in range(0, len(clips) - CLIPS + 1, CLIPS):
        group = clips[first : first + CLIPS]
        samples, words, start = [], [], 0.0
        for path, _, alignment in group:
            sound, rate = soundfile.read(corpora / path, dtype="float32")
            silence = np.zeros(round(BETWEEN * rate), np.float32)
            samples += [sound, silence]
            words += [shift_word(word, start) for word in alignment.words]
            end = start + len(sound) / rate
            start = end + len(silence) / rate
            pause = words.pop().start if words[-1].is_pause else end
            words.append(Word("", pause, start, 1.0, (Phone("sp", pause, start, 1.0),)))
        out = folder / f"{first}.wav"
        soundfile.write(out, np.concatenate(samples), rate)
        yield out, " ".join(text for _, text, _ in group), Alignment(tuple(words), start)


def bare(text: str) -> str:
    """The text as a recogniser would write it."""
    return " ".join(tagged([text]).words)


def planned(plan: EditPlan) -> list[tuple[str, float]]:
    """The mark and the seconds of each pause among the new words."""
    found = []
    for edit in plan.edits:
        word = -1
        for phone in edit.phones:
            if phone.word < 0 <= word:
                found.append((plan.new_text.words[word].mark, seconds_of(phone.frames)))
            word = phone.word
    return found


def compare(
    editor: Editor, recording: Recorded, rng: random.Random
) -> Iterator[tuple[str, float, float, float]]:
    """For each new mark of some edits of a recording: the mark, and the planned seconds with the
    true punctuation, without any, and with what is restored; 0 for no pause."""
    path, text, alignment = recording
    tokens = text.split()
    for place, new in zip(rng.sample(range(3, len(tokens) - 3), len(NEW)), NEW, strict=True):
        mark = tokens[place][len(tokens[place].rstrip(",.;:?!")) :]
        new_text = " ".join([*tokens[:place], new + mark, *tokens[place + 1 :]])
        told = []
        for old, punctuate in ((text, False), (bare(text), False), (bare(text), True)):
            plan = editor.plan(
                path, new_text=new_text, text=old, alignment=alignment, punctuate=punctuate
            )
            kind = next(word.mark for word in Transcript.from_text(new).words if word.mark)
            told.append(dict(planned(plan)).get(kind, 0.0))
        yield kind, *told  # type: ignore[misc]


def habits(corpora: Path) -> dict[str, list[float]]:
    """Seconds of the pauses that the speaker makes at each mark within a clip."""
    found: dict[str, list[float]] = defaultdict(list)
    for path, text, record in read_alignments(corpora):
        spoken, pauses = pauses_after(record["words"])
        if CORPUS in path and spoken == list((words := Transcript.from_text(text)).spoken):
            for word, seconds in [*zip(words.words, pauses, strict=True)][:-1]:
                if word.mark:
                    found[word.mark].append(seconds)
    return found


def restoring(recorded: Sequence[Recorded]) -> None:
    """Print F1 of the restored marks."""
    texts = [(tagged([text]), alignment) for _, text, alignment in recorded]
    due = np.concatenate([text.tags for text, _ in texts])
    for name in ("words", "words and pauses"):
        found = []
        for text, alignment in texts:
            words = alignment.spoken
            pauses = [b.start - a.end for a, b in zip(words[:-1], words[1:], strict=True)]
            lengths = [*map(pause_length, pauses), 0] if name != "words" else None
            found.append(tags_of(shipped(), text, lengths)[0])
        score = scores(np.concatenate(found), due)
        marks = ", ".join(f"{tag.lower()} {score[tag].f1:.1f}" for tag in TAGS[1:])
        whole = score[OVERALL]
        print(
            f"{len(due):,} words, {int((due > 0).sum())} marks, F1 by {name}: {whole.f1:.1f} "
            f"(precision {whole.precision:.1f}, recall {whole.recall:.1f}; {marks})"
        )


def recognised(editor: Editor, recorded: Sequence[Recorded]) -> None:
    """Print F1 of the marks that are restored in what is recognised, beside the writer's.

    These go to the recognised words in the place of the writer's, as in IWSLT 2011's set.
    """
    found: list[int] = []
    due: list[int] = []
    wrong = words = 0
    for path, text, _ in recorded:
        said, marked = editor.transcribe(path), tagged([text])
        found += [TAGS.index(_TAG_OF[word.mark]) for word in said.words]
        own = [0] * len(said.words)
        script = SequenceMatcher(None, marked.words, said.spoken, autojunk=False).get_opcodes()
        for kind, a, b, c, d in script:
            for place in range(a, b):
                if mark := int(marked.tags[place]):
                    own[max(0, min(c + place - a, d - 1))] = mark
            wrong += 0 if kind == "equal" else max(b - a, d - c)
        due += own
        words += len(marked)
    score = scores(np.array(found), np.array(due))
    marks = ", ".join(f"{tag.lower()} {score[tag].f1:.1f}" for tag in TAGS[1:])
    whole = score[OVERALL]
    print(
        f"recognised, {len(due):,} words for {words:,}, {100 * wrong / words:.0f} % wrong: F1 "
        f"{whole.f1:.1f} (precision {whole.precision:.1f}, recall {whole.recall:.1f}; {marks})"
    )


def show(rows: Sequence[tuple[str, float, float, float]], own: dict[str, list[float]]) -> None:
    """Print the table of planned pauses, by `compare`; own: the speaker's, by `habits`."""
    print("| mark | edits | speaker's median | true | none | restored | none off | restored off |")
    print("|---|---|---|---|---|---|---|---|")
    for mark in (*MARKS, "all"):
        group = [times for name, *times in rows if mark in (name, "all")]
        if group:
            usual = f"{median(own[mark]):.2f} s of {len(own[mark])}" if own[mark] else "–"
            cells = [f"{mean(times[k] for times in group):.3f} s" for k in range(3)]
            cells += [f"{mean(abs(times[k] - times[0]) for times in group):.3f} s" for k in (1, 2)]
            print(f"| {mark} | {len(group)} | {usual} | {' | '.join(cells)} |", flush=True)


def main() -> None:
    """Plan the edits in three ways and print the differences."""
    parser = program_parser("reading.punctuated_pauses", __doc__, edits=100)
    parser.add_argument("corpora", type=Path)
    args = parser.parse_args()
    rng, editor = random.Random(1), Editor.load()
    rows: list[tuple[str, float, float, float]] = []
    with tempfile.TemporaryDirectory() as folder:
        recorded = list(recordings(args.corpora, Path(folder)))
        for recording in recorded * (1 + args.edits // max(1, len(recorded) * len(NEW))):
            if len(rows) < args.edits:
                rows += compare(editor, recording, rng)
        show(rows, habits(args.corpora))
        restoring(recorded)
        recognised(editor, recorded)


if __name__ == "__main__":
    main()
