#!/usr/bin/env bash
# Pieces of LibriSpeech, LJSpeech, VCTK and the Kathleen dataset in the folder that A3T_CORPORA
# (or --corpora) names: for training on two cores, and for trying out a recipe. See ../README.md.
#   ./run.sh --config conf/tiny.yaml --clips 12 --work tiny     # minutes: does everything work?
set -euo pipefail
cd "$(dirname "$0")"

corpus=mini
corpora=${A3T_CORPORA:-}
config=conf/a3t_small.yaml
unseen= pitch=true

source ../shared/stages.sh
