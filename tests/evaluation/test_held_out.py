"""What training heard is never measured: from a tiny corpus to the tasks of a table."""

import shutil
from argparse import Namespace
from pathlib import Path

import pytest
import yaml

from a3t.errors import InputError
from a3t.learning.batches import StoredFeatures
from evaluation.clips import recipe_clips
from evaluation.harness.measurement import Setting
from evaluation.systems.heard import refuse_heard
from evaluation.tables.table_command import results
from training.configuration import read_config
from training.corpora.generate import generate
from training.corpora.prepare import prepare
from training.export import main as export
from training.extract import main as extract
from training.features.split_list import SPLIT_FILE, read_split
from training.features.store import Store, StoredClip
from training.pretrain import main as pretrain

TINY = Path(__file__).parents[2] / "recipes" / "mini" / "conf" / "tiny.yaml"


class Trained:
    """A tiny LJSpeech, a network trained on it, and the names of the clips that training read."""

    def __init__(self, folder: Path) -> None:
        self.data, self.features = folder / "data", folder / "features"
        self.run, self.packed = folder / "runs" / "a3t_thesis", folder / "packed"
        generate("ljspeech", folder / "corpus", 0.001)
        prepare("ljspeech", folder / "corpus", self.data, dev=2, test=3)
        assert extract([str(self.data), str(self.features), "--pitch"]) == 0
        config = read_config(TINY)
        config["training"] |= {"steps": 4, "epoch": 2, "warmup": 1, "decay": 1}
        (folder / "tiny.yaml").write_text(yaml.safe_dump(config))
        self.heard: set[str] = set()
        with pytest.MonkeyPatch.context() as patch:
            read = Store.read

            def reading(store: Store, clip: StoredClip, *more: int, **named: int) -> StoredFeatures:
                self.heard.add(clip.name)
                return read(store, clip, *more, **named)

            patch.setattr(Store, "read", reading)
            options = ["--config", str(folder / "tiny.yaml"), "--features", str(self.features)]
            assert pretrain([*options, "--out", str(self.run)]) == 0
        assert export([str(self.run), str(self.packed)]) == 0


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Trained:
    return Trained(tmp_path_factory.mktemp("trained"))


def tasks_of(trained: Trained, folder: Path, runs: Path | None) -> Setting:
    options = Namespace(
        number="all", runs=runs, system=[f"Packed={trained.packed}"], vocoder="griffin-lim",
        durations=None, data=trained.data, voice=None, clips=2, edits=2, prompts=1,
    )  # fmt: skip
    setting = Setting(options, folder)
    setting.known["items"] = results(setting)
    return setting


def test_no_clip_that_training_read_is_measured(
    trained: Trained, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The shipped predictor heard nothing of a synthetic corpus, but its rule can't know that.
    monkeypatch.setattr("evaluation.systems.heard.listed_split", lambda clip: "test")
    setting = tasks_of(trained, tmp_path, trained.run.parent)
    measured = {item.task.name.split(".")[0] for item in setting.known["items"]}
    named = {clip.name for clip in recipe_clips(trained.data)[0]}
    assert trained.heard and not trained.heard & named
    assert {name for name in measured if not name.startswith("drawn-")} <= named
    systems = {item.system for item in setting.known["items"]}
    assert {"A3T (thesis)", "Packed"} <= systems
    kinds = {item.task.kind for item in setting.known["items"]}
    assert kinds == {"given", "predicted", "edit", "prompt"}


def test_a_packed_model_carries_the_list_of_its_data(trained: Trained) -> None:
    lists = [read_split(folder) for folder in (trained.data, trained.run, trained.packed)]
    assert lists[0] is not None and lists == [lists[0]] * 3
    assert read_config(trained.packed / "config.yaml")["split"] == lists[0].digest


def test_a_model_without_its_list_is_refused(trained: Trained, tmp_path: Path) -> None:
    clips, _ = recipe_clips(trained.data)
    bare = tmp_path / "bare"
    shutil.copytree(trained.packed, bare)
    refuse_heard("Ours", bare, clips)
    text = (bare / SPLIT_FILE).read_text()
    (bare / SPLIT_FILE).write_text(text.replace("\ttest\t", "\ttrain\t"))
    with pytest.raises(InputError, match="not the list that it was trained with"):
        refuse_heard("Ours", bare, clips)
    (bare / SPLIT_FILE).unlink()
    with pytest.raises(InputError, match="nobody can tell which clips it was trained on"):
        refuse_heard("Ours", bare, clips)


def test_clips_of_another_split_are_refused(trained: Trained, tmp_path: Path) -> None:
    prepare("ljspeech", trained.data.parent / "corpus", tmp_path / "data", dev=2, test=6)
    with pytest.raises(InputError, match="does not hold out 3 of 6"):
        refuse_heard("Ours", trained.run, recipe_clips(tmp_path / "data")[0])


def test_the_shipped_model_is_left_out_where_it_heard_a_clip(
    trained: Trained, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("evaluation.systems.heard.listed_split", lambda clip: "train")
    with pytest.raises(InputError, match="The duration predictor: its list of clips"):
        tasks_of(trained, tmp_path, None)
    shipped = Path(__file__).parents[2] / "a3t" / "pretrained" / "small"
    with pytest.raises(InputError, match="does not hold out 3 of 3"):
        refuse_heard("A3T as shipped", shipped, recipe_clips(trained.data)[0])
