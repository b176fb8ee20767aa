#!/usr/bin/env bash
# How figures are said: the chooser that ships (training.text.train_figures), and Proteno's whole way,
# classes generated from data and a tagger, on sentences whose figures were words; both beside our rules.
# --text names a folder with one paragraph per line, *.txt or *.txt.xz; files with "dev" or "test" in
# their names are only for testing, and so is every fifth paragraph of the others.
#   ./run.sh --text DIR --config conf/tiny.yaml --work tiny     # does everything work?
set -euo pipefail
cd "$(dirname "$0")"

stages=figure_stages
text=${A3T_TEXT:-downloads}
config=conf/tagger.yaml
most=2000 shares="1 0.3 0.1 0.03"
stop_stage=4
only="stage stop_stage config train_config tag work expdir"
own_help="--text DIR               texts for training and testing ($text)
--most N                 sentences of each kind of figure for training ($most)
--shares 'N …'           shares of them that a tagger learns from, each ($shares)"

texts() { # FIND'S CONDITIONS…
    find "$text" -maxdepth 1 \( -name '*.txt' -o -name '*.txt.xz' \) "$@" | sort
}

choose() {
    # shellcheck disable=SC2046 # several files
    "$python" -m training.text.train_figures --out "$expdir/chooser" \
        $(texts ! -name '*test*' ! -name '*dev*')
}

make_sentences() {
    # shellcheck disable=SC2046
    "$python" -m training.figures.made_sentences --out "$data/made.jsonl" --most "$most" $(texts)
}

train() {
    local share
    for share in $shares; do
        $train_cmd "$exp/share-$share/train.log" "$python" -m training.figures.train_tagger "$config" \
            --made "$data/made.jsonl" --out "$exp/share-$share" --share "$share"
    done
}

judge() {
    # shellcheck disable=SC2046
    "$python" -m training.figures.figure_scores $(printf "$exp/share-%s " $shares) \
        --made "$data/made.jsonl" --chooser "$expdir/chooser" | tee "$exp/scores.md"
}

figure_stages() {
    do_stage 1 "$expdir/chooser/.done" choose "$text"
    do_stage 2 "$data/.done" make_sentences "$text" "$most"
    after=$data/.done do_stage 3 "$exp/.trained" train "$shares" "$(sum_of "$config")"
    after="$exp/.trained $expdir/chooser/.done" do_stage 4 "$exp/.judged" judge
}

source ../shared/stages.sh
