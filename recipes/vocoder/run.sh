#!/usr/bin/env bash
# The built-in vocoder, on every corpus that stands in one folder under its usual name (LJSpeech*,
# VCTK*, LibriSpeech*, kathleen*); without a folder LJSpeech is fetched. See ../README.md.
#   ./run.sh --config conf/tiny.yaml --steps 20 --work tiny --test_clips 1    # does it work?
set -euo pipefail
cd "$(dirname "$0")"

stages=vocoder_stages
corpora=${A3T_CORPORA:-downloads}
config=conf/small.yaml
steps=200000 test_clips=8
stop_stage=5
only="stage stop_stage config train_config train_args tag corpora work expdir ngpu test_clips"
own_help="--steps N                training steps ($steps)"

fetch() { [ -d "$corpora" ] || ../shared/download.sh ljspeech "$corpora"; }

waveforms() { "$python" -m training.vocoder.waveforms "$work/wav24" --corpora "$corpora"; }

train() { # goes on where it stopped
    # shellcheck disable=SC2086 # train_args holds several words
    $cuda_cmd "$exp/train.log" "$python" -m training.vocoder --data "$work/wav24" \
        --out "$exp" --config "$config" --steps "$steps" \
        --device "$([ "$ngpu" = 0 ] && echo cpu || echo cuda)" $train_args
}

export_weights() {
    "$python" -m training.vocoder export --out "$exp" --to "$packed"
}

compare() {
    "$python" -m evaluation vocoders --vocoder "$packed" --corpora "$corpora" \
        --clips "$test_clips" --out "$exp/evaluation"
}

vocoder_stages() {
    do_stage 1 "$work/.done/1-fetch" fetch
    do_stage 2 "$work/wav24/.done" waveforms "$corpora"
    do_stage 3 "$exp/.trained" train "$steps"
    do_stage 4 "$packed/.done" export_weights
    do_stage 5 "$exp/evaluation/.done" compare "$test_clips"
}

source ../shared/stages.sh
