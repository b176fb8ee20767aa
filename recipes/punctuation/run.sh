#!/usr/bin/env bash
# Punctuation restoration: FFA trained from random weights on one core, its ablation and baselines, all
# tested on the same texts. --text names a folder with one paragraph per line, *.txt or *.txt.xz. Files
# with "test" in their names are for testing (also *test*.tsv with words and tags, as IWSLT 2011's), files
# with "dev" for the score offsets, all others for training. See ../README.md.
#   ./run.sh --text DIR --seconds 20 --row_seconds 5 --work tiny     # does everything work?
set -euo pipefail
cd "$(dirname "$0")"

stages=punctuation_stages
text=${A3T_TEXT:-downloads} corpora=${A3T_CORPORA:-}
config=conf/ffa.yaml
seconds=1850 row_seconds=90
stop_stage=5
only="stage stop_stage config train_config tag corpora work expdir"
own_help="--text DIR               texts for training and testing ($text)
--seconds N              processor seconds for the model ($seconds)
--row_seconds N          processor seconds for each row of the tables ($row_seconds)"

rows() { # of the tables: NAME CONFIG CHANGES…; the ablation of the paper with three seeds
    for seed in 1 2 3; do
        cat <<END
ffa_$seed ffa training.seed=$seed
no_interaction_$seed ffa training.seed=$seed ffa.interaction=false
no_msa_$seed ffa training.seed=$seed ffa.msa=false
neither_$seed ffa training.seed=$seed ffa.interaction=false ffa.msa=false
END
    done
    cat <<END
no_isa ffa ffa.isa=false
no_fusion ffa ffa.interaction=false ffa.fusion=false
no_neighbours ffa training.neighbours=false
END
}

texts() { # to learn from
    find "$text" -maxdepth 1 \( -name '*.txt' -o -name '*.txt.xz' \) ! -name '*test*' ! -name '*dev*' | sort
}

tests() { # to be judged on
    find "$text" -maxdepth 1 -name '*test*' \( -name '*.txt' -o -name '*.txt.xz' -o -name '*.tsv' \) | sort
}

pauses() { # what the configuration has under "pauses"
    if [ -z "$corpora" ]; then echo "No --corpora: pauses stay as configured." && return; fi
    mkdir -p "$work" && "$python" -m training.text.pause_lengths "$corpora" >"$work/pauses.yaml"
}

train_one() { # FOLDER CONFIG CHANGES…
    # shellcheck disable=SC2046 # several files
    $train_cmd "$1/train.log" "$python" -m training.text.train_punctuation "$2" --out "$1" \
        --text $(texts) --set "${@:3}" $([ -z "$corpora" ] || echo --pauses "$work/pauses.yaml")
}

train() { train_one "$exp" "$config" training.seconds="$seconds"; }

compare() {
    local name conf changes
    while read -r name conf changes; do
        # shellcheck disable=SC2086 # several changes; the last one that is given counts
        train_one "$expdir/rows/$name" "conf/$conf.yaml" training.seconds="$row_seconds" $changes
    done < <(rows)
}

judge() {
    # shellcheck disable=SC2046
    "$python" -m training.text.punctuation_scores "$exp" "$expdir"/rows/* \
        --text $(tests) | tee "$expdir/scores.md"
}

pack_best() {
    # shellcheck disable=SC2046
    "$python" -m training.text.export_punctuation "$exp" --to "$packed" --text $(tests) \
        $(find "$text" -maxdepth 1 -name '*dev*.txt*' | sort | sed '1s/^/--dev /')
}

punctuation_stages() {
    do_stage 1 "$work/.done/1-pauses" pauses "$corpora"
    do_stage 2 "$exp/.trained" train "$text" "$seconds"
    do_stage 3 "$expdir/rows/.trained" compare "$text" "$row_seconds"
    do_stage 4 "$expdir/.judged" judge
    do_stage 5 "$packed/.done" pack_best
}

source ../shared/stages.sh
