"""Edit what is selected in Audacity by its text: python audacity_edit.py "old text" "new text"

Needs a running `a3t serve` with its token in A3T_TOKEN, and Audacity with mod-script-pipe. The
selection is exported to a file, edited, and the result is imported as a new track that begins at 0.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TextIO

SERVER = os.environ.get("A3T_SERVER", "http://127.0.0.1:7870")
if sys.platform == "win32":
    PIPES, END = (r"\\.\pipe\ToSrvPipe", r"\\.\pipe\FromSrvPipe"), "\r\n\0"
else:
    name = f"/tmp/audacity_script_pipe.%s.{os.getuid()}"
    PIPES, END = (name % "to", name % "from"), "\n"


def audacity(there: TextIO, back: TextIO, command: str) -> str:
    """Give Audacity a command, and return its answer: some lines, at least an empty one, before
    “BatchCommand finished: OK” or “Failed!” and an empty line."""
    there.write(command + END)
    there.flush()
    answer = ""
    while (line := back.readline()) and not line.startswith("BatchCommand finished"):
        answer += line
    back.readline()
    if "OK" not in line:
        raise SystemExit(f"Audacity: {answer.strip() or line.strip() or 'no answer'}")
    return answer


def edited(wav: Path, text: str, new_text: str, out: Path) -> None:
    """Send a recording to the server, and write what it should say to `out`."""
    fields = {"text": text, "new_text": new_text, "reply": "recording"}
    form = [part for name, value in fields.items() for part in ("--form-string", f"{name}={value}")]
    authority = f"Authorization: Bearer {os.environ['A3T_TOKEN']}"
    command = ["curl", "--silent", "--show-error", "--fail-with-body", "--header", authority]
    command += ["--form", f"file=@{wav}", *form, "--output", str(out), f"{SERVER}/v1/edits"]
    if subprocess.run(command, check=False).returncode:
        raise SystemExit(out.read_text("utf-8", "replace") if out.exists() else "no answer")


def main() -> None:
    if len(sys.argv) != 3:
        raise SystemExit(__doc__)
    folder = Path(tempfile.mkdtemp(prefix="a3t-"))  # Audacity may read the result later
    selection, result = folder / "selection.wav", folder / "edited.wav"
    with open(PIPES[0], "w", encoding="utf-8") as there, open(PIPES[1], encoding="utf-8") as back:
        tracks = json.loads(audacity(there, back, "GetInfo: Type=Tracks Format=JSON"))
        channels = max((t.get("channels", 1) for t in tracks if t["selected"]), default=0)
        if not channels:
            raise SystemExit("Select what is to be edited first.")
        audacity(there, back, f'Export2: Filename="{selection}" NumChannels={channels}')
        edited(selection, sys.argv[1], sys.argv[2], result)
        audacity(there, back, f'Import2: Filename="{result}"')


if __name__ == "__main__":
    main()
