"""The page's modules that need no browser, tested by Node's own runner: *.test.mjs beside this.

Node is the one on the path, else the one that Playwright brings.
"""

import json
import random
import shutil
import subprocess
from importlib.util import find_spec
from pathlib import Path

import pytest

from a3t.projects.document import Document, steps_of

HERE = Path(__file__).parent


def node() -> str | None:
    found = shutil.which("node")
    playwright = find_spec("playwright")
    if found is None and playwright is not None and playwright.origin is not None:
        bundled = Path(playwright.origin).parent / "driver" / "node"
        found = str(bundled) if bundled.is_file() else None
    return found


@pytest.mark.parametrize("name", sorted(path.name for path in HERE.glob("*.test.mjs")))
def test_a_module(name: str) -> None:
    runner = node()
    if runner is None:
        pytest.skip("there is no Node here: pip install playwright brings one")
    command = [runner, "--test-reporter=spec", str(HERE / name)]  # in this one process
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]


APPLY = """
const { load } = await import(process.argv[1]);
const { applied, inverse } = await load("script/steps.js");
let text = "";
for await (const piece of process.stdin) text += piece;
const after = (steps) => steps.reduce((list, step) => applied(step, list), []);
const both = (steps) => [after(steps), steps.map(inverse)];
process.stdout.write(JSON.stringify(JSON.parse(text).map(both)));
"""


def an_edit(chance: random.Random) -> dict[str, object]:
    first, count = chance.randrange(8), chance.randrange(3)
    tokens = list(range(first, first + count))
    cut = None
    if not tokens and chance.random() < 0.5:
        start = first + 0.25 * chance.randrange(3)
        cut = {"kind": "pause", "action": "cut", "start": start, "end": start + 0.4}
    text = "" if cut else chance.choice("ab")
    rest = {"take": chance.choice([None, 1]), "accepted": chance.random() < 0.5, "cut": cut}
    if chance.random() < 0.7:
        rest["at"] = chance.randrange(5)
    if text and chance.random() < 0.5:
        rest["recorded"] = [{"at": 0, "tokens": [chance.randrange(3)], "file": chance.choice("ab")}]
    return {"after": first - 1, "tokens": tokens, "text": text, **rest}


def rest(chance: random.Random) -> dict[str, object]:
    """What else a step does: corrections, and fields of words."""
    fields = {
        "marks": chance.random() < 0.5,
        "times": [[chance.randrange(8), 0.1, 0.4]],
        "speakers": [["ANNA", [[0, chance.randrange(8)]]]],
    }
    correct = {"after": 0, "tokens": [1], "right": None, "text": "a", "was": "b"}
    told: dict[str, object] = {"correct": [correct]} if chance.random() < 0.3 else {}
    if chance.random() < 0.5:
        own = chance.sample(sorted(fields), chance.randrange(1, 4))
        told |= {when: {name: fields[name] for name in own} for when in ("was", "now")}
    return told


def test_page_and_server_apply_a_step_and_take_it_back_alike() -> None:
    runner = node()
    if runner is None:
        pytest.skip("there is no Node here: pip install playwright brings one")
    chance = random.Random(5)
    cases = []
    for _ in range(100):
        known = [an_edit(chance) for _ in range(6)]
        lists = [chance.sample(known, chance.randrange(4)) for _ in range(12)]
        steps = [
            {"n": 1, "gone": gone, "come": come, "gentle": chance.random() < 0.3, **rest(chance)}
            for gone, come in zip(lists[:6], lists[6:], strict=True)
        ]
        cases.append(steps)
    command = [runner, "--input-type=module", "-e", APPLY, (HERE / "web.mjs").as_uri()]
    done = subprocess.run(
        command, input=json.dumps(cases), capture_output=True, text=True, check=True
    )
    for steps, (found, back) in zip(cases, json.loads(done.stdout), strict=True):
        document = Document()
        for step in steps_of(steps):
            document = document.taken(step)
        assert document.changes == Document.from_json({"format": 2, "changes": found}).changes
        assert steps_of([{**each, "n": 1} for each in back]) == tuple(
            step.back for step in steps_of(steps)
        )
