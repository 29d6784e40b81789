#!/usr/bin/env bash
# Usage: sbatch [options of sbatch] scripts/slurm/array_sweep.sh CONFIG [arguments of `ergode run`]
#        sbatch --array=0-9 scripts/slurm/array_sweep.sh sweep.yaml -o /scratch/me/sweep
#        sbatch --array=0-99%10 --gres=none scripts/slurm/array_sweep.sh sweep.yaml      (on CPUs)
#
# The members of a sweep (a config with a `sweep:` block), shared among the tasks of a job array. An array is one submission of many
# jobs that differ in a number, SLURM_ARRAY_TASK_ID; the program reads it and takes its share by itself. --array=0-9 makes ten tasks
# (any number is right for any sweep; ids may begin anywhere, in steps of one size), %10 allows ten at a time. All write into one
# sweep directory. A task is one process with one GPU: several ranks in a task are refused (2). Member m is of task m modulo N, and the
# last axis of the sweep runs fastest: where it makes the cost, take an N that is no multiple of its length.
#
# A task that runs out of time stops with 75, one with failed members ends with 10, and neither touches the others. Submit the same
# line again: members that are done are skipped, interrupted ones go on, failed ones are tried again. For tasks that come back by
# themselves after 75 submit requeue_chain.sh with --array.
# If this is your first job script, read `scripts/slurm/one_gpu.sh --help` first.
#
# Environment variables, all optional, set before sbatch:
#   ERGODE          the program; otherwise `ergode` on the PATH, otherwise build/release/ergode in the folder of submission
#   ERGODE_MODULES  modules to load first, "cuda/12.4 hdf5/1.14" (those that the program was built with)
#   ERGODE_DEVICE   auto, cuda or cpu
#
#SBATCH --job-name=ergode
#SBATCH --array=0-3
# %A is the array's number, %a the task's.
#SBATCH --output=%x-%A_%a.log
#SBATCH --open-mode=append
#SBATCH --ntasks=1
#SBATCH --cpus-per-task=8
# A GPU for each task; without GPUs: sbatch --gres=none ...
#SBATCH --gres=gpu:1
#SBATCH --time=1:00:00
#SBATCH --signal=USR1@120
set -u

if (($# == 0)) || [[ $1 == -h || $1 == --help ]]; then
  awk 'NR > 1 { if (!/^#/ || /^#SBATCH/) exit; sub(/^# ?/, ""); print }' "$0"
  (($# > 0)) || exit 2
  exit 0
fi
if [[ -z ${SLURM_ARRAY_TASK_ID:-} ]]; then
  echo "array_sweep.sh: this is not a task of a Slurm array: submit it with sbatch (see --help)" >&2
  exit 2
fi
if [[ ! ${SLURM_ARRAY_TASK_COUNT:-} =~ ^[0-9]+$ ]]; then
  echo "array_sweep.sh: SLURM_ARRAY_TASK_COUNT is '${SLURM_ARRAY_TASK_COUNT:-}', and no number: how many tasks the array has is not known" >&2
  exit 2
fi

# shellcheck disable=SC2086
[[ -z ${ERGODE_MODULES:-} ]] || module load $ERGODE_MODULES || exit 2
program=${ERGODE:-$(command -v ergode || echo "$SLURM_SUBMIT_DIR/build/release/ergode")}

echo "array_sweep.sh: the task with id $SLURM_ARRAY_TASK_ID, of $SLURM_ARRAY_TASK_COUNT tasks"
srun --cpus-per-task="${SLURM_CPUS_PER_TASK:-1}" \
  "$program" run --resume --threads "${SLURM_CPUS_PER_TASK:-1}" --progress lines "$@"
status=$?
((status != 75)) || echo "array_sweep.sh: stopped before the end: submit the same line again to go on"
exit "$status"
