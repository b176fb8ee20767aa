"""A given text is edited before its words have times: what is typed is made when these come."""

import threading
from itertools import pairwise

from starlette.testclient import TestClient

from a3t.projects import document
from a3t.projects.store.recordings import Places
from a3t.projects.store.words import IDS, HeardWords, Token, waiting_tokens
from alignment import Word
from app.studio.word_corrections import Correction
from app.studio.work.listening import _place, read_text
from tests.app.studio.conftest import Project, change
from tests.conftest import ARCTIC

SCORE = 4
TEXT = "ANNA: On May 3, 1987 we met.\nBEN: Well-known, isn't it? It cost $5.20 [laughs] at most."


def test_changes_of_words_without_times_are_made_when_they_come(
    client: TestClient, upload: str, may_listen: threading.Event
) -> None:
    project = Project(client, {"upload": upload, "text": ARCTIC})
    state = project.until(lambda state: state["tokens"] and state["listening"]["missing"])
    assert [row[SCORE] for row in state["tokens"]] == [None] * len(ARCTIC.split())
    assert " ".join(row[1] for row in state["tokens"]) == ARCTIC
    ids = [row[0] for row in state["tokens"]]
    project.save(change(state, "always", "never"))
    project.correct({"after": ids[4], "tokens": [ids[5]], "right": ids[6], "text": "sea"})
    rename = project.set_words(speakers=[["ANN", [[ids[0], ids[-1]]]]])
    assert rename["refused"] == [1]
    waiting = project.state
    assert len(waiting["corrections"]) == 1 and not waiting["failures"]
    assert [*waiting["takes"].values()] == [[]]
    may_listen.set()
    project.made()
    state = project.until(lambda state: not state["corrections"])
    assert not state["failures"] and all(row[SCORE] for row in state["tokens"])
    after = [row[0] for row in state["tokens"]]
    assert (after[:5], after[6:]) == (ids[:5], ids[6:]) and after[5] not in ids
    assert state["tokens"][5][1] == "sea" and state["edits"][0]["text"] == "never"


def test_ids_of_a_given_text_do_not_depend_on_its_pieces() -> None:
    def waiting(places: Places) -> list[Token]:
        pairs = zip(places.first_ids, places.places, strict=True)
        return [t for first, each in pairs for t in waiting_tokens(each.transcript, 0, 9, first)]

    whole = read_text(None, TEXT)  # type: ignore[arg-type]
    (text,) = (each.transcript for each in whole.places)
    starts = [k for k, word in enumerate(text.words) if word.token != text.words[k - 1].token]
    for count in (2, 3, 5):
        edges = [0, *starts[1 :: len(starts) // count], len(text.words)]
        pieces = Places(tuple(_place(text, 0, 9, *span) for span in pairwise(edges)))
        rows = [[(t.id, t.text, t.speaker) for t in waiting(each)] for each in (whole, pieces)]
        assert rows[0] == rows[1] and len(pieces.places) > 1


def test_a_correction_across_two_parts_leaves_none_of_their_words() -> None:
    def token(identity: int, text: str, start: float) -> Token:
        return Token(identity, text, (Word(text, start, start + 0.5, 0.9),), 0.0)

    first = HeardWords((token(0, "we", 0.0), token(1, "mat", 1.0)))
    second = HeardWords((token(IDS, "at", 2.0), token(IDS + 1, "noon", 3.0)))
    owners = {each.id: k for k, part in enumerate((first, second)) for each in part.tokens}
    wanted = document.Correction(0, (1, IDS), IDS + 1, "meet before")
    found = Correction.of(wanted, (*first.tokens, *second.tokens), (), owners)
    heard = HeardWords(tuple(token(k, each, k) for k, each in enumerate(found.text.split())))
    assert [each.text for each in found.among(first, heard, 7).tokens] == ["we", "meet", "before"]
    assert found.without(second).tokens == second.tokens[1:]
