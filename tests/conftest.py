"""A real recording that every machine has, and an editor loaded once."""

from __future__ import annotations

from pathlib import Path

import pysptk.util
import pytest
import torch
from hypothesis import HealthCheck, settings

from a3t.editor import Editor

ARCTIC = "And you always want to see it in the superlative degree."

# No property fails because the machine is busy: a first call loads models and dictionaries.
settings.register_profile("unhurried", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("unhurried")


@pytest.fixture(scope="session", autouse=True)
def one_thread() -> None:
    torch.set_num_threads(1)


@pytest.fixture(scope="session")
def arctic() -> Path:
    """CMU ARCTIC, 16 kHz, mono, 16 bits, 4 s; it says `ARCTIC`."""
    return Path(pysptk.util.example_audio_file())


@pytest.fixture(scope="session")
def editor() -> Editor:
    return Editor.load()
