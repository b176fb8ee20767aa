#!/usr/bin/env bash
# Tables 4.2 and 4.3 in small, and additions to the thesis: trains every row for the same time, from the
# same seed, on this recipe's features, then evaluates all on the same crops. Options are run.sh's.
#   ./ablation.sh [--work DIR] …
#   A3T_ROWS="a3t_paper …" A3T_EPOCHS=8 A3T_ALL="--model_conf frame_phones=true" ./ablation.sh …
# chooses rows, the length of each training, and changes to all of them.
set -euo pipefail
cd "$(dirname "$0")"
case " $* " in *" --help "* | *" -h "*) sed -n '2,/^set/s/^# //p' "$(basename "$0")" && exec ./run.sh --help ;; esac

small="--config conf/narrow.yaml --max_epoch ${A3T_EPOCHS:-3} ${A3T_ALL:-}"
rows=${A3T_ROWS:-a3t_paper ablation/no_alignment_embedding ablation/transformer ablation/no_postnet ablation/fat_mlm
    a3t_paper:1 ablation/frame_phones ablation/speech_only ablation/mask_20 ablation/mask_50
    ablation/single_transformer ablation/single_no_postnet ablation/single_l2
    ablation/frame_progress ablation/aligned_positions ablation/normalise ablation/layer_norm
    ablation/linear ablation/pitch ablation/energy ablation/voice ablation/use_masks
    ablation/augment ablation/critic}

work=.
for ((k = 1; k < $#; k++)); do
    if [ "${!k}" = --work ]; then next=$((k + 1)) && work=${!next}; fi
done

runs=()
for row in $rows; do # NAME, or NAME:SEED: how much two runs of one configuration differ
    config=../shared/conf/${row%:*}.yaml seed=0
    if [ "${row%:*}" != "$row" ]; then seed=${row#*:}; fi
    if [ "${row%:*}" = a3t_paper ]; then config=../ljspeech/conf/a3t_paper.yaml; fi
    tag=ablation/$(basename "$config" .yaml)-$seed${A3T_ALL:+-$(tr -c '[:alnum:]\n' _ <<<"${A3T_ALL#--}")}
    ./run.sh "$@" --loop espnet --stop_stage 4 --tag "$tag" --config "$config" \
        --train_args "$small --seed $seed"
    runs+=("$work/exp/$tag")
done
"${PYTHON:-python}" -m evaluation runs "${runs[@]}" --features "$work/dump" --frames 160
