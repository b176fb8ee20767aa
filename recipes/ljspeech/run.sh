#!/usr/bin/env bash
# LJSpeech: the thesis's single-speaker model. Its last 500 clips are held out, 250 for development
# and 250 for testing. See ../README.md for the stages and options.
set -euo pipefail
cd "$(dirname "$0")"

source ../shared/db.sh
corpus=ljspeech archives=ljspeech
corpora=$LJSPEECH
config=conf/a3t_paper.yaml
unseen=

source ../shared/stages.sh
