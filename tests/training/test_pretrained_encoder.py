"""Pretrained encoders, on tiny models with random weights, saved and loaded as real ones are."""

from pathlib import Path

import pytest
import torch
from torch import nn

from a3t.errors import InputError
from a3t.text.punctuation.network import predict
from a3t.text.punctuation.words_and_tags import Vocabulary
from training.configuration import read_config
from training.text.pretrained_encoder import TwoStreams
from training.text.train_punctuation import TaggerTraining, network_of

WORDS = "we went home and slept what happened then nobody knows it".split()


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A Funnel-Transformer and a BART of a few thousand weights, which split words in pieces."""
    transformers = pytest.importorskip("transformers")
    from tokenizers import Tokenizer, pre_tokenizers
    from tokenizers.models import WordPiece

    letters = "abcdefghijklmnopqrstuvwxyz"
    listed = ["<pad>", "<unk>", "<s>", "</s>", "we", "home", *letters, *(f"##{x}" for x in letters)]
    tokens = {token: place for place, token in enumerate(listed)}
    tokeniser = Tokenizer(WordPiece(tokens, unk_token="<unk>"))
    tokeniser.pre_tokenizer = pre_tokenizers.Whitespace()
    fast = transformers.PreTrainedTokenizerFast(
        tokenizer_object=tokeniser, pad_token="<pad>", unk_token="<unk>", model_max_length=64
    )
    torch.manual_seed(0)
    funnel = transformers.FunnelModel(
        transformers.FunnelConfig(
            vocab_size=len(listed), block_sizes=[1, 1], num_decoder_layers=1, d_model=16, n_head=2,
            d_head=8, d_inner=32, max_position_embeddings=64,
        )
    )  # fmt: skip
    bart = transformers.BartModel(
        transformers.BartConfig(
            vocab_size=len(listed), d_model=16, encoder_layers=1, decoder_layers=1,
            encoder_attention_heads=2, decoder_attention_heads=2, encoder_ffn_dim=32,
            decoder_ffn_dim=32, max_position_embeddings=64, pad_token_id=0, bos_token_id=2,
            eos_token_id=3, decoder_start_token_id=3, forced_eos_token_id=None,
        )
    )  # fmt: skip
    folders = {}
    for name, model in (("funnel", funnel), ("bart", bart)):
        folders[name] = tmp_path_factory.mktemp("models") / name
        model.save_pretrained(folders[name])
        fast.save_pretrained(folders[name])
    return folders


def config(*names: Path) -> dict[str, object]:
    pretrained = [str(name) for name in names] if len(names) > 1 else str(names[0])
    return {"encoder": {"pretrained": pretrained}, "ffa": {"heads": 2, "fusion_heads": 2}}


@pytest.mark.parametrize("names", [("funnel",), ("bart",), ("funnel", "bart")])
def test_a_tag_for_each_word_whatever_its_tokens(
    names: tuple[str, ...], models: dict[str, Path]
) -> None:
    network = TwoStreams.of(config(*(models[name] for name in names)))
    tags, cases = predict(network, WORDS)
    assert tags.shape == (len(WORDS), 4) and cases.shape == (len(WORDS), 3)
    assert torch.allclose(tags.sum(-1), torch.ones(len(WORDS)))


def test_what_is_padded_changes_nothing(models: dict[str, Path]) -> None:
    # Funnel-Transformer pools neighbours, padding among them, by itself; BART does not.
    network = TwoStreams.of(config(models["bart"])).eval()
    with torch.no_grad():
        alone = network([WORDS[:4]])[0][0]
        beside = network([WORDS[:4], WORDS])[0][0, :4]
    assert torch.allclose(alone, beside, atol=1e-4)


def test_it_learns_through_the_pretrained_model(models: dict[str, Path]) -> None:
    network = TwoStreams.of(config(models["funnel"], models["bart"])).train()
    loss = nn.functional.cross_entropy(network([WORDS])[0][0], torch.zeros(len(WORDS)).long())
    loss.backward()
    for encoder in (network.encoder, network.for_msa):
        assert any(x.grad is not None and x.grad.abs().sum() > 0 for x in encoder.parameters())


def test_a_name_that_is_no_model_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="can't be loaded"):
        TwoStreams.of(config(tmp_path / "nothing"))


def test_the_papers_configuration_describes_a_network(models: dict[str, Path]) -> None:
    path = Path(__file__).parents[2] / "recipes" / "punctuation" / "conf" / "paper.yaml"
    paper = read_config(path)
    paper["encoder"] |= {"pretrained": [str(models["funnel"]), str(models["bart"])], "tokens": 8}
    network = network_of(paper, Vocabulary(("we",), 4)).eval()
    assert network.encoder.most == 8 and network([WORDS])[0].shape == (1, len(WORDS), 4)
    assert TaggerTraining(**paper["training"]).r_drop == 5.0
