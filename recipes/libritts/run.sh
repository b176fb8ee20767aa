#!/usr/bin/env bash
# LibriTTS: train-clean-100 and -360, tested on test-clean, whose speakers training never hears.
# See ../README.md for the stages and options.
set -euo pipefail
cd "$(dirname "$0")"

source ../shared/db.sh
corpus=libritts archives=libritts
corpora=$LIBRITTS
config=conf/a3t_base.yaml
unseen= pitch=true

source ../shared/stages.sh
