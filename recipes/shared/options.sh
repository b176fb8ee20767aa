# The options of all recipes: their defaults, their help (which is also the list of valid options), and
# checks of their values. A recipe's run.sh has set its own defaults. One with other stages names the
# options it uses in `only`, and adds its own in `own_help`, one line each as below.

stage= stop_stage=${stop_stage:-7} loop=plain minutes= ngpu=0 nj=2 parts=1
aligner=${aligner:-network} clips= dev= test= pitch=${pitch:-false} work=. dumpdir= expdir= tag= degraded=${degraded:-0} alignments= init=
voice= train_config= train_args= test_clips=${test_clips:-30} vocoder=${vocoder:-builtin}
durations_config=${durations_config:-../../a3t/model/conf/durations.yaml}

help_of_all() { # --NAME VALUE    what it says (its default)
    cat <<END
--stage N                run this stage and all later ones again (1: only unfinished stages)
--stop_stage N           last stage ($stop_stage)
--config YAML            configuration of the training ($config)
--train_config YAML      the same
--train_args 'ARGS'      further options of the training program, as one word
--loop NAME              plain: training.pretrain, which needs torch alone; or espnet ($loop)
--minutes N              stop the plain loop after N minutes; --stage 4 resumes
--tag NAME               name of the training (the configuration's name)
--init MODEL             initial weights: a packed model, or the shipped small (none)
--corpora DIR            folder of the corpus (${corpora:-not known})
--work DIR               output folder (beside run.sh)
--dumpdir DIR            folder for features (WORK/dump)
--expdir DIR             folder for trainings (WORK/exp)
--ngpu N                 GPUs for training, one process each; 0 is the CPU ($ngpu)
--nj N                   processes for features ($nj)
--parts N                extract features as an array of N tasks ($parts)
--aligner NAME           network or mfa ($aligner)
--alignments FILE        existing alignments, as JSON lines (none)
--pitch BOOL             true or false: pitch beside the mel ($pitch)
--degraded N             degraded copies of each clip: noise, rooms, telephone lines ($degraded)
--clips N                clips per split (all)
--voice NAME             only this speaker's clips (all)
--dev N                  clips held out for development (the recipe's)
--test N                 clips held out for testing (the recipe's)
--test_clips N           clips to evaluate ($test_clips)
--durations_config YAML  configuration of the duration predictor ($durations_config)
--vocoder NAME           a vocoder's name or folder ($vocoder)
END
}

own_options() { # of this recipe
    local name rest
    while read -r name rest; do
        if [[ -z ${only:-} || " $only " = *" ${name#--} "* ]]; then echo "$name $rest"; fi
    done < <(help_of_all)
    if [ -n "${own_help:-}" ]; then echo "$own_help"; fi
}

usage() {
    echo "usage: run.sh [--OPTION VALUE]…"
    own_options | while read -r name value rest; do printf '  %-26s %s\n' "$name $value" "$rest"; done
    echo "Paths are from $PWD. Stages, examples and clusters: recipes/README.md"
}

options=" $(own_options | sed 's/^--\([a-z_]*\).*/\1/' | tr '\n' ' ')"
while [ $# -gt 0 ]; do
    name=${1#--}
    case $name in help | -h) usage && exit ;; jobs) name=nj ;; esac
    name=${name//-/_} # --stop-stage, as Kaldi's scripts take it
    if [ "${1#--}" = "$1" ] || [[ $options != *" $name "* ]]; then
        echo "run.sh: there is no option $1." >&2
        usage >&2
        exit 2
    elif [ $# -lt 2 ]; then
        echo "run.sh: $1 needs a value." >&2
        exit 2
    fi
    printf -v "$name" '%s' "$2"
    shift 2
done

wrong() { echo "run.sh: --$1 must be $2, not \"${!1}\"." >&2 && exit 2; }
for name in stage stop_stage minutes ngpu nj parts degraded clips dev test test_clips; do
    case ${!name} in *[!0-9]*) wrong "$name" "a number" ;; esac
done
for name in nj parts; do [ "${!name}" -ge 1 ] || wrong "$name" "1 or more"; done
case $loop in espnet | plain) ;; *) wrong loop "espnet or plain" ;; esac
[ -z "$minutes" ] || [ "$loop" = plain ] || { echo "run.sh: --minutes needs --loop plain." >&2 && exit 2; }
case $pitch in true | false) ;; *) wrong pitch "true or false" ;; esac
case $aligner in network | mfa) ;; *) wrong aligner "network or mfa" ;; esac
config=${train_config:-$config}
[ -f "$config" ] || wrong config "a file"
[ -f "$durations_config" ] || wrong durations_config "a file"
[ -z "$alignments" ] || [ -f "$alignments" ] || wrong alignments "a file"
