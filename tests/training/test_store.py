"""The feature store returns what was written."""

import errno
import io
from pathlib import Path

import numpy as np
import pytest

from a3t.errors import InputError
from tests.training.stores import made_up_clip, write_store
from training.features import store as room
from training.features.store import INDEX, Store, StoreWriter


def clip(seed: int) -> dict[str, np.ndarray]:
    return made_up_clip(np.random.default_rng(seed), 0, 12, 9)


def same(store: Store, name: str, arrays: dict[str, np.ndarray]) -> None:
    (found,) = (clip for clip in store.clips if clip.name == name)
    stored = store.read(found)
    np.testing.assert_array_equal(stored.mel, arrays["mel"].astype(np.float16).astype(np.float32))
    for key in ("phones", "durations", "words"):
        np.testing.assert_array_equal(getattr(stored, key), arrays[key])


def test_clips_of_all_shards_survive_writing_and_reading(tmp_path: Path) -> None:
    for shard in range(3):
        with StoreWriter(tmp_path / "train" / f"shard{shard}", ["pitch"]) as writer:
            for k in range(2):
                writer.add(f"{shard}{k}", clip(10 * shard + k), "v", "train", "corpus")
    store = Store(tmp_path)
    assert [found.name for found in store.clips] == ["00", "01", "10", "11", "20", "21"]
    for shard in range(3):
        for k in range(2):
            same(store, f"{shard}{k}", clip(10 * shard + k))
    last = store.clips[-1]
    assert (last.voice, last.split, last.corpus, last.score) == ("v", "train", "corpus", 0.9)
    pitch = store.read(last).pitch
    assert pitch is not None
    np.testing.assert_allclose(pitch, clip(21)["pitch"], atol=4e-3)
    assert len(store.read(last, mel=False).mel) == 0 and len(store.read(last, mel=False).phones)


@pytest.mark.parametrize("harm", ["array", "index", "both"])
def test_files_left_half_written_by_a_kill_are_removed(tmp_path: Path, harm: str) -> None:
    with StoreWriter(tmp_path) as writer:
        for k in range(3):
            writer.add(str(k), clip(k), "v", "train")
    if harm != "index":
        for name in ("mel", "phones"):
            with open(tmp_path / f"{name}.npy", "ab") as file:
                file.write(b"\1" * 333)
    if harm != "array":
        with open(tmp_path / INDEX, "ab") as file:
            file.write(b'{"name": "3", "voi')
    assert len(Store(tmp_path).clips) == 3  # a store can be read while it is written
    with StoreWriter(tmp_path) as writer:
        assert [found.name for found in writer.clips] == ["0", "1", "2"]
        writer.add("3", clip(3), "v", "train")
    for k in range(4):
        same(Store(tmp_path), str(k), clip(k))
    assert len(np.load(tmp_path / "mel.npy")) == sum(len(clip(k)["mel"]) for k in range(4))


def test_clips_that_are_no_longer_wanted_are_dropped(tmp_path: Path) -> None:
    with StoreWriter(tmp_path) as writer:
        for k in range(4):
            writer.add(str(k), clip(k), "v", "train")
    with StoreWriter(tmp_path, keep={"0", "2"}) as writer:
        writer.add("new", clip(9), "v", "train")
    store = Store(tmp_path)
    assert [found.name for found in store.clips] == ["0", "2", "new"]
    for name, seed in (("0", 0), ("2", 2), ("new", 9)):
        same(store, name, clip(seed))


def test_one_process_writes_at_a_time_and_the_same_arrays(tmp_path: Path) -> None:
    with StoreWriter(tmp_path) as writer:
        writer.add("a", clip(0), "v", "train")
        with pytest.raises(InputError, match="Another process"):
            StoreWriter(tmp_path)
    with pytest.raises(InputError, match="other features"):
        StoreWriter(tmp_path, ["pitch"])


def test_a_full_disk_gives_one_sentence_and_loses_only_the_last_clip(tmp_path: Path) -> None:
    class Full(io.BytesIO):
        def write(self, _: object) -> int:
            raise OSError(errno.ENOSPC, "No space left on device")

    with StoreWriter(tmp_path) as writer:
        writer.add("a", clip(0), "v", "train")
        writer.arrays["words"].file.close()
        writer.arrays["words"].file = Full()  # type: ignore[assignment]
        with pytest.raises(InputError, match="the disk is full"):
            writer.add("b", clip(1), "v", "train")
    with StoreWriter(tmp_path) as writer:
        assert [found.name for found in writer.clips] == ["a"]
        writer.add("b", clip(1), "v", "train")
    same(Store(tmp_path), "b", clip(1))


def test_statistics_are_those_of_all_frames_of_the_split(tmp_path: Path) -> None:
    store = write_store(tmp_path, {"train": 5, "dev": 2})
    mels = [store.read(found).mel for found in store.of_split("train")]
    mean, deviation = store.statistics()
    np.testing.assert_allclose(mean, np.concatenate(mels).mean(0), atol=1e-4)
    np.testing.assert_allclose(deviation, np.concatenate(mels).std(0), rtol=1e-3)
    few = np.concatenate([mels[0], mels[3]])
    np.testing.assert_allclose(store.statistics(clips=2)[0], few.mean(0), atol=1e-4)


def test_a_folder_that_is_not_a_store_gives_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"training\.extract"):
        Store(tmp_path)
    (tmp_path / INDEX).write_text('{"no": "clip"}\n')
    with pytest.raises(InputError, match="not the index"):
        Store(tmp_path)
    (tmp_path / INDEX).write_text("")
    with pytest.raises(InputError, match="can't be read"):
        Store(tmp_path)


def test_degraded_copies_are_counted_where_the_clips_are(tmp_path: Path) -> None:
    assert room.COPY == "mel-degraded-"
    copies = {f"{room.COPY}{k}": clip(5)["mel"] + k for k in (1, 2)}
    with StoreWriter(tmp_path / "train", list(copies)) as writer:
        writer.add("a", clip(5) | copies, "v", "train")
    with StoreWriter(tmp_path / "dev") as writer:
        writer.add("b", clip(1), "v", "dev")
    store = Store(tmp_path)
    assert store.copies(store.of_split("train")) == 2 and store.copies(store.clips) == 0
    (one,) = store.of_split("train")
    np.testing.assert_allclose(
        store.read(one, copy=2).mel - store.read(one).mel, 2.0, atol=0.01, rtol=2e-3
    )
