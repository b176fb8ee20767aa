"""Batches: every edit is made once, whatever happens in between."""

import csv
import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pytest
import soundfile

from a3t.commands import edit
from a3t.commands.editing.edit_list import read_jobs
from tests.children import in_child
from tests.conftest import ARCTIC, NEVER

TEXTS = [
    NEVER,
    ARCTIC.replace("degree", "form"),
    ARCTIC.replace("And ", ""),
    ARCTIC.replace("superlative ", ""),
    ARCTIC.replace("you always", "we never"),
    ARCTIC,
]


@pytest.fixture
def folder(arctic: Path, tmp_path: Path) -> Path:
    (tmp_path / "talk.wav").write_bytes(arctic.read_bytes())
    return tmp_path


def write_list(folder: Path, rows: Sequence[dict[str, object]], name: str = "edits.tsv") -> Path:
    """Rows of texts about talk.wav, as a table."""
    rows = [{"wav": "talk.wav", "text": ARCTIC, **row} for row in rows]
    columns = list(dict.fromkeys(key for row in rows for key in row))
    lines = [columns, *([str(row.get(column, "")) for column in columns] for row in rows)]
    path = folder / name
    path.write_text("".join("\t".join(line) + "\n" for line in lines))
    return path


def command(manifest: Path, *more: object) -> list[str]:
    out = manifest.parent / "out"
    return ["--manifest", str(manifest), "--out-dir", str(out), *map(str, more)]


def report(folder: Path) -> list[dict[str, str]]:
    with (folder / "out" / "report.tsv").open() as file:
        return list(csv.DictReader(file, delimiter="\t"))


def contents(folder: Path) -> dict[str, bytes]:
    """Every sound by its name."""
    paths = (path for path in folder.rglob("*") if path.suffix in (".wav", ".flac"))
    return {str(path.relative_to(folder)): path.read_bytes() for path in paths}


def test_a_list(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows: list[dict[str, object]] = [
        {"new_text": TEXTS[0], "out": "one.wav", "seed": 3},
        {"new_text": TEXTS[1] + ' "', "out": "sub/two.flac", "fit": "yes", "export": "srt,edl"},
        {"new_text": TEXTS[2]},
        {"new_text": TEXTS[2], "wav": "gone.wav"},
        {"new_text": TEXTS[2], "out": "x.wav", "seed": "many"},
        {"new_text": "Привет", "out": "y.wav"},
        {"new_text": "", "out": "z.wav"},
        {"new_text": TEXTS[0], "out": "w.wav", "text": "Something else is said in here."},
    ]
    manifest = write_list(folder, rows)
    assert edit.main(command(manifest, "--jobs", 1)) == 1
    assert "5 of 8 edits failed" in capsys.readouterr().err
    became = [row["became"] for row in report(folder)]
    assert became == ["made"] * 3 + ["failed"] * 5
    assert all(bool(row["reason"]) == (row["became"] == "failed") for row in report(folder))
    out = folder / "out"
    assert soundfile.info(out / "sub" / "two.flac").samplerate == 16000
    assert (out / "sub" / "two.srt").is_file() and (out / "sub" / "two.edl").is_file()
    told = json.loads((out / "one.edit.json").read_text())
    assert told["seed"] == 3 and told["new_text"] == TEXTS[0]
    # Options of the command are those of every line that has none of its own.
    assert json.loads((out / "talk.edited.edit.json").read_text())["seed"] == 0

    # Again: nothing is done twice; a line that was changed is.
    before = {path: path.stat().st_mtime_ns for path in out.rglob("*.wav")}
    rows[0]["seed"] = 4
    write_list(folder, rows)
    assert edit.main(command(manifest, "--jobs", 1, "--json")) == 1
    counts = json.loads(capsys.readouterr().out)
    assert (counts["made"], counts["kept"], counts["failed"]) == (1, 2, 5)
    changed = [path.name for path, when in before.items() if path.stat().st_mtime_ns != when]
    assert changed == ["one.wav"]


def test_a_list_that_makes_nothing_leaves_no_empty_folder(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    rows: list[dict[str, object]] = [{"new_text": TEXTS[0], "wav": "gone.wav", "out": "sub/a.wav"}]
    manifest = write_list(folder, rows)
    with monkeypatch.context() as patch:
        patch.setitem(sys.modules, "distributed", None)
        assert edit.main(command(manifest, "--scheduler", "tcp://127.0.0.1:9")) == 1
    assert "needs Dask: pip install 'a3t[cluster]'." in capsys.readouterr().err
    assert not (folder / "out").exists()
    assert edit.main(command(manifest, "--jobs", 1)) == 1
    assert [path.name for path in (folder / "out").iterdir()] == ["report.tsv"]


def test_json_lines_are_the_same_as_a_table(folder: Path) -> None:
    table = write_list(folder, [{"new_text": TEXTS[0], "seed": 2, "fit": "no"}])
    assert edit.main(command(table, "--jobs", 1)) == 0
    row = {"wav": "talk.wav", "text": ARCTIC, "new_text": TEXTS[0], "seed": 2, "fit": False}
    lines = folder / "edits.jsonl"
    lines.write_text(json.dumps(row) + "\n\n")
    assert edit.main(command(lines, "--jobs", 1)) == 0
    assert [row["became"] for row in report(folder)] == ["kept"]


REFUSED = {
    "unknown column": ([{"new_text": "a", "newtext": "b"}], "newtext"),
    "not an edit's": ([{"new_text": "a", "replay": "b"}], "replay"),
    "the same output": ([{"new_text": "a"}, {"new_text": "b"}], "lines 2 and 3"),
    "the same edit.json": (
        [{"new_text": "a", "out": "x.wav"}, {"new_text": "b", "out": "x.flac"}],
        "lines 2 and 3",
    ),
    "no rows": ([], "no edits"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_lists_that_are_refused(
    case: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows, reason = REFUSED[case]
    assert edit.main(command(write_list(folder, rows))) == 1
    error = capsys.readouterr().err
    assert reason in error and len(error.splitlines()) == 1
    assert not (folder / "out").exists()


@pytest.mark.parametrize("name", ["none.tsv", "list.txt", "latin.tsv", "twice.tsv", "long.csv"])
def test_files_that_are_no_lists(
    name: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "list.txt").write_text("wav,new_text\n")
    (folder / "long.csv").write_text(f"wav,new_text\ntalk.wav,{'a' * 200_000}\n")
    (folder / "latin.tsv").write_bytes("wav\tnew_text\ntalk.wav\tcafé\n".encode("latin-1"))
    (folder / "twice.tsv").write_text("wav\tnew_text\tnew_text\ntalk.wav\tOne.\tTwo.\n")
    assert edit.main(command(folder / name)) == 1
    assert len(capsys.readouterr().err.splitlines()) == 1


def test_the_report_does_not_replace_the_list(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    manifest = write_list(folder, [{"new_text": NEVER}], "report.tsv")
    before = manifest.read_bytes()
    assert edit.main(["--manifest", str(manifest), "--out-dir", str(folder)]) == 1
    assert "input file itself" in capsys.readouterr().err and manifest.read_bytes() == before


def test_outputs_are_confined_to_their_folder(folder: Path) -> None:
    rows = [{"new_text": TEXTS[0], "out": out} for out in ("../x.wav", str(folder / "y.wav"))]
    (folder / "out").mkdir()
    (folder / "out/other.wav").write_bytes((folder / "talk.wav").read_bytes())
    rows.append({"new_text": TEXTS[0], "out": "other.wav"})
    assert edit.main(command(write_list(folder, rows), "--jobs", 1)) == 1
    *outside, replaced = (row["reason"] for row in report(folder))
    assert all("is not in" in reason for reason in outside) and "did not make it" in replaced
    assert set(contents(folder).values()) == {(folder / "talk.wav").read_bytes()}


@pytest.mark.parametrize("more", [[], ["--out-dir", "x", "--wav", "y.wav"]])
def test_wrong_usage(more: list[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        edit.main(["--manifest", "x.tsv", *more])
    assert stopped.value.code == 2


def start(arguments: Sequence[str]) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "a3t.edit", *arguments],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd=Path(__file__).parents[2],
        env=os.environ | {"OMP_NUM_THREADS": "1"},
    )


def age(folder: Path) -> None:
    """Age the files of a killed process: a file younger than a second may belong to a process that
    is about to lock it, and stays."""
    for left in folder.glob(".*"):
        os.utime(left, (0, 0))


def assert_whole(folder: Path) -> None:
    """Every sound there can be read to its end, and every edit.json is one."""
    for path in folder.rglob("*"):
        if any(part.startswith(".") for part in path.relative_to(folder).parts):
            continue  # what a killed process left, which the next one removes
        if path.suffix in (".wav", ".flac"):
            with soundfile.SoundFile(path) as file:
                assert len(file.read()) == file.frames > 0
        elif path.suffix == ".json":
            json.loads(path.read_text())


def test_kill_9_in_the_middle_of_a_batch(folder: Path) -> None:
    rows = [{"new_text": text, "out": f"{k}.wav"} for k, text in enumerate(TEXTS[:3])]
    manifest, out = write_list(folder, rows), folder / "out"
    process = in_child(lambda: edit.main(command(manifest, "--jobs", 1)))
    alive = True  # before the files are looked for: it may be over by the next look
    while not ((out / "0.edit.json").exists() and (out / "0.wav").exists()):
        assert alive
        alive = process.is_alive()
        time.sleep(0.01)
    process.kill()
    process.join()
    assert_whole(out)
    age(out)
    assert edit.main(command(manifest, "--jobs", 1)) == 0
    assert report(folder)[0]["became"] == "kept"
    assert (
        edit.main(["--manifest", str(manifest), "--out-dir", str(folder / "quiet"), "--jobs", "1"])
        == 0
    )
    assert contents(out) == contents(folder / "quiet")
    assert not list(out.glob(".*"))


@pytest.mark.slow
def test_a_cluster_makes_the_same(folder: Path) -> None:
    distributed = pytest.importorskip("distributed", reason="Dask is not installed")
    rows = [{"new_text": text, "out": f"{k}.wav"} for k, text in enumerate(TEXTS)]
    rows.append({"new_text": TEXTS[0], "out": "gone.wav", "wav": "gone.wav"})
    manifest = write_list(folder, rows)
    here = ["--manifest", str(manifest), "--out-dir", str(folder / "here")]
    assert start([*here, "--jobs", "1"]).wait() == 1
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=None
    ) as cluster:
        there = command(manifest, "--scheduler", cluster.scheduler_address)
        assert start(there).wait() == 1
    assert contents(folder / "out") == contents(folder / "here")
    assert [row["became"] for row in report(folder)] == ["made"] * 6 + ["failed"]


BAD_LINES = ["a\0b.wav", "/", "x" * 5000 + ".wav", "y" * 200_000]


@pytest.mark.parametrize("wav", BAD_LINES, ids=["NUL", "root", "long name", "long cell"])
@pytest.mark.parametrize("column", ["wav", "out", "new_text", "alignment"])
def test_a_line_that_no_file_can_have_is_that_line_s_failure(
    wav: str, column: str, tmp_path: Path
) -> None:
    good = {"wav": "talk.wav", "new_text": "a", "out": "good.wav"}
    lines = [good, {**good, "out": "bad.wav", column: wav}, "[1]", "{", {"wav": "x.wav", "no": 1}]
    jsonl, tsv = tmp_path / "list.jsonl", tmp_path / "list.tsv"
    jsonl.write_text("\n".join(x if isinstance(x, str) else json.dumps(x) for x in lines))
    names = ["wav", "new_text", "out", "alignment"]
    rows = [[line.get(name, "") for name in names] for line in lines[:2] if isinstance(line, dict)]
    tsv.write_text("\n".join("\t".join(row) for row in [names, *rows, ["a"] * 9]))
    for manifest, count in ((jsonl, 5), (tsv, 3)):
        given = ["--manifest", str(manifest), "--out-dir", str(tmp_path / "o")]
        jobs = read_jobs(edit.parser().parse_args(given), edit.parser())
        assert len(jobs) == count
        assert jobs[0].problem is None
        assert all(job.problem for job in jobs[2:])
        assert not jobs[1].done
