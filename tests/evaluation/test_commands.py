"""Every measure is a command that describes itself."""

from __future__ import annotations

import pytest

from evaluation.command_line import COMMANDS, main


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_describes_itself(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main([name, "--help"])
    shown = capsys.readouterr().out
    assert end.value.code == 0 and f"python -m evaluation {name}" in shown
    assert len(shown.split("\n\n")[1]) > 20  # the module's own words


def test_the_commands_are_listed_and_others_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    assert all(name in capsys.readouterr().out for name in ("results",))
    assert main(["nothing"]) == 2
    assert "usage: python -m evaluation NAME" in capsys.readouterr().err
