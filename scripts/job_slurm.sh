#!/usr/bin/env bash
# Usage: sbatch [options of sbatch] scripts/job_slurm.sh CONFIG [arguments of `ergode run`]
#        sbatch --time=4:00:00 --gres=gpu:1 scripts/job_slurm.sh configs/nbody/plummer.yaml -o /scratch/plummer
#
# An example of a cluster job that goes on over as many jobs as it needs. Ergode is given the time that the job has left, writes a
# checkpoint before it is over and ends with 75; the job then queues itself again and resumes. Submit it from the project's
# folder, with the program built there (scripts/run.sh builds it on a login node), or set ERGODE to the program.
# A job that you cancel does not come back; its run can be resumed by submitting it again.
#
#SBATCH --job-name=ergode
#SBATCH --ntasks=1
#SBATCH --cpus-per-task=16
#SBATCH --time=1:00:00
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --output=ergode-%j.log
set -u

if (($# == 0)) || [[ $1 == -h || $1 == --help ]]; then
  awk 'NR > 1 { if (!/^#/ || /^#SBATCH/) exit; sub(/^# ?/, ""); print }' "$0"
  (($# > 0)) || exit 2
  exit 0
fi

# Slurm runs a copy of this file from its own folder, so the project is where the job was submitted.
program=${ERGODE:-${SLURM_SUBMIT_DIR:-$PWD}/build/release/ergode}
if [[ ! -x $program ]]; then
  echo "job_slurm.sh: no program at $program: build it with scripts/run.sh, or set ERGODE" >&2
  exit 2
fi

# What is left of the job, as D-HH:MM:SS, HH:MM:SS or MM:SS; less a minute, in which the job itself ends.
left=$(squeue -h -j "$SLURM_JOB_ID" -o %L | awk -F'[-:]' '
  { days = /-/ ? $1 : 0; n = NF; print days * 86400 + (n - (days > 0) > 2 ? $(n - 2) * 3600 : 0) + $(n - 1) * 60 + $n - 60 }')

limit=()
((${left:-0} > 0)) && limit=(--max-walltime "$left")
srun "$program" run "$@" --resume --threads "${SLURM_CPUS_PER_TASK:-1}" --progress lines "${limit[@]}"
status=$?

# 75: stopped cleanly before the end. Not when somebody cancelled the job (it is not RUNNING any more then).
if ((status == 75)) && [[ $(squeue -h -j "$SLURM_JOB_ID" -o %T) == RUNNING ]]; then
  echo "job_slurm.sh: time is up, queueing again to resume"
  scontrol requeue "$SLURM_JOB_ID"
fi
exit "$status"
