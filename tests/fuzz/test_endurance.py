"""One editor, many edits: memory doesn't grow with their number."""

import gc
import resource
from pathlib import Path

import pytest

from a3t.editor import Editor
from tests.conftest import ARCTIC

WORDS = ["never", "often", "hardly ever", "sometimes", "Kyiv", "in nineteen ninety nine", "maybe"]
GROWTH = 40_000_000  # bytes between the hundredth edit and the last


def resident() -> int:
    """Bytes that this process holds in memory now."""
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize()


@pytest.mark.slow
@pytest.mark.parametrize("count", [500])
def test_many_edits_take_no_more_memory_than_a_hundred(
    count: int, editor: Editor, arctic: Path, tmp_path: Path
) -> None:
    if not Path("/proc/self/statm").exists():
        pytest.skip("a system without /proc")
    held = 0
    for k in range(count):
        talk = tmp_path / f"talk{k % 20}.wav"  # each another recording to what remembers them
        talk.write_bytes(arctic.read_bytes())
        new = ARCTIC.replace("always", WORDS[k % len(WORDS)])
        result = editor.edit(
            talk, new_text=new, text=ARCTIC, seed=k, verify=k % 10 == 0, margin=0.001 * (k % 50)
        )
        result.save(tmp_path / "out.wav")
        if k == 99:
            held = resident()
        if k % 100 == 99:
            print(f"{k + 1} edits: {resident() / 1e6:.0f} MB", flush=True)
    assert resident() - held < GROWTH
