#!/usr/bin/env bash
# Language models of whole documents: Transformer-XL, Segatron's positions, hypernym class prediction,
# and both, each with several seeds and equal steps, and their perplexities on held-out books. --text names a
# folder with one paragraph per line, *.txt or *.txt.xz, as training.words.positioned_text reads it, and
# --wordnet the files of Debian's wordnet-base. A run that was stopped resumes with the same command.
#   ./run.sh --text DIR --config conf/tiny.yaml --seeds 1 --work tiny     # does everything work?
set -euo pipefail
cd "$(dirname "$0")"

stages=word_stages
text=${A3T_TEXT:-downloads} wordnet=/usr/share/wordnet
config=conf/transformer_xl.yaml
seeds=3
stop_stage=3
only="stage stop_stage config train_config tag work expdir"
own_help="--text DIR               texts for training and testing ($text)
--wordnet DIR            WordNet's dictionary files ($wordnet)
--seeds N                trainings of each row ($seeds)"

rows() { # NAME CHANGES…
    cat <<END
transformer_xl
segatron conf/segatron.yaml
hypernyms conf/hypernyms.yaml
both conf/segatron.yaml conf/hypernyms.yaml
END
}

prepare() {
    # shellcheck disable=SC2046 # several files
    "$python" -m training.words.positioned_text "$config" --wordnet "$wordnet" --out "$data" \
        $(find "$text" -maxdepth 1 \( -name '*.txt' -o -name '*.txt.xz' \) | sort)
}

train() { # all rows with one seed before the next
    local seed name changes
    for ((seed = 1; seed <= seeds; seed++)); do
        while read -r name changes; do
            # shellcheck disable=SC2086 # several files
            $train_cmd "$exp/$name-$seed/train.log" "$python" -m training.words.train_transformer_xl \
                "$config" $changes --data "$data" --out "$exp/$name-$seed" --seed "$seed" </dev/null
        done < <(rows)
    done
}

judge() {
    "$python" -m training.words.perplexities "$exp"/*-[0-9]* --data "$data" | tee "$exp/perplexities.md"
}

word_stages() {
    do_stage 1 "$data/.done" prepare "$text" "$wordnet" "$(sum_of "$config")"
    after=$data/.done do_stage 2 "$exp/.trained" train "$seeds"
    after=$exp/.trained do_stage 3 "$exp/.judged" judge
}

source ../shared/stages.sh
