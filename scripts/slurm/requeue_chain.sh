#!/usr/bin/env bash
# Usage: sbatch [options of sbatch] scripts/slurm/requeue_chain.sh CONFIG [arguments of `ergode run`]
#        sbatch scripts/slurm/requeue_chain.sh configs/nbody/plummer.yaml -o /scratch/me/plummer
#        sbatch --gres=none --time=4:00:00 scripts/slurm/requeue_chain.sh my.yaml      (on CPUs)
#        sbatch --array=0-9 scripts/slurm/requeue_chain.sh sweep.yaml
#
# A run that goes on over as many jobs as it needs, with no care from you. Before the job's time is over the program writes a
# checkpoint and ends with 75; the job then puts itself back into the queue, under the same number, and resumes. Results are
# bitwise those of a run that was left alone. It ends when the run is done (0) or has failed (anything but 75: a mistake in the config
# is not tried again, nor are failed members of a sweep), when you cancel it (scancel JOB), or after ERGODE_MAX_RESTARTS restarts.
# A short --time is easier to find a place for: the chain makes it as long as needed.
#
# It works for several GPUs too (--nodes, --ntasks-per-node, --gres as in several_gpus.sh), and for a sweep that is shared among the
# tasks of an array, each of one rank (as in array_sweep.sh). If this is your first job script, read `scripts/slurm/one_gpu.sh --help`
# first.
#
# Environment variables, all optional, set before sbatch:
#   ERGODE               the program; otherwise `ergode` on the PATH, otherwise build/release/ergode in the folder of submission
#   ERGODE_MODULES       modules to load first, "cuda/12.4 hdf5/1.14" (those that the program was built with)
#   ERGODE_DEVICE        auto, cuda or cpu
#   ERGODE_MAX_RESTARTS  how often the job may queue again; 100 when not set
#   SLURM_MPI_TYPE       with several ranks: see several_gpus.sh
#
#SBATCH --job-name=ergode
#SBATCH --output=%x-%j.log
# Each job of the chain adds to the log.
#SBATCH --open-mode=append
# One task unless sbatch is told otherwise: an --ntasks=1 here would win over its --ntasks-per-node.
#SBATCH --cpus-per-task=8
# One GPU; without GPUs: sbatch --gres=none ...
#SBATCH --gres=gpu:1
#SBATCH --time=1:00:00
# Without it sites may forbid `scontrol requeue`.
#SBATCH --requeue
# To this shell alone (B:), 120 seconds before the end (up to a minute earlier: Slurm looks only so often). It must be enough for a
# step and a checkpoint. Not less: when the time is over, everything is killed.
#SBATCH --signal=B:USR1@120

# First of all: a shell without a trap dies of the signal.
warned=no
child=
warn() {
  warned=yes
  [[ -z $child ]] || kill -USR1 "$child" 2>/dev/null
}
trap warn USR1
set -u

if (($# == 0)) || [[ $1 == -h || $1 == --help ]]; then
  awk 'NR > 1 { if (!/^#/ || /^#SBATCH/) exit; sub(/^# ?/, ""); print }' "$0"
  (($# > 0)) || exit 2
  exit 0
fi
if [[ -z ${SLURM_JOB_ID:-} ]]; then
  echo "requeue_chain.sh: this is not a Slurm job: submit it with sbatch (see --help)" >&2
  exit 2
fi

if [[ ! ${SLURM_NTASKS:-1} =~ ^[0-9]+$ ]]; then
  echo "requeue_chain.sh: SLURM_NTASKS is '$SLURM_NTASKS', and no number: how many ranks the job has is not known" >&2
  exit 2
fi

# shellcheck disable=SC2086
[[ -z ${ERGODE_MODULES:-} ]] || module load $ERGODE_MODULES || exit 2
program=${ERGODE:-$(command -v ergode || echo "$SLURM_SUBMIT_DIR/build/release/ergode")}
restarts=${SLURM_RESTART_COUNT:-0}

launch=(srun --cpus-per-task="${SLURM_CPUS_PER_TASK:-1}")
# Several ranks: several_gpus.sh says why.
((${SLURM_NTASKS:-1} == 1)) || launch+=(--mpi="${SLURM_MPI_TYPE:-pmix}" --wait=60)

# In the background, because a shell hears no signal while it waits for a command in the foreground. srun passes the signal on to
# the program, on all nodes.
"${launch[@]}" "$program" run --resume --threads "${SLURM_CPUS_PER_TASK:-1}" --progress lines "$@" &
child=$!
[[ $warned == no ]] || warn

# A signal ends `wait` before the program has ended. The status of one that has ended can be asked for again.
while kill -0 "$child" 2>/dev/null; do wait "$child"; done
wait "$child"
status=$?
# The signal came while the program was still starting, and it died of it (128 + 10): nothing is lost.
[[ $warned == no ]] || ((status != 138)) || status=75

((status == 75)) || exit "$status"
if ((restarts >= ${ERGODE_MAX_RESTARTS:-100})); then
  echo "requeue_chain.sh: $restarts restarts were not enough: it does not queue again; submit the same line to go on"
  exit 75
fi
echo "requeue_chain.sh: time is up: queueing again to resume"
# Of an array, SLURM_JOB_ID may mean all tasks. Slurm ends this script at once, so this is its last command. A job that was cancelled
# never comes here: the shell has got SIGTERM too, and has no trap for it.
scontrol requeue "${SLURM_ARRAY_JOB_ID:+${SLURM_ARRAY_JOB_ID}_}${SLURM_ARRAY_TASK_ID:-$SLURM_JOB_ID}"
exit 75
