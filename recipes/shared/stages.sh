# The stages that all recipes share; a recipe's run.sh sets `corpus` and its defaults, then sources
# this file with its own arguments. One with other stages names its function of them in `stages`.
# See ../README.md.

stage= stop_stage=8 ngpu=0 nj=2 aligner=${aligner:-pocketsphinx} pitch=${pitch:-false} clips=
dev= test= work=. dumpdir= expdir= tag= degraded=${degraded:-0} alignments= init=
train_config= train_args= durations_config=${durations_config:-../../a3t/model/conf/durations.yaml}
test_clips=${test_clips:-30} vocoder=${vocoder:-builtin}
# shellcheck source=path.sh
source ../shared/path.sh
# shellcheck source=cmd.sh
source ../shared/cmd.sh

options="stage stop_stage ngpu nj config train_config corpora work dumpdir expdir tag aligner alignments pitch
    degraded clips dev test test_clips durations_config vocoder init train_args ${options:-}"
usage() {
    echo "usage: run.sh [--OPTION VALUE]…, of which there are:" $options
    echo "../README.md says what each of them does."
}
while [ $# -gt 0 ]; do
    name=${1#--}
    case $name in help | -h) usage && exit ;; jobs) name=nj ;; esac
    if [ "$name" = "$1" ] || [ $# -lt 2 ] || [[ " "$(echo $options)" " != *" $name "* ]]; then
        echo "run.sh: what is $1 ${2-}?" >&2
        usage >&2
        exit 2
    fi
    printf -v "$name" '%s' "$2"
    shift 2
done
again=$stage # a stage that is asked for is done again, and so are those after it
stage=${stage:-1} config=${train_config:-$config}
tag=${tag:-$(basename "$config" .yaml)}
data=$work/data dump=${dumpdir:-$work/dump} expdir=${expdir:-$work/exp}
exp=$expdir/$tag durations=$expdir/durations packed=$expdir/packed/$tag

do_stage() { # NUMBER MARKER COMMAND SETTINGS…: once with these settings, unless asked for again
    local number=$1 marker=$2 command=$3 settings="${*:4}"
    if [ "$number" -lt "$stage" ] || [ "$number" -gt "$stop_stage" ]; then return; fi
    if [ -z "$again" ] && [ -e "$marker" ]; then
        if [ "$(cat "$marker")" = "$settings" ]; then
            echo "Stage $number ($command) is done."
            return
        fi
        echo "Stage $number was done with other settings: \"$(cat "$marker")\"."
        again=$number
    fi
    echo "Stage $number: $command ($(date +%H:%M:%S))"
    if ! "$command"; then
        echo "Stage $number ($command) failed; once the cause is mended: run.sh --stage $number" >&2
        exit 1
    fi
    mkdir -p "$(dirname "$marker")"
    echo "$settings" >"$marker"
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

extract() {
    local flags=(--aligner "$aligner" --jobs "$nj" --degraded "$degraded")
    if "$pitch"; then flags+=(--pitch); fi
    if [ -n "$alignments" ]; then flags+=(--alignments "$alignments"); fi
    $train_cmd "$dump/extract.log" "$python" -m a3t.training.extract "$data" "$dump" "${flags[@]}"
}

pretrain() {
    # shellcheck disable=SC2086 # train_args holds several words
    $cuda_cmd "$exp/train.log" "$python" -m a3t.training.espnet.train --config "$config" \
        --features "$dump" --output_dir "$exp" --ngpu "$ngpu" --resume true \
        ${init:+--init "$init"} $train_args
}

train_durations() {
    $train_cmd "$durations/train.log" "$python" -m a3t.training.train_durations \
        --config "$durations_config" --features "$dump" --out "$durations"
}

pack() { "$python" -m a3t.training.export "$exp" "$packed" --durations "$durations"; }

samples() {
    "$python" -m a3t.evaluate samples "$data/test" --model "$packed" --vocoder "$vocoder" \
        --out "$exp/samples"
}

evaluate() {
    "$python" -m a3t.evaluate reconstruction --data "$data" --features "$dump" --model "$packed" \
        --vocoder "$vocoder" --clips "$test_clips" --out "$exp/evaluation"
}

all_stages() {
    do_stage 1 "$work/.done/1-download" download "$corpora"
    do_stage 2 "$data/.done" prepare_data "$corpora" "$clips" "$dev" "$test"
    do_stage 3 "$dump/.done" extract "$aligner" "$pitch" "$degraded" "$alignments"
    do_stage 4 "$exp/.trained" pretrain
    do_stage 5 "$durations/.trained" train_durations "$durations_config"
    do_stage 6 "$packed/.done" pack
    do_stage 7 "$exp/samples/.done" samples "$vocoder"
    do_stage 8 "$exp/evaluation/.done" evaluate "$vocoder" "$test_clips"
}

"${stages:-all_stages}"
