#!/usr/bin/env bash
# VCTK (0.92, or 0.80 where VCTK names it): the thesis's multi-speaker model. Five clips a speaker
# for development, five for testing, ten speakers never heard, p315 left out. See ../README.md.
set -euo pipefail
cd "$(dirname "$0")"

source ../shared/db.sh
corpus=vctk archives=vctk
corpora=$VCTK
config=conf/a3t_paper.yaml
unseen=conf/unseen_speakers.txt

source ../shared/stages.sh
