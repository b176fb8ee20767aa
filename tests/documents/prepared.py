"""The folder that the documents' examples begin with."""

import shutil
from pathlib import Path

import soundfile

from a3t.editor import Editor
from tests.audio.films import film
from tests.conftest import ARCTIC

TALK = "We meet on Monday at noon."
CHANGED = "We meet on Friday at noon."
TEXTS = {
    "with-the-new-paragraph.txt": CHANGED,
    "film.txt": TALK,
    "chapter.txt": "Good morning.",
    "token.txt": "a-secret-token",
    "edits.csv": f"wav,text,new_text,out\ntalk.wav,{TALK},{CHANGED},friday.wav\n",
}
FILES = {
    "talk.wav",
    "film.mp4",
    "talk.m4a",
    "second-take.wav",
    "retake.wav",
    "hello.wav",
    "guest.wav",
    *TEXTS,
}


def prepare(folder: Path, editor: Editor, example: Path) -> None:
    """Write FILES, and recordings with their texts in two sub-folders. The example's speaker says
    what the documents have it say."""
    talk = folder / "talk.wav"
    editor.tts(example, TALK, prompt_text=ARCTIC).save(talk)
    editor.tts(example, "Hello.", prompt_text=ARCTIC).save(folder / "hello.wav")
    editor.tts(example, CHANGED, prompt_text=ARCTIC).save(folder / "second-take.wav")
    shutil.copy(folder / "hello.wav", folder / "guest.wav")
    shutil.copy(folder / "second-take.wav", folder / "retake.wav")
    for path in folder.glob("*.json"):
        path.unlink()
    film(folder / "film.mp4", talk)
    film(folder / "talk.m4a", talk, picture=None)
    for name, text in TEXTS.items():
        (folder / name).write_text(text, encoding="utf-8")
    (folder / "demo").mkdir()
    shutil.copy(example, folder / "demo/arctic.wav")
    for name in ("my-recordings/one", "my-voices/anna"):
        (folder / name).parent.mkdir()
        shutil.copy(example, folder / f"{name}.wav")
        (folder / f"{name}.txt").write_text(ARCTIC, encoding="utf-8")
    assert all((folder / name).exists() for name in FILES)
    assert soundfile.info(talk).duration > 1
