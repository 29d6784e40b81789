#!/usr/bin/env bash
# Usage: sbatch [options of sbatch] scripts/slurm/one_gpu.sh CONFIG [arguments of `ergode run`]
#        sbatch scripts/slurm/one_gpu.sh configs/nbody/plummer.yaml -o /scratch/me/plummer
#        sbatch --time=4:00:00 --account=physics scripts/slurm/one_gpu.sh my.yaml --set seed=7
#
# One run on one GPU. Two minutes before the job's time is over Slurm sends SIGUSR1; the program writes a checkpoint and the job ends with
# 75. Submit the same line again and the run goes on (requeue_chain.sh does that by itself).
#
# A job script is a shell script whose `#SBATCH` lines say what the job needs; `sbatch` puts a copy of it in a queue, and a node that
# has all that runs it. Options given to sbatch override those lines. `squeue --me` shows your jobs, `scancel JOB` ends one,
# and what the job prints is in ergode-JOB.log in the folder where you submitted it.
#
# Environment variables, all optional, set before sbatch:
#   ERGODE          the program; otherwise `ergode` on the PATH, otherwise build/release/ergode in the folder of submission
#   ERGODE_MODULES  modules to load first, "cuda/12.4 hdf5/1.14" (those that the program was built with)
#   ERGODE_DEVICE   auto (a GPU when the node has one), cuda (else the job fails) or cpu
#
#SBATCH --job-name=ergode
#SBATCH --output=%x-%j.log
# A second job of the same number (a node failed, say) adds to the log instead of replacing it.
#SBATCH --open-mode=append
#SBATCH --ntasks=1
# Threads: they prepare and write; with ERGODE_DEVICE=cpu they compute.
#SBATCH --cpus-per-task=8
# Where the site has no "gres" but names such as gpu:a100:1, say so: sbatch --gres=gpu:a100:1 ...
#SBATCH --gres=gpu:1
#SBATCH --time=1:00:00
# To the program (not to this shell: that would be B:USR1), 120 seconds before the end.
#SBATCH --signal=USR1@120
set -u

if (($# == 0)) || [[ $1 == -h || $1 == --help ]]; then
  awk 'NR > 1 { if (!/^#/ || /^#SBATCH/) exit; sub(/^# ?/, ""); print }' "$0"
  (($# > 0)) || exit 2
  exit 0
fi
if [[ -z ${SLURM_JOB_ID:-} ]]; then
  echo "one_gpu.sh: this is not a Slurm job: submit it with sbatch (see --help)" >&2
  exit 2
fi

# `module` is a function of the login shell, which a job inherits on most sites.
# shellcheck disable=SC2086
[[ -z ${ERGODE_MODULES:-} ]] || module load $ERGODE_MODULES || exit 2
program=${ERGODE:-$(command -v ergode || echo "$SLURM_SUBMIT_DIR/build/release/ergode")}

# srun starts the program on the node, with the job's share of it. Since Slurm 22.05 it must be told the processors again.
srun --cpus-per-task="${SLURM_CPUS_PER_TASK:-1}" \
  "$program" run --resume --threads "${SLURM_CPUS_PER_TASK:-1}" --progress lines "$@"
status=$?
((status != 75)) || echo "one_gpu.sh: stopped before the end: submit the same line again to go on"
exit "$status"
