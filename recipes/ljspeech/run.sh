#!/usr/bin/env bash
# LJSpeech: the thesis's single-speaker model. Its last 500 clips are held out, 250 for development
# and 250 for testing. See ../README.md for the stages and options.
set -euo pipefail
cd "$(dirname "$0")"

corpus=ljspeech archives=ljspeech
corpora=${LJSPEECH:-downloads/LJSpeech-1.1}
config=conf/a3t_paper.yaml
unseen=

source ../shared/stages.sh
