# The stages that all recipes share; a recipe's run.sh sets `corpus` and its defaults, then sources
# this file with its own arguments. One with other stages names its function of them in `stages`.
# See ../README.md.

stage= stop_stage=9 ngpu=0 jobs=2 aligner=${aligner:-pocketsphinx} pitch=${pitch:-false} clips=
dev= test= work=. tag= durations_config=${durations_config:-../../a3t/model/conf/durations.yaml}
test_clips=${test_clips:-30} vocoder=${vocoder:-builtin} train_args= init= stats= python=${PYTHON:-python}

while [ $# -gt 0 ]; do
    name=${1#--}
    if [ "$name" = "$1" ] || [ $# -lt 2 ] || ! declare -p "$name" >/dev/null 2>&1; then
        echo "usage: run.sh [--stage N] [--stop_stage N] [--ngpu N] [--config YAML] [--corpora DIR]" \
            "[--work DIR] [--tag NAME] [--jobs N] [--aligner pocketsphinx|mfa] [--pitch true|false]" \
            "[--clips N] [--dev N] [--test N] [--test_clips N] [--vocoder NAME] [--init MODEL]" \
            "[--stats DIR] [--train_args '…']" >&2
        exit 2
    fi
    printf -v "$name" '%s' "$2"
    shift 2
done
again=$stage # a stage that is asked for is done again, and so are those after it
stage=${stage:-1}
tag=${tag:-$(basename "$config" .yaml)}
data=$work/data dump=$work/dump exp=$work/exp/$tag durations=$work/exp/durations
packed=$work/exp/packed/$tag
stats=${stats:-$exp/stats}

do_stage() { # NUMBER MARKER COMMAND…: once, unless asked for again; a failure is said and ends all
    local number=$1 marker=$2
    shift 2
    if [ "$number" -lt "$stage" ] || [ "$number" -gt "$stop_stage" ]; then return; fi
    if [ -z "$again" ] && [ -e "$marker" ]; then
        echo "Stage $number ($*) is done."
        return
    fi
    echo "Stage $number: $* ($(date +%H:%M:%S))"
    if ! "$@"; then
        echo "Stage $number ($*) failed; when its reason is mended: run.sh --stage $number" >&2
        exit 1
    fi
    mkdir -p "$(dirname "$marker")"
    touch "$marker"
}

download() {
    if [ -d "$corpora" ]; then
        echo "The corpus is at $corpora."
    elif [ -n "${archives:-}" ]; then
        "$python" -m a3t.corpora.download "$archives" "$(dirname "$corpora")"
    else
        echo "There is no folder $corpora: name one with --corpora." >&2
        return 1
    fi
}

prepare_data() {
    "$python" -m a3t.corpora.prepare "$corpus" "$corpora" "$data" ${unseen:+--unseen "$unseen"} \
        ${dev:+--dev "$dev"} ${test:+--test "$test"} ${clips:+--clips "$clips"}
}

align_and_dump() {
    local split flags=(--aligner "$aligner" --jobs "$jobs")
    if "$pitch"; then flags+=(--pitch); fi
    for split in "$data"/*/; do
        "$python" -m a3t.training.espnet.dump "$split" "$dump/$(basename "$split")" "${flags[@]}" || return
    done
}

espnet() { # OUTPUT OPTIONS…: the task with this recipe's data
    local out=$1 split option
    shift
    local given=(--config "$config" --output_dir "$out" --ngpu "$ngpu")
    for option in train valid; do
        split=$dump/${option/valid/dev}
        given+=(--${option}_data_path_and_name_and_type "$split/mel.scp,mel,npy")
        for name in phones durations words; do
            given+=(--${option}_data_path_and_name_and_type "$split/$name,$name,text_int")
        done
        if "$pitch"; then
            given+=(--${option}_data_path_and_name_and_type "$split/pitch.scp,pitch,npy")
        fi
    done
    # shellcheck disable=SC2086 # train_args holds several words
    "$python" -m a3t.training.espnet.train "${given[@]}" "$@" $train_args
}

statistics() { espnet "$stats" --collect_stats true --batch_size 8; }

pretrain() {
    local start=()
    if [ -n "$init" ]; then # the weights of a packed model
        "$python" -m a3t.training.espnet.initial "$init" "$exp/initial.pth" || return
        start=(--init_param "$exp/initial.pth")
    fi
    espnet "$exp" --resume true --mel_stats "$stats/train/mel_stats.npz" \
        --train_shape_file "$stats/train/mel_shape" \
        --valid_shape_file "$stats/valid/mel_shape" "${start[@]}"
}

train_durations() {
    "$python" -m a3t.training.espnet.durations "$dump" "$durations" --config "$durations_config"
}

pack() { "$python" -m a3t.training.espnet.pack "$exp" "$durations" "$packed"; }

decode() {
    "$python" -m a3t.evaluation.sample_edits "$data/test" "$packed" "$exp/decode" --vocoder "$vocoder"
}

evaluate() {
    "$python" -m a3t.evaluation.recipe_clips "$data" "$dump" "$packed" "$exp/evaluation" \
        --clips "$test_clips" --vocoder "$vocoder"
}

all_stages() {
    do_stage 1 "$work/.done/1-download" download
    do_stage 2 "$data/.done" prepare_data
    do_stage 3 "$dump/.done" align_and_dump
    do_stage 4 "$stats/.done" statistics
    do_stage 5 "$exp/.trained" pretrain
    do_stage 6 "$durations/.trained" train_durations
    do_stage 7 "$packed/.done" pack
    do_stage 8 "$exp/decode/.done" decode
    do_stage 9 "$exp/evaluation/.done" evaluate
}

"${stages:-all_stages}"
