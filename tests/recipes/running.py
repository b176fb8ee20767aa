"""Recipes, run as people run them."""

import os
import subprocess
import sys
from pathlib import Path

RECIPES = Path(__file__).parents[2] / "recipes"


def run(recipe: str, *options: object, **environment: str) -> subprocess.CompletedProcess[str]:
    """The end of ``recipe``/run.sh, by this Python unless the environment names another."""
    return subprocess.run(
        [str(word) for word in (RECIPES / recipe / "run.sh", *options)],
        env=os.environ | {"PYTHON": sys.executable} | environment,
        capture_output=True,
        text=True,
        check=False,
    )
