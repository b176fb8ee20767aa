# Runs the long stages: LOG COMMAND… on this machine, by SLURM, or by Grid Engine's queue. Choose with
# A3T_CMD=local|slurm|queue; a cluster's further options go into A3T_CMD_ARGS, as in
#   A3T_CMD=slurm A3T_CMD_ARGS="--partition gpu --gres gpu:4 --cpus-per-task 16" ./run.sh --ngpu 4
# Each waits for its command, keeps its output in LOG, and fails when it fails.

with_log() { # LOG COMMAND…: keeps both streams, and leaves them apart
    mkdir -p "$(dirname "$1")"
    { "${@:2}" 2>&1 >&3 | tee -a "$1" >&2; } 3>&1 | tee -a "$1"
}

run_local() { with_log "$@"; }

# shellcheck disable=SC2086 # several words
run_slurm() { with_log "$1" srun ${A3T_CMD_ARGS:-} "${@:2}"; }

run_queue() {
    mkdir -p "$(dirname "$1")"
    # shellcheck disable=SC2086
    qsub -sync y -cwd -V -b y -j y -o "$1" ${A3T_CMD_ARGS:-} "${@:2}"
}

# PARTS LOG COMMAND…: the command with --part K/PARTS, each part a task of an array, side by side
# on a cluster and one after the other here.
spread_local() {
    local k
    if [ "$1" = 1 ]; then run_local "${@:2}"; return; fi
    for ((k = 1; k <= $1; k++)); do run_local "${@:2}" --part "$k/$1" || return; done
}

as_array() { # PARTS NUMBER LOG COMMAND…: a script of the command's part NUMBER
    mkdir -p "$(dirname "$3")"
    { printf '%q ' "${@:4}" && echo "--part \$(($2))/$1"; } >"$3.sh"
}

spread_slurm() {
    if [ "$1" = 1 ]; then run_slurm "${@:2}"; return; fi
    as_array "$1" "SLURM_PROCID + 1" "${@:2}"
    # shellcheck disable=SC2086
    with_log "$2" srun ${A3T_CMD_ARGS:-} --ntasks "$1" bash "$2.sh"
}

spread_queue() {
    if [ "$1" = 1 ]; then run_queue "${@:2}"; return; fi
    as_array "$1" SGE_TASK_ID "${@:2}"
    # shellcheck disable=SC2086
    qsub -sync y -cwd -V -t "1-$1" -j y -o "$2" ${A3T_CMD_ARGS:-} "$2.sh"
}

case ${A3T_CMD:-local} in
    local | slurm | queue)
        train_cmd=run_${A3T_CMD:-local} spread_cmd=spread_${A3T_CMD:-local}
        ;;
    *) echo "A3T_CMD is local, slurm or queue, not $A3T_CMD." >&2 && exit 2 ;;
esac
cuda_cmd=$train_cmd
