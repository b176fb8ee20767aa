"""What a chat writes is spoken without Markdown's signs; other texts stay as they are."""

import pytest

from alignment.formats.transcripts.markdown import without_markdown


@pytest.mark.parametrize(
    ("written", "spoken"),
    [
        ("# Monday", "Monday"), ("## Monday\nWe met.", "Monday\n\nWe met."),
        ("We **meet** on __Monday__, ~~not~~ `now`.", "We meet on Monday, not now."),
        ("- Bring papers\n* and pens\n+ and [ink](https://a.b/c?d=1 \"x\").",
         "Bring papers\n\nand pens\n\nand ink."),
        ("- [x] done", "done"),
        ("> Quoted.", "Quoted."),
        ("Before\n---\nafter", "Before\n\nafter"),
        ("```python\nprint\n```", "print"),
        ("![a cat](cat.png)", "a cat"),
        ("| day | hour |\n|---|---|\n| Monday | noon |", "day, hour\n\nMonday, noon"),
        *((same, same) for same in (
            "We meet *so* early, at 5 - 3 * 2.", "Use a - b, or #1.", "1. First", "a_b and c_d",
            "[pause 0.4] Well.", "2 ** 3", "-5 degrees",
        )),
    ],
)  # fmt: skip
def test_signs_are_not_spoken(written: str, spoken: str) -> None:
    assert without_markdown(written) == spoken
    assert without_markdown(spoken) == spoken
