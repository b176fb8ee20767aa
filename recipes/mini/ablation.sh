#!/usr/bin/env bash
# Tables 4.2 and 4.3 in small, and leads beyond the thesis: every row trained equally long, from the
# same seed, on this recipe's features, then all judged on the same clips. Options are run.sh's.
#   ./ablation.sh [--work DIR] …        # A3T_ROWS='a3t_paper …' and A3T_EPOCHS=2 for other runs
set -euo pipefail
cd "$(dirname "$0")"

# The thesis's model and training, narrow and shallow, on crops of 3 s.
small="--model_conf width=96 --model_conf hidden=384 --model_conf encoder_blocks=2
    --model_conf decoder_blocks=2 --model_conf postnet_channels=128 --model_conf dropout=0.1
    --model_conf postnet_dropout=0.1 --data_conf crop=[240,240] --bf16 true
    --scheduler_conf model_size=96 --scheduler_conf warmup_steps=150 --optim_conf fused=true
    --batch_bins 80000 --num_iters_per_epoch 250 --max_epoch ${A3T_EPOCHS:-4}
    --keep_nbest_models 1 --num_workers 0"
rows=${A3T_ROWS:-a3t_paper ablation/no_alignment ablation/transformer ablation/no_postnet ablation/l2
    ablation/single_transformer ablation/single_no_postnet ablation/single_l2 ablation/mask_20
    ablation/mask_50 ablation/speech_only ablation/frame_phones ablation/frame_progress
    ablation/aligned_positions ablation/normalise ablation/layer_norm ablation/linear
    ablation/pitch ablation/use_masks ablation/augment}

work=.
for ((k = 1; k < $#; k++)); do
    if [ "${!k}" = --work ]; then next=$((k + 1)) && work=${!next}; fi
done

train() { # TAG CONFIG MORE…
    local tag=$1 config=$2
    shift 2
    ./run.sh "${given[@]}" --stop_stage 5 --tag "ablation/$tag" --config "../shared/conf/$config.yaml" \
        --stats "$work/exp/ablation/stats" --train_args "$small $*"
    runs+=("$work/exp/ablation/$tag")
}

given=("$@") runs=()
for row in $rows; do train "$(basename "$row")" "$row"; done
train a3t_paper_again a3t_paper --seed 1 # how much two runs of one configuration differ

"${PYTHON:-python}" -m a3t.training.espnet.compare "$work/dump" "${runs[@]}"
