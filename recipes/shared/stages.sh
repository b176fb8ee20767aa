# The stages that all recipes share; a recipe's run.sh sets `corpus` and its defaults, then sources
# this file with its own arguments. One with other stages names its function of them in `stages`.
# See ../README.md.

# shellcheck source=options.sh
source ../shared/options.sh
# shellcheck source=path.sh
source ../shared/path.sh
# shellcheck source=cmd.sh
source ../shared/cmd.sh

again=$stage # a requested stage runs again, with all later ones
stage=${stage:-1} tag=${tag:-$(basename "$config" .yaml)}
data=$work/data dump=${dumpdir:-$work/dump} expdir=${expdir:-$work/exp}
exp=$expdir/$tag durations=$expdir/durations packed=$expdir/packed/$tag

sum_of() { # CONFIG: changes when the file does, or what it extends
    local file=$1 base
    while [ -f "$file" ]; do
        cat "$file"
        base=$(sed -n 's/^extends: *//p' "$file")
        file=${base:+$(dirname "$file")/$base}
    done | cksum | cut -d " " -f 1
}

# FOLDER BASIS…: keeps a training with another basis beside it instead of resuming it, and takes up
# again a kept training with this basis.
begin() {
    local basis="${*:2}" kept
    if [ -e "$1/.basis" ] && [ "$(cat "$1/.basis")" != "$basis" ]; then
        kept=$1.$(date +%Y%m%d-%H%M%S)
        while [ -e "$kept" ]; do kept+=+; done
        echo "$1 began with other features, settings or weights: it is $kept now."
        mv "$1" "$kept"
        for kept in "$1".20??????-*; do
            if [ ! -e "$1" ] && [ "$(cat "$kept/.basis" 2>/dev/null)" = "$basis" ]; then
                echo "$kept began with these: it is $1 again."
                mv "$kept" "$1"
            fi
        done
    fi
    mkdir -p "$1"
    echo "$basis" >"$1/.basis"
}

features() { # the options of a training that concern them
    cat "$dump/.done" "$dump/split.tsv" "$dump"/*/index.jsonl 2>/dev/null | cksum | cut -d " " -f 1 || true
}

# NUMBER MARKER COMMAND SETTINGS…: runs once with these settings, and again on request or if one of the
# markers that "after" names is newer, because its inputs have changed.
do_stage() {
    local number=$1 marker=$2 command=$3 settings="${*:4}" before
    if [ "$number" -lt "$stage" ] || [ "$number" -gt "$stop_stage" ]; then return; fi
    if [ -z "$again" ] && [ -e "$marker" ]; then
        if [ "$(cat "$marker")" != "$settings" ]; then
            echo "Stage $number was done with other settings: \"$(cat "$marker")\"."
            again=$number
        fi
        for before in ${after:-}; do
            if [ "$before" -nt "$marker" ]; then
                echo "Stage $number was done before what it depends on: $before is newer."
                again=$number
            fi
        done
        if [ -z "$again" ]; then
            echo "Stage $number ($command) is done."
            return
        fi
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
        ../shared/download.sh "$archives" "$(dirname "$corpora")"
    else
        echo "There is no folder \"$corpora\": name the corpora's with --corpora, or A3T_CORPORA." >&2
        return 1
    fi
}

prepare_data() {
    "$python" -m training.corpora.prepare "$corpus" "$corpora" "$data" ${unseen:+--unseen "$unseen"} \
        ${dev:+--dev "$dev"} ${test:+--test "$test"} ${clips:+--clips "$clips"} \
        ${voice:+--voice "$voice"}
}

extract() {
    local flags=(--aligner "$aligner" --jobs "$nj" --degraded "$degraded")
    if "$pitch"; then flags+=(--pitch); fi
    if [ -n "$alignments" ]; then flags+=(--alignments "$alignments"); fi
    $spread_cmd "$parts" "$dump/extract.log" "$python" -m training.extract "$data" "$dump" \
        "${flags[@]}"
}

pretrain() {
    local program=(training.espnet.train --output_dir "$exp" --ngpu "$ngpu" --resume true) basis=()
    if [ "$loop" = plain ]; then
        basis=(plain)
        program=(training.pretrain --out "$exp" --workers "$nj" ${minutes:+--minutes "$minutes"})
        program+=("${on_gpus[@]}")
    fi
    begin "$exp" "$(sum_of "$config")" "$(features)" "$init" "${basis[@]}"
    # shellcheck disable=SC2086 # train_args holds several words
    $cuda_cmd "$exp/train.log" "$python" -m "${program[@]}" --config "$config" \
        --features "$dump" ${init:+--init "$init"} $train_args
}

train_durations() {
    begin "$durations" "$(sum_of "$durations_config")" "$(features)"
    $train_cmd "$durations/train.log" "$python" -m training.train_durations \
        --config "$durations_config" --features "$dump" --out "$durations" "${on_gpus[@]:0:2}"
}

pack() { "$python" -m training.export "$exp" "$packed" --durations "$durations"; }

tables() { # of every training in $expdir
    "$python" -m evaluation table all --data "$data" --runs "$expdir" --vocoder "$vocoder" \
        --clips "$test_clips" --edits "$test_clips" --prompts $(((test_clips + 2) / 3)) \
        --out "$expdir/tables" ${voice:+--voice "$voice"}
}

on_gpus=(--device cpu)
if [ "$ngpu" != 0 ]; then on_gpus=(--device cuda --processes "$ngpu"); fi

all_stages() {
    # What is missing here is refused before the first stage; a cluster's GPUs are elsewhere.
    if [ "$stop_stage" -ge 4 ] && [ ! -e "$exp/.trained" ] && [ "${A3T_CMD:-local}" = local ]; then
        local with_pitch=
        if "$pitch"; then with_pitch=--pitch; fi
        "$python" -m training.devices "${on_gpus[@]}" --loop "$loop" --config "$config" $with_pitch || exit 1
    fi
    local prepared=$data/.done aligned=$dump/.done trained=$exp/.trained timed=$durations/.trained
    do_stage 1 "$work/.done/1-download" download "$corpora"
    do_stage 2 "$prepared" prepare_data "$corpora" "$clips" "$dev" "$test" "$voice"
    after=$prepared do_stage 3 "$aligned" extract "$aligner" "$pitch" "$degraded" "$alignments" "$parts"
    after=$aligned do_stage 4 "$trained" pretrain "$(sum_of "$config")" "$init" "$train_args" "$loop" "$minutes"
    after=$aligned do_stage 5 "$timed" train_durations "$durations_config" "$(sum_of "$durations_config")"
    after="$trained $timed" do_stage 6 "$packed/.done" pack
    after="$prepared $packed/.done" do_stage 7 "$expdir/tables/.done" tables "$vocoder" "$test_clips"
}

"${stages:-all_stages}"
