"""The example's sentence, for every test; `tests.fixtures` in every process that runs tests."""

import gc
import tempfile
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pytest

ARCTIC = "And you always want to see it in the superlative degree."
NEVER = ARCTIC.replace("always", "never")

pytest.register_assert_rewrite("tests.fixtures")


# What trains, side by side: each imports what takes seconds, and one process gets nearly all of it.
LABORATORY = {"evaluation", "recipes", "training", "vocoder", "voice"}


# Whole ways through the program and trainings, by the beginnings of their names: half of the time.
INTEGRATION = tuple(
    f"tests/{name}"
    for name in """
    alignment/recognition/test_live.py alignment/test_parallel.py app/ audio/test_background.py
    espnet/ evaluation/test_detector.py evaluation/test_edits.py evaluation/test_held_out.py
    evaluation/test_judging.py evaluation/test_metrics.py evaluation/test_shipped_quality.py
    evaluation/test_tables.py evaluation/test_train_systems.py evaluation/test_vocoders.py
    fuzz/test_linear_time.py projects/test_batch.py
    projects/test_clean.py::test_what_is_hidden_may recipes/test_stages.py
    source/test_diarisation.py text/pronunciation/test_letter_to_sound.py::test_words_that
    training/alignment/test_train_phones.py training/test_devices.py training/test_export.py
    training/test_pretraining.py vocoder/test_parallel_wavegan.py vocoder/test_training.py
    voice/test_voice.py test_commands.py::test_nothing_global test_console.py::test_sigterm
    test_packaging.py::test_a_wheel
    """.split()
)


def pytest_itemcollected(item: pytest.Item) -> None:
    if item.nodeid.startswith(INTEGRATION):
        item.add_marker("integration")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: not LABORATORY.isdisjoint(item.nodeid.split("/")[1:2]))


def pytest_collection_finish() -> None:
    """What was imported and collected stays: nobody looks for garbage in it again, and seldom in
    what little the tests make."""
    gc.freeze()
    gc.set_threshold(20_000)
    gc.enable()


def pytest_configure(config: pytest.Config) -> None:
    """The process that only hands out tests, while the others wait for it, needs no networks."""
    gc.disable()  # until all is collected: it takes a fifth of that time
    if hasattr(config, "workerinput") or config.getoption("dist", "no") == "no":
        config.pluginmanager.import_plugin("tests.fixtures")


@pytest.fixture(scope="session", autouse=True)
def temporary_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """What killed servers and Gradio's client leave goes with pytest's own folders."""
    folder = str(tmp_path_factory.mktemp("temporary"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TMPDIR", folder)
        patch.setattr(tempfile, "tempdir", folder)
        yield


def assert_untouched(
    edits: Sequence[dict[str, Any]], source: np.ndarray, output: np.ndarray
) -> None:
    """Output outside the output spans = source outside the source spans, sample for sample."""
    here = there = 0
    for edit in [*edits, {"source": [len(source)] * 2, "output": [len(output)] * 2}]:
        (first, last), (begin, end) = edit["source"], edit["output"]
        assert np.array_equal(source[here:first], output[there:begin])
        here, there = last, end
