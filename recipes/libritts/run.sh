#!/usr/bin/env bash
# LibriTTS: train-clean-100 and -360, tested on test-clean, whose speakers training never hears.
# See ../README.md for the stages and options.
set -euo pipefail
cd "$(dirname "$0")"

corpus=libritts archives=libritts
corpora=${LIBRITTS:-downloads/LibriTTS}
config=conf/a3t_base.yaml
unseen= pitch=true

source ../shared/stages.sh
