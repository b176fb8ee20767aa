#!/usr/bin/env bash
# The systems of the thesis's tables: trains each for the same processor time (tables 4.2 and 4.3:
# steps) on this recipe's features, then evaluates all on the same clips. NAME:SEED is a further training
# of a system. Finished work is not repeated. FastSpeech 2, and so Baselines 1 to 3, need ESPnet
# (../README.md). Options are run.sh's; with --voice the tables are of that voice alone.
#   A3T_MINUTES=10 A3T_SYSTEMS="a3t editspeech …" A3T_TABLE="--clips 8" ./compare.sh [--work DIR] …
set -euo pipefail
cd "$(dirname "$0")"
case " $* " in *" --help "* | *" -h "*) sed -n '2,/^set/s/^# //p' "$(basename "$0")" && exec ./run.sh --help ;; esac

python=${PYTHON:-python} conf=../../evaluation/systems/conf
systems=${A3T_SYSTEMS:-a3t a3t_thesis no_alignment_embedding transformer no_postnet fat_mlm mam mask_20
    mask_50 editspeech fastspeech2 fastspeech2_gst}
work=. voice=
for ((k = 1; k < $#; k++)); do
    next=$((k + 1))
    case ${!k} in --work) work=${!next} ;; --voice) voice=${!next} ;; esac
done

./run.sh "$@" --stop_stage 3
"$python" -m evaluation.systems.speaker_vectors --data "$work/data" --features "$work/dump" \
    --out "$work/dump/speaker-vectors.npz"
for system in $systems; do
    seed=
    case $system in *:*) seed=${system#*:} ;; esac
    "$python" -m evaluation.systems.train_systems "$conf/${system%:*}.yaml" \
        --features "$work/dump" --vectors "$work/dump/speaker-vectors.npz" \
        --out "$work/exp/systems/${system/:/.}" ${seed:+--seed "$seed"} \
        ${A3T_MINUTES:+--minutes "$A3T_MINUTES"}
done
# shellcheck disable=SC2086 # several words
"$python" -m evaluation table all --data "$work/data" --runs "$work/exp/systems" --out "$work/exp/comparison" \
    ${voice:+--voice "$voice"} ${A3T_TABLE:-}
