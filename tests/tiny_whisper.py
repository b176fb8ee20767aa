"""A model of Whisper's own architecture, as small as it can be, in faster-whisper's format.

Its weights are random, or learnt in some seconds to say one text whatever it hears.
"""

from pathlib import Path

import pytest

SPECIAL = [
    "<|endoftext|>", "<|startoftranscript|>", "<|translate|>", "<|transcribe|>", "<|startoflm|>",
    "<|startofprev|>", "<|nospeech|>", "<|notimestamps|>",
    *(f"<|{k * 0.02:.2f}|>" for k in range(1501)),
]  # fmt: skip


def make_tiny_whisper(folder: Path, text: str = "", steps: int = 150) -> None:
    """Write a model that knows the words of ``text``, and says it all if there are ``steps``."""
    pytest.importorskip("faster_whisper", reason="pip install 'a3t[whisper]' for Whisper's tests")
    import torch
    from ctranslate2.converters import TransformersConverter
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import (
        PreTrainedTokenizerFast,
        WhisperConfig,
        WhisperFeatureExtractor,
        WhisperForConditionalGeneration,
    )

    pieces = pre_tokenizers.ByteLevel(add_prefix_space=True)
    words = ["<unk>", *dict.fromkeys(piece for piece, _ in pieces.pre_tokenize_str(text))]
    vocabulary = {word: k for k, word in enumerate(words)}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="<unk>"))
    tokenizer.pre_tokenizer, tokenizer.decoder = pieces, decoders.ByteLevel()
    tokenizer.add_special_tokens(SPECIAL)
    number = {token: len(words) + k for k, token in enumerate(SPECIAL)}
    ends = dict.fromkeys(("eos", "bos", "pad"), number["<|endoftext|>"])
    torch.manual_seed(0)
    model = WhisperForConditionalGeneration(
        WhisperConfig(
            vocab_size=len(words) + len(SPECIAL), d_model=32,
            encoder_layers=1, encoder_attention_heads=2, encoder_ffn_dim=32,
            decoder_layers=1, decoder_attention_heads=2, decoder_ffn_dim=64,
            decoder_start_token_id=number["<|startoftranscript|>"],
            **{f"{name}_token_id": value for name, value in ends.items()},
            suppress_tokens=[], begin_suppress_tokens=[],
        )
    )  # fmt: skip
    ids = tokenizer.encode(text, add_special_tokens=False).ids
    begin = [number["<|startoftranscript|>"], number["<|0.00|>"]]
    said = torch.tensor([[*begin, *ids, number["<|2.00|>"], number["<|endoftext|>"]]])
    with torch.no_grad():
        sounds = [model.model.encoder(level * torch.randn(1, 80, 3000)) for level in (0.1, 0.5, 1)]
    optimiser = torch.optim.Adam(model.model.decoder.parameters(), 0.02)
    for step in range(steps):
        inputs = {"encoder_outputs": sounds[step % 3], "decoder_input_ids": said[:, :-1]}
        loss = model(**inputs, labels=said[:, 1:]).loss
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    source = folder.with_name(f"{folder.name}-source")
    model.generation_config.alignment_heads = [[0, 0]]
    model.save_pretrained(source)
    PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, eos_token="<|endoftext|>", unk_token="<unk>"
    ).save_pretrained(source)
    WhisperFeatureExtractor().save_pretrained(source)
    converter = TransformersConverter(str(source), copy_files=["tokenizer.json"])
    converter.convert(str(folder), quantization="int8")
