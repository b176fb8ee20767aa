#!/usr/bin/env bash
# Live words from segments of sound: DiSeg's, learnt by the network itself, beside pieces of 280 ms and
# what lies between pauses. --corpora names a folder of recordings with an alignment beside each, or with
# alignments.jsonl (training.alignment.train_phones says more).
#   ./run.sh --corpora DIR --row_minutes 1 --steps 2 --streams 1 --work tiny      # does everything work?
set -euo pipefail
cd "$(dirname "$0")"

stages=live_stages
corpora=${A3T_CORPORA:-downloads}
left_out=../../evaluation/hearing/aligner_held_out.txt
settled="0.4 0.8 1.2" streams=40 row_minutes=120 steps=1000000
config=conf/diseg.yaml
stop_stage=3
only="stage stop_stage corpora work expdir"
own_help="--row_minutes N          processor minutes for each row ($row_minutes)
--steps N                at most so many steps of each ($steps)
--settled 'S …'          seconds after which a word is final, each ($settled)
--streams N              streams of speech to judge by ($streams)"

align() {
    if compgen -G "$corpora/alignments.jsonl*" >/dev/null; then
        echo "The alignments are in $corpora."
    else
        "$python" -m alignment corpus "$corpora" --ending .json
    fi
}

train() {
    local name
    for name in diseg fixed pauses; do
        $train_cmd "$expdir/$name/train.log" "$python" -m training.live.train_segments \
            "conf/$name.yaml" "$corpora" --out "$expdir/$name" --examples "$work/examples" \
            --left-out "$left_out" --minutes "$row_minutes" --steps "$steps"
    done
}

judge() { # beside the recogniser that ships, and the one that hears the whole
    # shellcheck disable=SC2046 # several options
    A3T_CORPORA=$corpora "$python" -m evaluation live --streams "$streams" --out "$expdir/live" \
        $(printf -- "--settled %s " $settled) $(printf -- "--segments $expdir/%s " diseg fixed pauses)
}

live_stages() {
    do_stage 1 "$work/.done/1-align" align "$corpora"
    do_stage 2 "$expdir/.trained" train "$row_minutes" "$steps"
    after=$expdir/.trained do_stage 3 "$expdir/live/.done" judge "$settled" "$streams"
}

source ../shared/stages.sh
