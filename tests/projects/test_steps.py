"""Every kind of step, taken back and again, with a reload anywhere between."""

import json
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from a3t.plan.request import Cut
from a3t.projects.document import Change, Correction, Document, Step, WordFields
from a3t.projects.store.record_files import write_json
from a3t.projects.store.words import HeardWords, Marks, Token, with_fields, with_speakers
from alignment import Phone, Word

WORDS = "and you always want to see it".split()
SECONDS = 4.0


def spoken(k: int, text: str) -> Token:
    """A word of 0.4 s, 0.1 s after the one before it."""
    start = 0.5 * k
    phones = tuple(Phone("AH0", start + 0.2 * n, start + 0.2 * (n + 1)) for n in range(2))
    word = Word(text, start, start + 0.4, 1.0, phones)
    return Token(k, f"{text.title()}.", (word,), True, unmarked=Marks(text, False))


class Project:
    """A document and its words, in files; corrections change the written words alone."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.n = folder, 0
        self.document = Document()
        self.words = HeardWords(tuple(spoken(k, text) for k, text in enumerate(WORDS)))

    def take(self, step: Step) -> None:
        self.n += 1
        self.document = self.document.merged([replace(step, n=self.n)], "page", self._set_words)
        for waiting in self.document.corrections:
            self.document = self.document.without(waiting)
            at = waiting.after + 1
            tokens = [*self.words.tokens]
            tokens[at] = replace(tokens[at], text=waiting.text)
            self.words = replace(self.words, tokens=tuple(with_speakers(tokens, {})))

    def _set_words(self, document: Document, step: Step) -> Step:
        if step.now is not None:
            tokens = with_fields(self.words.tokens, step.now, SECONDS)
            self.words = replace(self.words, tokens=tuple(tokens))
        return step

    def reload(self) -> None:
        write_json(self.folder / "script.json", self.document.to_json())
        write_json(self.folder / "words.json", self.words.to_json())
        before = self.document, self.words
        self.document = Document.read(self.folder / "script.json")
        self.words = HeardWords.read(self.folder / "words.json")
        assert (self.document, self.words) == before

    @property
    def state(self) -> tuple[object, ...]:
        """What is to come back: times to a nanosecond, as words are scaled there and back."""
        written = [token.to_json() for token in self.words.tokens]
        rounded = json.loads(json.dumps(written), parse_float=lambda x: round(float(x), 9))
        return sorted(change.key for change in self.document.changes), rounded


def step_of(project: Project, kind: str, k: int) -> Step:
    """A step of this kind at word ``k`` of the project."""
    token = project.words.tokens[k]
    label = kind
    match kind:
        case "change":
            return Step(come=(Change(k - 1, (k,), f"word {project.n}"),), label=label)
        case "cut":
            cut = Cut("pause", "cut", 0.5 * k + 0.4, 0.5 * k + 0.45)
            return Step(come=(Change(k, (), "", cut=cut),), label=label)
        case "accept" if project.document.changes:
            change = project.document.changes[-1]
            other = replace(change, accepted=not change.accepted, take=project.n)
            return Step((change,), (other,), label=label)
        case "marks":
            marks = token.unmarked is None
            was, now = WordFields(marks=not marks), WordFields(marks=marks)
        case "times":
            was = WordFields(times=((k, token.start, token.end),))
            now = WordFields(times=((k, round(token.start + 0.01, 6), token.end),))
        case "speakers":
            was = WordFields(speakers=((token.speaker, ((k, k),)),))
            now = WordFields(speakers=((f"BOB {'AN'[project.n % 2]}", ((k, k),)),))
        case _:
            said = Correction(k - 1, (k,), k + 1, f"said {project.n}", was=token.said)
            return Step(correct=(said,), label=label)
    return Step(was=was, now=now, label=label)


KINDS = ["change", "cut", "accept", "marks", "times", "speakers", "correct"]
EACH = st.tuples(st.sampled_from([*KINDS, "undo", "redo", "reload"]), st.integers(0, 6))


@given(st.lists(EACH, max_size=14))
def test_whatever_is_done_is_taken_back_and_comes_again(done: list[tuple[str, int]]) -> None:
    with TemporaryDirectory() as folder:
        project = Project(Path(folder))
        first = project.state
        for kind, k in done:
            if kind in KINDS:
                project.take(step_of(project, kind, k))
            elif kind == "undo" and project.document.done:
                project.take(Step(undo=project.document.done[-1].name))
            elif kind == "redo" and project.document.undone:
                project.take(Step(redo=project.document.undone[-1].name))
            else:
                project.reload()
        last, ahead = project.state, len(project.document.undone)
        project.reload()
        while project.document.done:
            project.take(Step(undo=project.document.done[-1].name))
            project.reload()
        assert project.state == first
        while len(project.document.undone) > ahead:
            project.take(Step(redo=project.document.undone[-1].name))
        assert project.state == last


@pytest.mark.parametrize("kind", KINDS)
def test_a_step_of_each_kind_is_in_the_history(kind: str, tmp_path: Path) -> None:
    project = Project(tmp_path)
    project.take(step_of(project, "change", 5))
    project.take(step_of(project, kind, 2))
    assert [step.label for step in project.document.done] == ["change", kind]


def test_capitals_become_sentences_and_come_back() -> None:
    said = "“WHO IS IT?” I SAID. THE FBI'S ZOË, I'M SURE, TOLD US OF NASA'S TV. NO".split()
    tokens = [replace(spoken(k, "x"), text=text) for k, text in enumerate(said)]
    tokens = with_speakers(tokens, dict.fromkeys(range(len(said) - 1), "ANN"))
    written = with_fields(tokens, WordFields(capitals=False), SECONDS)
    assert " ".join(token.text for token in written) == (
        "ANN: “Who is it?” I said. The FBI's zoë, I'm sure, told us of NASA's TV. No"
    )
    assert with_fields(written, WordFields(capitals=True), SECONDS) == tokens
