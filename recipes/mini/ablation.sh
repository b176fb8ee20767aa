#!/usr/bin/env bash
# Tables 4.2 and 4.3 in small, and leads beyond the thesis: every row trained equally long, from the
# same seed, on this recipe's features, then all judged on the same crops. Options are run.sh's.
#   ./ablation.sh [--work DIR] …
#   A3T_ROWS="a3t_paper …" A3T_EPOCHS=8 A3T_ALL="--model_conf frame_phones=true" ./ablation.sh …
# chooses rows, how long each is trained, and what is changed in all of them.
set -euo pipefail
cd "$(dirname "$0")"

# The thesis's model and training, narrow and shallow, on short crops, two a batch.
frames=160
small="--model_conf width=128 --model_conf hidden=384 --model_conf encoder_blocks=1
    --model_conf decoder_blocks=1 --model_conf postnet_channels=128 --model_conf dropout=0.1
    --model_conf postnet_dropout=0.1 --data_conf crop=[$frames,$frames] --bf16 true
    --scheduler_conf model_size=128 --scheduler_conf warmup_steps=200 --optim_conf lr=0.16
    --optim_conf fused=true --batch_bins $((2 * frames * 80)) --num_iters_per_epoch 300
    --max_epoch ${A3T_EPOCHS:-3} --keep_nbest_models 1 --num_workers 0 ${A3T_ALL:-}"
rows=${A3T_ROWS:-a3t_paper ablation/no_alignment ablation/transformer ablation/no_postnet ablation/l2
    a3t_paper:1 ablation/frame_phones ablation/speech_only ablation/mask_20 ablation/mask_50
    ablation/single_transformer ablation/single_no_postnet ablation/single_l2
    ablation/frame_progress ablation/aligned_positions ablation/normalise ablation/layer_norm
    ablation/linear ablation/pitch ablation/use_masks ablation/augment
    ablation/critic}

work=.
for ((k = 1; k < $#; k++)); do
    if [ "${!k}" = --work ]; then next=$((k + 1)) && work=${!next}; fi
done

runs=()
for row in $rows; do # NAME, or NAME:SEED: how much two runs of one configuration differ
    config=${row%:*} seed=0
    if [ "$config" != "$row" ]; then seed=${row#*:}; fi
    tag=ablation/$(basename "$config")-$seed${A3T_ALL:+-$(tr -c '[:alnum:]\n' _ <<<"${A3T_ALL#--}")}
    ./run.sh "$@" --stop_stage 5 --tag "$tag" --config "../shared/conf/$config.yaml" \
        --stats "$work/exp/ablation/stats" --train_args "$small --seed $seed"
    runs+=("$work/exp/$tag")
done
"${PYTHON:-python}" -m a3t.evaluation.ablation "$work/dump" "${runs[@]}" --frames $frames
