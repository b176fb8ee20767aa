"""The command lines: exit codes, one sentence for bad input, and nothing written then."""

import io
import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import redirect_stderr
from pathlib import Path

import numpy as np
import pytest
import soundfile

from a3t.commands import edit, tts
from tests.children import limit_files, result_of
from tests.conftest import ARCTIC, NEVER
from tests.test_house import LAZY, NOT_INFERENCE

ROOT = Path(__file__).parents[1]
FROM_A_TERMINAL = """if True:
    import os, signal, sys
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    os.execv(sys.executable, [sys.executable, *sys.argv[1:]])
"""


def test_an_edit(talk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert edit.main(["--wav", str(talk), "--text", ARCTIC, "--new-text", NEVER]) == 0
    out = talk.with_name("talk.edited.wav")
    record = json.loads(out.with_name("talk.edited.edit.json").read_text())
    assert out.exists() and len(record["edits"]) == 1
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "\r" not in captured.err  # nothing is drawn on a pipe


def test_json_goes_to_standard_output(talk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["--wav", str(talk), "--text", ARCTIC, "--new-text", NEVER, "--json", "--seed", "4"]
    assert edit.main(command) == 0
    assert json.loads(capsys.readouterr().out)["seed"] == 4


def test_a_plan_renders_nothing(talk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["--wav", str(talk), "--text", ARCTIC, "--new-text", NEVER, "--plan"]
    assert edit.main(command) == 0
    assert "always" in capsys.readouterr().out
    assert sorted(path.name for path in talk.parent.iterdir()) == ["talk.wav"]


def test_a_codec_that_is_not_kept_is_named(talk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    samples, rate = soundfile.read(talk, dtype="int16")
    soundfile.write(talk, samples, rate, subtype="ULAW")
    assert edit.main([str(talk), "--text", ARCTIC, "--new-text", ARCTIC.replace("it ", "")]) == 0
    out = talk.with_name("talk.edited.wav")
    assert soundfile.info(out).subtype == "PCM_16"
    assert f"{out.name} has the samples of µ-law as 16-bit ones." in capsys.readouterr().err


def test_texts_from_files(talk: Path, tmp_path: Path) -> None:
    for name, text in (("old.txt", ARCTIC), ("new.txt", NEVER)):
        (tmp_path / name).write_text(text)
    command = ["--wav", str(talk), "--text", f"@{tmp_path / 'old.txt'}"]
    out = tmp_path / "x.flac"
    new = f"@{tmp_path / 'new.txt'}"
    assert edit.main([*command, "--new-text", new, "--out", str(out)]) == 0
    assert soundfile.info(out).samplerate == 16000


@pytest.mark.parametrize("command", [[], ["--wav", "x.wav"], ["--nonsense"]])
def test_wrong_usage_is_2(command: list[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        edit.main(command)
    assert stopped.value.code == 2


TONE = 0.1 * np.sin(np.arange(32000) / 5)
# More that no recording may be: tests/audio/test_recording.py.
SPOILT: dict[str, Callable[[Path], object]] = {
    "missing": Path.unlink,
    "all zeros": lambda path: soundfile.write(path, TONE * 0, 16000),
    "a tone": lambda path: soundfile.write(path, TONE, 16000),
}


@pytest.mark.parametrize("case", SPOILT)
def test_bad_recordings(case: str, talk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    SPOILT[case](talk)
    _assert_refused(talk, ["--wav", str(talk), "--text", ARCTIC, "--new-text", NEVER], capsys)


TEXTS = {
    "another script": (ARCTIC, "Привет, как дела?"),
    "more than a minute of words": (ARCTIC, "word " * 300),
    "another recording's text": ("She sells sea shells by the sea shore every summer.", NEVER),
    "a missing file": (ARCTIC, "@/nowhere/text.txt"),
}


@pytest.mark.parametrize("case", TEXTS)
def test_bad_texts(case: str, talk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    old, new = TEXTS[case]
    _assert_refused(talk, ["--wav", str(talk), "--text", old, "--new-text", new], capsys)


@pytest.mark.parametrize(
    "more",
    [
        ["--out", "/nowhere/at/all.wav"],
        ["--out", "/proc/out.wav"],
        ["--model", "no-such-model"],
        ["--vocoder", "no-such-vocoder"],
        ["--alignment", "/nowhere.TextGrid"],
        ["--speed", "0"],
        ["--device", "abacus"],
    ],
    ids=lambda more: more[0],
)
def test_bad_options(more: list[str], talk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["--wav", str(talk), "--text", ARCTIC, "--new-text", NEVER, *more]
    _assert_refused(talk, command, capsys)


def _assert_refused(talk: Path, command: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    before = sorted(talk.parent.iterdir())
    assert edit.main(command) == 1
    error = capsys.readouterr().err
    lines = [line for line in error.splitlines() if line.startswith("a3t: ")]
    assert len(lines) == 1 and "Traceback" not in error
    assert lines[0].rstrip().endswith((".", "!", "?", "…"))
    assert sorted(talk.parent.iterdir()) == before


def test_speech_needs_a_prompt_that_is_speech(
    talk: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    SPOILT["all zeros"](talk)
    command = ["--prompt-wav", str(talk), "--prompt-text", ARCTIC, "--text", "Good morning."]
    assert tts.main([*command, "--out", str(talk.with_name("o.wav"))]) == 1
    assert len(capsys.readouterr().err.splitlines()) == 1


@pytest.mark.parametrize("step", ["read", "align", "fill", "splice", "check"])
def test_ctrl_c_leaves_nothing(
    step: str, talk: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(begun: str) -> None:
        if begun == step:
            raise KeyboardInterrupt

    monkeypatch.setattr("a3t.console.show_progress", interrupted)
    assert edit.main(["--wav", str(talk), "--text", ARCTIC, "--new-text", NEVER]) == 130
    assert capsys.readouterr().err == "a3t: Interrupted: nothing was written.\n"
    assert [path.name for path in talk.parent.iterdir()] == ["talk.wav"]


# tests/test_house.py holds that every program ends so.
INTERRUPTED = [
    ("a3t.edit", "argparse", ["--wav", "talk.wav", "--text", ARCTIC, "--new-text", NEVER]),
    ("a3t.edit", "torch", ["--wav", "talk.wav", "--text", ARCTIC, "--new-text", NEVER]),
    pytest.param("app", "gradio", ["--port", "0"], marks=pytest.mark.slow),
]


@pytest.mark.parametrize(("program", "imported", "arguments"), INTERRUPTED)
def test_ctrl_c_while_modules_are_imported(
    program: str, imported: str, arguments: list[str], talk: Path
) -> None:
    """In the place of `imported` stands a module that sends its process the signal."""
    stand_in = talk.parent / "stand-ins" / f"{imported}.py"
    stand_in.parent.mkdir()
    stand_in.write_text(
        "import os, signal\nos.kill(os.getpid(), signal.SIGINT)\nraise SystemExit(99)\n"
    )
    paths = [str(stand_in.parent), str(ROOT), os.environ.get("PYTHONPATH", "")]
    done = subprocess.run(
        # As from a terminal: a shell starts what it puts in the background without Ctrl-C.
        [sys.executable, "-c", FROM_A_TERMINAL, "-m", program, *arguments],
        cwd=talk.parent,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(paths)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode in (0 if program == "app" else 130, -signal.SIGINT)
    assert len(done.stderr.splitlines()) <= 1, done.stderr
    assert {path.name for path in talk.parent.rglob("*.wav")} <= {"talk.wav", "arctic.wav"}


def test_a_full_disk_leaves_nothing(talk: Path) -> None:
    command = ["--wav", str(talk), "--text", ARCTIC, "--new-text", NEVER]

    def edited() -> tuple[int, str]:
        limit_files(40_000)
        with redirect_stderr(io.StringIO()) as said:
            return edit.main(command), said.getvalue()

    code, error = result_of(edited)
    assert code == 1
    assert len(error.strip().splitlines()) == 1 and "Traceback" not in error
    assert [path.name for path in talk.parent.iterdir()] == ["talk.wav"]


# What belongs to the whole process: a program that imports the package has its own.
GLOBALS = """
import importlib, os, pkgutil, random, signal, sys
import numpy as np, torch
def state():
    place = np.random.get_state()
    return {"environment": dict(os.environ), "random": random.getstate(),
        "NumPy": (place[1].tobytes(), *place[2:]), "NumPy's errors": np.geterr(),
        "torch": torch.random.get_rng_state().numpy().tobytes(), "folder": os.getcwd(),
        "threads": (torch.get_num_threads(), torch.get_num_interop_threads()),
        "gradients": torch.is_grad_enabled(), "type": torch.get_default_dtype(),
        "signals": [signal.getsignal(each) for each in (signal.SIGINT, signal.SIGTERM)]}
def changed(what):
    after = state()
    found = [name for name in before if before[name] != after[name]]
    found and sys.exit(f"{what} changes {found}")
import a3t.editor
print(*sys.modules)
torch.set_num_threads(2)
before = state()
packages, wave, text, new_text, out = sys.argv[1:]
if packages != "app":
    import a3t.audio.matching.sound_matching
    editor = a3t.editor.Editor.load()
    changed("loading")
    print(*sys.modules)
for package in packages.split():
    for each in pkgutil.walk_packages(importlib.import_module(package).__path__, package + "."):
        if "__main__" not in each.name:
            importlib.import_module(each.name)
            if package == "app":  # Rich, which Gradio imports, draws to name a style
                random.setstate(before["random"])
            changed(each.name)
if packages == "app":
    sys.exit()
editor.edit(wave, text=text, new_text=new_text).save(out)
changed("an edit")
list(editor.speak(editor.plan_speech(wave, "Hello.", prompt_text=text)))
changed("speech")
"""


@pytest.mark.parametrize("packages", ["a3t alignment", pytest.param("app", marks=pytest.mark.slow)])
def test_nothing_global_is_changed_by_importing_or_by_an_edit(packages: str, talk: Path) -> None:
    """Nor is anything heavy loaded. Importing an editor needs neither training nor a framework; and
    torch would import its compiler and SymPy for little things, and scipy.signal half of SciPy: a
    second and a half before anything is heard."""
    given = [packages, str(talk), ARCTIC, NEVER, str(talk.with_name("out.wav"))]
    alone = {name: value for name, value in os.environ.items() if name != "OMP_WAIT_POLICY"}
    done = subprocess.run(
        [sys.executable, "-c", GLOBALS, *given], env=alone, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    imported, *loaded = (set(line.split()) for line in done.stdout.splitlines())
    assert not imported & (NOT_INFERENCE | LAZY)
    assert not {"training", "evaluation", "app"} & {name.partition(".")[0] for name in imported}
    for names in loaded:
        assert not {"torch._dynamo", "sympy", "scipy.signal", "librosa", "pandas"} & names


def test_threads_that_wait_leave_the_cores_to_others() -> None:
    """In a program. It is read when torch and NumPy are loaded: not before a command runs."""
    early = (
        "import os, sys; from a3t.__main__ import main; main(['--version']);"
        "assert not {'torch', 'numpy'} & sys.modules.keys();"
        "print(os.environ['OMP_WAIT_POLICY'], os.environ.get('OPENBLAS_NUM_THREADS'))"
    )
    ours = {"OMP_WAIT_POLICY", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"}
    alone = {name: value for name, value in os.environ.items() if name not in ours}
    for given, threads in (({}, "1"), ({"OMP_NUM_THREADS": "2"}, "None")):
        shown = subprocess.check_output([sys.executable, "-c", early], env=alone | given, text=True)
        assert shown.split()[2:] == ["PASSIVE", threads]


@pytest.mark.parametrize("command", [edit.main, tts.main])
def test_a_recording_that_is_not_our_own_is_not_replaced(
    command: Callable[[list[str]], int],
    arctic: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    talk, other = (Path(shutil.copy(arctic, tmp_path / name)) for name in ("talk.wav", "b.wav"))
    text = (
        ["--new-text", NEVER, "--text", ARCTIC]
        if command is edit.main
        else ["--text", NEVER, "--prompt-text", ARCTIC]
    )
    assert command([str(talk), *text, "--out", str(other)]) == 1
    assert "a3t did not make it" in capsys.readouterr().err
    assert other.read_bytes() == talk.read_bytes() and len(list(tmp_path.iterdir())) == 2


UNFOUND = "import importlib.util as finders; finders.find_spec = lambda name: None"  # Gradio


@pytest.mark.parametrize("missing", ["anyio", "uvicorn", "fastapi", "gradio", "gradio_client"])
def test_a_server_without_its_extra_says_what_to_install(missing: str) -> None:
    """And gives no address; Gradio may be there and still not be imported."""
    program = (
        "import sys\n"
        f"{UNFOUND if missing == 'gradio' else f'sys.modules[{missing!r}] = None'}\n"
        "from a3t.__main__ import main\n"
        "sys.exit(main(['app', '--port', '0']))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 1
    assert not done.stdout
    assert re.fullmatch(
        r"a3t: The page needs gradio[^\n]*: pip install 'a3t\[app\]'\.\n", done.stderr
    )
