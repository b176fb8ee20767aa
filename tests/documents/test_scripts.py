"""The scripts for other programs, with answers as these programs give them."""

import os
import runpy
import sys
import threading
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

ANSWERS = {  # of Audacity 3.2.4
    "GetInfo": '\n[ \n  { "name":"talk", "selected":1, "kind":"wave", "channels":1 } ]\n',
    "Export2": "\n",
    "Import2": "Your batch command of Import2 was not recognized.\n",
}


@pytest.mark.skipif(sys.platform == "win32", reason="named pipes of another kind")
def test_audacity_is_asked_for_what_is_selected_and_its_refusal_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    to, back = tmp_path / "to", tmp_path / "from"
    os.mkfifo(to)
    os.mkfifo(back)
    asked: list[str] = []

    def audacity() -> None:
        with open(to) as commands, open(back, "w") as answer:
            for name in ANSWERS:
                asked.append(commands.readline())
                ended = "OK" if ANSWERS[name].startswith("\n") else "Failed!"
                answer.write(f"{ANSWERS[name]}BatchCommand finished: {ended}\n\n")
                answer.flush()

    program = threading.Thread(target=audacity, daemon=True)
    program.start()
    script = runpy.run_path(str(ROOT / "docs/scripts/audacity_edit.py"))
    main = script["main"]
    main.__globals__["PIPES"] = (str(to), str(back))
    main.__globals__["edited"] = lambda *given: None
    monkeypatch.setattr(sys, "argv", ["audacity_edit.py", "old", "new"])
    with pytest.raises(SystemExit, match="Import2 was not recognized"):
        main()
    assert [line.partition(":")[0] for line in asked] == list(ANSWERS)
    assert asked[1].strip().endswith("NumChannels=1")
