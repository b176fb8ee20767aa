"""The listening test: blind and balanced pages, and what ratings say of known listeners."""

import base64
import io
import json
import re
from itertools import product
from pathlib import Path

import numpy as np
import pytest
import soundfile

from a3t.editor import Editor
from a3t.errors import InputError
from a3t.example import RECORDING
from a3t.grid import SAMPLE_RATE
from evaluation.listening.example_edits import ExampleEdit, write_page
from evaluation.listening.kit import make_test
from evaluation.listening.ratings import (
    FIELDS,
    Rating,
    compare_mos,
    holm,
    mean_opinions,
    read_ratings,
    results,
)
from training.corpora import Clip

SYSTEMS = ("A3T", "Baseline 1")


@pytest.fixture(scope="module")
def sounds(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sounds")
    for place, (system, task) in enumerate(product((*SYSTEMS, "recording"), range(4))):
        own = folder / system.lower().replace(" ", "-")
        own.mkdir(exist_ok=True)
        noise = np.random.default_rng(place).normal(0, 0.01 * (1 + place), SAMPLE_RATE // 10)
        soundfile.write(own / f"clip{task}.flac", np.clip(noise, -1, 1), SAMPLE_RATE)
    return folder


def data_of(page: Path) -> dict:
    found = re.search(r'type="application/json">(.*?)</script>', page.read_text(), re.S)
    assert found
    return json.loads(found.group(1))


def heard(sound: str) -> np.ndarray:
    """Return the samples of a sound within a page."""
    return soundfile.read(io.BytesIO(base64.b64decode(sound.partition(",")[2])))[0]


@pytest.mark.parametrize("kind", ["mos", "smos"])
def test_a_page_is_blind_and_holds_everything(sounds: Path, tmp_path: Path, kind: str) -> None:
    page = make_test(sounds, SYSTEMS, tmp_path, kind, tasks=4)
    text, data, key = (
        page.read_text(),
        data_of(page),
        json.loads((tmp_path / "key.json").read_text()),
    )
    assert "http" not in text.replace("http-equiv", "")
    written = re.sub(r"base64,[\w+/=]*", "", text)  # a sound can have any three letters
    for word in (*SYSTEMS, "clip0", "recording/"):
        assert word not in written
    assert len(data["trials"]) == len(key["trials"]) == 8
    assert [t["name"] for t in data["trials"]] == [t["name"] for t in key["trials"]]
    assert {len(t["sounds"]) for t in data["trials"]} == {{"mos": 1, "smos": 2}[kind]}
    again = make_test(sounds, SYSTEMS, tmp_path / "again", kind, tasks=4)
    names = [trial["name"] for trial in data["trials"]]
    assert [trial["name"] for trial in data_of(again)["trials"]] == names
    other = make_test(sounds, SYSTEMS, tmp_path / "other", kind, tasks=4, seed=1)
    assert data_of(other)["test"] != data["test"]


def test_all_sounds_have_one_level(sounds: Path, tmp_path: Path) -> None:
    levels = []
    for trial in data_of(make_test(sounds, SYSTEMS, tmp_path, tasks=4))["trials"]:
        samples = heard(trial["sounds"][0])
        levels.append(20 * np.log10(np.sqrt(np.square(samples).mean())))
    assert np.ptp(levels) < 1.5  # the codec's own doing


def test_what_is_missing_is_said(sounds: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no sounds of 'EditSpeech'"):
        make_test(sounds, ["EditSpeech"], tmp_path)


def test_a_key_is_not_lost_to_another_test(sounds: Path, tmp_path: Path) -> None:
    make_test(sounds, SYSTEMS, tmp_path, tasks=4)
    key = (tmp_path / "key.json").read_bytes()
    make_test(sounds, SYSTEMS, tmp_path, tasks=4)  # the same one
    for other in ({"kind": "smos"}, {"seed": 1}):
        with pytest.raises(InputError, match="another test"):
            make_test(sounds, SYSTEMS, tmp_path, **other)  # type: ignore[arg-type]
    assert (tmp_path / "key.json").read_bytes() == key and not (tmp_path / "smos.html").exists()


def test_speech_by_a_prompt_is_heard_without_the_prompt(tmp_path: Path) -> None:
    """And tasks of one kind are asked for by its name."""
    own = tmp_path / "sounds" / "a3t"
    own.mkdir(parents=True)
    noise = np.random.default_rng(0).normal(0, 0.05, SAMPLE_RATE)
    kinds = {"said": "prompt", "edited": "edit"}
    rows = [[name, [{"task": name, "kind": kind}]] for name, kind in kinds.items()]
    (tmp_path / "rows.jsonl").write_text("".join(json.dumps(x) + "\n" for x in [{}, *rows]))
    for name in kinds:
        soundfile.write(own / f"{name}.flac", noise, SAMPLE_RATE)
        (own / f"{name}.json").write_text(json.dumps({"region": [6000, 18000]}))
    for kind, length in (("prompt", 12000), ("edit", SAMPLE_RATE)):
        data = data_of(make_test(own.parent, ["A3T"], tmp_path / kind, of=kind))
        ((sound,),) = [trial["sounds"] for trial in data["trials"]]
        assert len(heard(sound)) == pytest.approx(length, abs=300)
    with pytest.raises(InputError, match="no task of the kind given"):
        make_test(own.parent, ["A3T"], tmp_path / "none", of="given")


def write_ratings(path: Path, rows: list[tuple[object, ...]]) -> Path:
    lines = [",".join(FIELDS), *(",".join(map(str, row)) for row in rows)]
    path.write_text("\n".join(lines) + "\n")
    return path


def test_ratings_come_back_to_their_systems_and_bad_ones_are_counted(
    sounds: Path, tmp_path: Path
) -> None:
    make_test(sounds, SYSTEMS, tmp_path, tasks=4)
    key = json.loads((tmp_path / "key.json").read_text())
    rows: list[tuple[object, ...]] = [
        ("ann", trial["name"], 5 if trial["system"] == "A3T" else 2, 3.0, k)
        for k, trial in enumerate(key["trials"])
    ]
    bad = [("ann", rows[0][1], 1, 2, 9), ("bob", "nothing", 3, 2, 1), ("bob", rows[1][1], 7, 2, 2)]
    file = write_ratings(tmp_path / "ann.csv", rows + bad)
    found = read_ratings(tmp_path / "key.json", [file])
    assert len(found.ratings) == 8 and len(found.left_out) == 3
    means = mean_opinions(found.ratings, SYSTEMS)
    assert {name: mean.value for name, mean in means.items()} == {"A3T": 5.0, "Baseline 1": 2.0}
    text = results(found)
    assert "| A3T | 5.00 (5.00 to 5.00) | 4 |" in text and "Left out: 3" in text
    with pytest.raises(InputError, match="columns"):
        read_ratings(tmp_path / "key.json", [tmp_path / "key.json"])
    deep = tmp_path / "deep.json"
    deep.write_text('{"a":' * 5000)
    for wrong in (file, deep):
        with pytest.raises(InputError, match="not the key"):
            read_ratings(wrong, [file])
    with pytest.raises(InputError, match="no rating"):
        read_ratings(tmp_path / "key.json", [write_ratings(tmp_path / "none.csv", [])])


def listeners(difference: float, count: int = 12) -> list[Rating]:
    draw = np.random.default_rng(1)
    found = []
    for who, task in product(range(count), range(6)):
        bias = draw.normal(0, 0.5)
        for system, mean in (("a", 3.0), ("b", 3.0 + difference)):
            value = float(np.clip(np.rint(mean + bias + draw.normal(0, 0.7)), 1, 5))
            found.append(Rating(str(who), str(task), system, value))
    return found


def test_a_difference_is_significant_and_none_is_not() -> None:
    assert compare_mos(listeners(0.8), ("a", "b"))["a", "b"] < 0.001
    assert compare_mos(listeners(0.0), ("a", "b"))["a", "b"] > 0.05
    scores = mean_opinions(listeners(0.8), ("a", "b"))
    assert scores["a"].low < scores["a"].value < scores["a"].high < scores["b"].value


def test_holm_by_hand() -> None:
    found = holm({("a", "b"): 0.01, ("a", "c"): 0.04, ("b", "c"): 0.03})
    assert found == {("a", "b"): 0.03, ("a", "c"): 0.06, ("b", "c"): 0.06}


@pytest.mark.slow
def test_an_example_is_heard_before_and_after(editor: Editor, tmp_path: Path) -> None:
    text = "And you always want to see it in the superlative degree."
    clip = Clip("librispeech", "1", RECORDING, text, 4.0)
    example = ExampleEdit("one", "One", clip.name, text, text.replace("superlative", "perfect"))
    write_page(editor, [(example, clip)], tmp_path)
    page = (tmp_path / "index.html").read_text()
    assert "<del>superlative</del> <ins>perfect</ins> degree." in page
    assert re.search(r"<p>Likeness [\d.na]+; pulses 0\.\d\d, in the recording 0\.\d\d\.</p>", page)
    assert {path.name for path in tmp_path.iterdir()} == {
        "index.html",
        "one.before.flac",
        "one.after.flac",
    }
    before, after = (
        soundfile.read(tmp_path / f"one.{when}.flac")[0] for when in ("before", "after")
    )
    assert len(before) != len(after) and np.array_equal(before[:24_000], after[:24_000])
