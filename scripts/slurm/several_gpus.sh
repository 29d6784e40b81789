#!/usr/bin/env bash
# Usage: sbatch [options of sbatch] scripts/slurm/several_gpus.sh CONFIG [arguments of `ergode run`]
#        sbatch scripts/slurm/several_gpus.sh configs/nbody/plummer.yaml -o /scratch/me/plummer
#        sbatch --nodes=4 --ntasks-per-node=8 --gres=gpu:8 scripts/slurm/several_gpus.sh my.yaml
#
# One run on several GPUs and nodes, with a program that was built with MPI: one rank (task) for each GPU. Results do not depend on how
# many there are. Stops and goes on as one_gpu.sh does; read its --help first if this is your first job script.
#
# The number of GPUs of a node stands in two lines, --ntasks-per-node and --gres: keep them the same. Ranks that would share a GPU are
# refused (5), unless the arguments have --share-devices. The output must be on a file system that all nodes see. A sweep is not shared
# out over ranks (2): that is array_sweep.sh.
#
# Environment variables, all optional, set before sbatch:
#   ERGODE          the program; otherwise `ergode` on the PATH, otherwise build/release/ergode in the folder of submission
#   ERGODE_MODULES  modules to load first, "cuda/12.4 hdf5/1.14 openmpi/4.1" (those that the program was built with)
#   ERGODE_DEVICE   auto, cuda or cpu
#   SLURM_MPI_TYPE  how srun and MPI find each other, one of `srun --mpi=list`; pmix when not set. It is a matter of the MPI library:
#                     pmix   Open MPI 4 and 5, and MPICH built for it (--with-pmix)
#                     pmi2   MPICH as distributions have it, MVAPICH, Intel MPI (which wants I_MPI_PMI_LIBRARY=.../libpmi2.so)
#                   With the wrong one Open MPI does not start (1), and with MPICH, or where the program was built without MPI,
#                   the program says that its ranks do not see each other (2).
#
#SBATCH --job-name=ergode
#SBATCH --output=%x-%j.log
#SBATCH --open-mode=append
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=4
#SBATCH --gres=gpu:4
#SBATCH --cpus-per-task=8
#SBATCH --time=1:00:00
# To all ranks, 120 seconds before the end.
#SBATCH --signal=USR1@120
set -u

if (($# == 0)) || [[ $1 == -h || $1 == --help ]]; then
  awk 'NR > 1 { if (!/^#/ || /^#SBATCH/) exit; sub(/^# ?/, ""); print }' "$0"
  (($# > 0)) || exit 2
  exit 0
fi
if [[ -z ${SLURM_JOB_ID:-} ]]; then
  echo "several_gpus.sh: this is not a Slurm job: submit it with sbatch (see --help)" >&2
  exit 2
fi

# shellcheck disable=SC2086
[[ -z ${ERGODE_MODULES:-} ]] || module load $ERGODE_MODULES || exit 2
program=${ERGODE:-$(command -v ergode || echo "$SLURM_SUBMIT_DIR/build/release/ergode")}

# When a rank has ended, the others get a minute (--wait) to end too: without it, those that miss a rank that was killed would wait until
# the time is over.
srun --mpi="${SLURM_MPI_TYPE:-pmix}" --wait=60 --cpus-per-task="${SLURM_CPUS_PER_TASK:-1}" \
  "$program" run --resume --threads "${SLURM_CPUS_PER_TASK:-1}" --progress lines "$@"
status=$?
((status != 75)) || echo "several_gpus.sh: stopped before the end: submit the same line again to go on"
exit "$status"
