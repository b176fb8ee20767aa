"""Words that are cut here and pasted there keep their recording."""

import io

import soundfile

from tests.app.studio.conftest import Project


def test_pasted_words_are_moved_and_another_take_is_made(project: Project) -> None:
    tokens = project.listened()["tokens"]
    ids = [token[0] for token in tokens]
    cut = {"after": -1, "tokens": ids[:6], "text": ""}
    pasted = {"after": ids[8], "tokens": [], "text": " ".join(token[1] for token in tokens[:6])}
    project.save(cut, pasted)
    made = project.made()
    key = next(edit["key"] for edit in made["edits"] if edit["text"])
    (take,) = made["takes"][key]
    assert take["recorded"] < tokens[1][2]
    assert take["seconds"] > 0.8 * (tokens[5][3] - tokens[0][2])
    files = project.files()
    (original, rate), (edited, _) = (
        soundfile.read(io.BytesIO(files[name]), dtype="int16")
        for name in ("talk.wav", "talk.edited.wav")
    )
    first = round(tokens[2][2] * rate)  # in the middle of what was moved, sample for sample
    assert original[first : first + rate // 10].tobytes() in edited.tobytes()
    project.post("takes", {"key": key})
    takes = project.until(lambda state: len(state["takes"][key]) > 1)["takes"][key]
    assert takes[1]["recorded"] is None
