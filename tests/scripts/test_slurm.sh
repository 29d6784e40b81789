#!/usr/bin/env bash
# Tests of the job scripts on a real Slurm that is started for each of them, one function each: `test_slurm.sh NAME` runs one. 0
# passed, 4 skipped, anything else failed. ERGODE_PROGRAM is the program.
# shellcheck disable=SC2016  # what stands for the program is a script, and its variables are its own
set -u -o pipefail
root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck source=tests/scripts/checks.sh
source "$root/tests/scripts/checks.sh"
# shellcheck source=tests/scripts/slurm_cluster.sh
source "$root/tests/scripts/slurm_cluster.sh"

lacking=$(cluster_lacks)
[[ -z $lacking ]] || skip "$lacking"
# Where it is allowed, everything lives in a process namespace of its own, with this script as its first process: however it ends,
# nothing outlives it.
if (($$ != 1)) && unshare --fork --pid --kill-child --mount-proc true 2>/dev/null; then
  exec unshare --fork --pid --kill-child --mount-proc bash "$0" "$@"
fi

# Seconds after which what does not happen is taken for never: much more than it takes on a slow machine that has other work too.
long=300
scratch=$(mktemp -d)
finish() {
  local status=$?
  # What the cluster said is only of interest when something went wrong.
  ((status == 0)) || tail -n 15 "$scratch"/*.log "$cluster"/slurm*.log >&2
  stop_cluster
  rm -rf "$scratch"
  exit "$status"
}
trap finish EXIT
trap 'exit 130' INT TERM HUP

# submit SCRIPT [options of sbatch] -- ARGUMENTS: sets job; what the job prints goes to $scratch/JOB.log.
submit() {
  local script=$root/scripts/slurm/$1 options=()
  shift
  while [[ $1 != -- ]]; do options+=("$1") && shift; done
  shift
  job=$(sbatch --parsable --output="$scratch/%x-%j.log" --cpus-per-task=1 "${options[@]}" "$script" "$@") || fail "not submitted"
  log=$scratch/ergode-$job.log
}
# field NAME [JOB]: of what Slurm knows about a job.
field() { scontrol show job --oneliner "${2:-$job}" | tr ' ' '\n' | sed -n "s/^$1=//p" | head -n 1; }
in_state() { [[ " $1 " == *" $(field JobState) "* ]]; }
ended() { in_state "COMPLETED FAILED TIMEOUT CANCELLED NODE_FAIL"; }
expect_end() {  # expect_end STATE EXIT_CODE RESTARTS
  wait_for "$long" ended || fail "job $job is still $(field JobState)"
  expect "state, exit code and restarts" "$(field JobState) $(field ExitCode) $(field Restarts)" "$1 $2:0 $3"
}

lines_are() { (($(grep -c "$1" "$log" 2>/dev/null || true) + 0 == $2)); }  # lines_are PATTERN COUNT, in the log of the job

# program BODY: a stand-in for ergode.
program() {
  printf '#!/bin/bash\n%s\n' "$1" >"$scratch/program"
  chmod +x "$scratch/program"
  export ERGODE=$scratch/program
}

# A star cluster over $1 time units, 1,000 steps each.
write_config() {
  cat >"$scratch/config.yaml" <<YAML
simulation: nbody
name: chain
seed: 7
units: nbody
initial_conditions: {type: plummer, particles: 1024, mass: 1, scale_radius: 0.589}
gravity: {softening: 0.05}
integrator: {scheme: leapfrog, timestep: 0.001, end_time: $1}
output: {series: {interval: 1}, snapshots: {interval: $1}}
YAML
}

# Six members: a period of an orbit each, whose energy error grows with the eccentricity.
write_sweep() {  # write_sweep LARGEST_ENERGY_ERROR
  cat >"$scratch/sweep.yaml" <<YAML
simulation: nbody
name: orbits
units: nbody
initial_conditions: {type: two_body, masses: [0.9, 0.1], semi_major_axis: 1}
gravity: {precision: double}
integrator: {scheme: yoshida4, steps: 200, end_time: 6.283185307179586}
diagnostics: {max_relative_energy_error: $1}
sweep: {parameters: {initial_conditions.eccentricity: [0, 0.25, 0.5, 0.6, 0.7, 0.9]}}
YAML
}

# Whole seconds that the run of the config takes, at least one, but a hundred times as long.
hundred_runs_take() {
  local start=${EPOCHREALTIME/[.,]/}
  "$ERGODE" run "$scratch/config.yaml" -o "$scratch/short" --threads 1 --progress none >"$scratch/short.log" || return 1
  echo $(((${EPOCHREALTIME/[.,]/} - start) / 10000 + 1))
}

# The shortest limit is a minute, and Slurm looks at limits every 30 seconds: it warns 10 to 40 seconds after the start. The run is
# made to take about a minute here; where it was over before the warning after all, it is made longer.
test_a_chain_of_jobs_ends_with_the_bits_of_an_undisturbed_run() {
  start_cluster || fail "the cluster did not start"
  export ERGODE=$ERGODE_PROGRAM ERGODE_DEVICE=cpu
  write_config 1
  local hundred length undisturbed
  hundred=$(hundred_runs_take) || fail "a short run"
  for length in $((6000 / hundred + 1)) $((15000 / hundred + 1)) $((30000 / hundred + 1)); do
    write_config "$length"
    rm -rf "$scratch/alone" "$scratch/chain"
    "$ERGODE" run "$scratch/config.yaml" -o "$scratch/alone" --threads 1 --progress none >"$scratch/alone.log" &
    undisturbed=$!
    submit requeue_chain.sh --time=1 --signal=B:USR1@20 -- "$scratch/config.yaml" -o "$scratch/chain"
    wait_for 400 ended || fail "the chain is still $(field JobState)"
    wait "$undisturbed" || fail "the undisturbed run"
    (($(field Restarts) == 0)) || break
  done
  expect "state and exit code" "$(field JobState) $(field ExitCode)" "COMPLETED 0:0"
  (($(field Restarts) > 0)) || fail "the time limit was never reached"
  expect "requeued with a word in the log" "$(grep -c 'queueing again to resume' "$log")" "$(field Restarts)"
  grep -q SIGUSR1 "$scratch/chain/run.log" || fail "the program did not get the signal"
  "$ERGODE" diff "$scratch/alone" "$scratch/chain" || fail "the chain has other bits than the undisturbed run"
}

test_a_chain_gives_up_after_so_many_restarts() {
  start_cluster || fail "the cluster did not start"
  program "echo \"start \${SLURM_RESTART_COUNT:-0}: \$*\"; exit 75"
  ERGODE_MAX_RESTARTS=2 submit requeue_chain.sh -- my.yaml --set seed=7
  expect_end FAILED 75 2
  expect "starts" "$(grep ^start "$log")" "start 0: run --resume --threads 1 --progress lines my.yaml --set seed=7
start 1: run --resume --threads 1 --progress lines my.yaml --set seed=7
start 2: run --resume --threads 1 --progress lines my.yaml --set seed=7"
  grep -q '2 restarts were not enough' "$log" || fail "it does not say why: $(cat "$log")"
}

test_a_mistake_in_the_config_is_not_tried_again() {
  start_cluster || fail "the cluster did not start"
  export ERGODE=$ERGODE_PROGRAM
  write_config 1
  echo 'sofening: 1' >>"$scratch/config.yaml"
  submit requeue_chain.sh -- "$scratch/config.yaml" -o "$scratch/run"
  expect_end FAILED 3 0
  grep -q sofening "$log" || fail "the log does not name the mistake: $(cat "$log")"
}

# The program stops cleanly when the job is cancelled, as ergode does.
test_a_cancelled_chain_does_not_come_back() {
  start_cluster || fail "the cluster did not start"
  program 'trap "echo stopping; exit 75" TERM; echo started; while :; do sleep 0.1; done'
  submit requeue_chain.sh -- my.yaml
  wait_for "$long" lines_are started 1 || fail "the job did not start"
  scancel "$job"
  wait_for "$long" no_job_is_left || fail "the job is still $(field JobState)"
  sleep 8  # a requeued job would be eligible again
  expect "state and restarts" "$(field JobState) $(field Restarts)" "CANCELLED 0"
  grep -q stopping "$log" || fail "the program was not asked to stop"
}

# The warning is at most a nuisance: it stops the program and not the job script, whenever it comes.
test_a_warning_during_the_start_loses_nothing() {
  start_cluster || fail "the cluster did not start"
  program '((${SLURM_RESTART_COUNT:-0} > 0)) || { echo started; sleep 60; }'
  submit requeue_chain.sh -- my.yaml
  wait_for "$long" lines_are started 1 || fail "the job did not start"
  scancel --batch --signal=USR1 "$job"
  expect_end COMPLETED 0 1
}

test_only_the_task_of_an_array_that_stopped_queues_again() {
  start_cluster || fail "the cluster did not start"
  program 'share="$SLURM_ARRAY_TASK_COUNT of $SLURM_ARRAY_TASK_MIN-$SLURM_ARRAY_TASK_MAX"
    echo "task $SLURM_ARRAY_TASK_ID, $share: start ${SLURM_RESTART_COUNT:-0}"
    ((SLURM_ARRAY_TASK_ID != 2 || ${SLURM_RESTART_COUNT:-0} > 0)) || exit 75
    ((SLURM_ARRAY_TASK_ID == 2)) || sleep 5'
  submit requeue_chain.sh --array=0-2 --output="$scratch/array-%a.log" -- my.yaml
  wait_for "$long" no_job_is_left || fail "the array is still $(field JobState)"
  expect "starts" "$(cat "$scratch"/array-*.log | grep ^task)" "task 0, 3 of 0-2: start 0
task 1, 3 of 0-2: start 0
task 2, 3 of 0-2: start 0
task 2, 3 of 0-2: start 1"
}

test_tasks_of_an_array_know_their_share() {
  start_cluster || fail "the cluster did not start"
  program 'echo "id $SLURM_ARRAY_TASK_ID of $SLURM_ARRAY_TASK_MIN-$SLURM_ARRAY_TASK_MAX: $*"'
  submit array_sweep.sh --array=1-3 --output="$scratch/array-%a.log" -- sweep.yaml -o out
  wait_for "$long" no_job_is_left || fail "the array is still $(field JobState)"
  expect "ids" "$(cat "$scratch"/array-*.log | grep ^id)" "$(
    for id in 1 2 3; do echo "id $id of 1-3: run --resume --threads 1 --progress lines sweep.yaml -o out"; done)"
}

# In directories of their own and packed, by two arrays at the same time. The ids begin at 1, the program's tasks at 0.
test_an_array_makes_the_sweep_that_one_process_makes() {
  start_cluster || fail "the cluster did not start"
  export ERGODE=$ERGODE_PROGRAM ERGODE_DEVICE=cpu
  write_sweep 1
  "$ERGODE" run "$scratch/sweep.yaml" -o "$scratch/alone" --threads 1 -q || fail "one process"
  local packed id said
  for packed in false true; do
    submit array_sweep.sh --array=1-3 --output="$scratch/array-$packed-%a.log" -- \
      "$scratch/sweep.yaml" -o "$scratch/$packed" --set sweep.packed=$packed
  done
  wait_for "$long" no_job_is_left || fail "the arrays are still there"
  for packed in false true; do
    for id in 1 2 3; do
      said="task $((id - 1)) of 3 (counted from 0): 2 members, by SLURM_ARRAY_TASK_ID=$id of 3 tasks"
      grep -qF "$said" "$scratch/array-$packed-$id.log" || fail "the log of task $id does not say '$said'"
    done
    expect "members that are done" "$(grep -c ',done,' "$scratch/$packed/sweep.csv")" 6
    "$ERGODE" verify "$scratch/$packed" >/dev/null || fail "damaged files"
    "$ERGODE" diff "$scratch/alone" "$scratch/$packed" || fail "other bits than those of one process (packed: $packed)"
  done
}

test_a_failed_member_ends_its_task_alone_and_with_10() {
  start_cluster || fail "the cluster did not start"
  export ERGODE=$ERGODE_PROGRAM ERGODE_DEVICE=cpu
  write_sweep 0.05  # too little for the last member, which is of task 2
  submit requeue_chain.sh --array=0-2 --output="$scratch/array-%a.log" -- "$scratch/sweep.yaml" -o "$scratch/sweep"
  wait_for "$long" no_job_is_left || fail "the array is still there"
  local task
  expect "states, exit codes and restarts" "$(for task in "${job}_"{0,1,2}; do
    echo "$(field JobState "$task") $(field ExitCode "$task") $(field Restarts "$task")"; done)" "COMPLETED 0:0 0
COMPLETED 0:0 0
FAILED 10:0 0"
  grep -q 'member 5 (initial_conditions.eccentricity = 0.9): .*energy error' "$scratch/array-2.log" ||
    fail "the log does not name it: $(cat "$scratch/array-2.log")"
  expect "members that are done" "$(grep -c ',done,' "$scratch/sweep/sweep.csv")" 5
}

need_ranks() {
  [[ $("$ERGODE_PROGRAM" --version) == *"MPI Open MPI"* ]] || skip "the program was not built with Open MPI"
  srun --mpi=list 2>&1 | grep -qw pmix || skip "srun has no pmix"
}

submit_two_ranks() { submit several_gpus.sh --nodes=1 --ntasks-per-node=2 --gres=none -- "$@"; }

test_two_ranks_stop_with_75_go_on_and_have_the_bits_of_one_process() {
  start_cluster || fail "the cluster did not start"
  need_ranks
  export ERGODE=$ERGODE_PROGRAM ERGODE_DEVICE=cpu
  write_config 10  # which takes longer than the signal by far
  "$ERGODE" run "$scratch/config.yaml" -o "$scratch/alone" --threads 1 -q || fail "one process"
  submit_two_ranks "$scratch/config.yaml" -o "$scratch/ranks"
  wait_for "$long" grep -qs 'rank 0 of 2' "$scratch/ranks/run.log" || fail "no two ranks: $(cat "$log")"
  scancel --signal=USR1 "$job"
  expect_end FAILED 75 0
  submit_two_ranks "$scratch/config.yaml" -o "$scratch/ranks"
  expect_end COMPLETED 0 0
  "$ERGODE" diff "$scratch/alone" "$scratch/ranks" || fail "two ranks have other bits than one process"
}

test_a_chain_of_two_ranks_has_the_bits_of_one_process() {
  start_cluster || fail "the cluster did not start"
  need_ranks
  export ERGODE=$ERGODE_PROGRAM ERGODE_DEVICE=cpu
  write_config 10  # which takes longer than the signal by far
  "$ERGODE" run "$scratch/config.yaml" -o "$scratch/alone" --threads 1 -q || fail "one process"
  submit requeue_chain.sh --nodes=1 --ntasks=2 -- "$scratch/config.yaml" -o "$scratch/ranks"
  wait_for "$long" grep -qs 'rank 0 of 2' "$scratch/ranks/run.log" || fail "no two ranks: $(cat "$log")"
  scancel --batch --signal=USR1 "$job"
  expect_end COMPLETED 0 1
  grep -q '"resumes": 1,' "$scratch/ranks/summary.json" || fail "it began anew: $(cat "$scratch/ranks/summary.json")"
  "$ERGODE" diff "$scratch/alone" "$scratch/ranks" || fail "the chain has other bits than one process"
}

test_ranks_of_one_step_do_not_share_a_sweep() {
  start_cluster || fail "the cluster did not start"
  need_ranks
  export ERGODE=$ERGODE_PROGRAM ERGODE_DEVICE=cpu
  write_sweep 1
  submit_two_ranks "$scratch/sweep.yaml" -o "$scratch/sweep"
  expect_end FAILED 2 0
  grep -q 'has a sweep.*job array' "$log" || fail "it does not say why: $(cat "$log")"
  [[ ! -e $scratch/sweep ]] || fail "something was written"
}

test_one_rank_for_each_gpu_all_warned_before_the_end() {
  start_cluster || fail "the cluster did not start"
  program 'trap "echo rank $SLURM_PROCID stops; exit 75" USR1
    echo "rank $SLURM_PROCID of $SLURM_NTASKS sees ${CUDA_VISIBLE_DEVICES:-none}"
    while :; do sleep 0.1; done'
  SLURM_MPI_TYPE=none submit several_gpus.sh --nodes=1 -- my.yaml
  wait_for "$long" lines_are sees 4 || fail "four ranks did not start: $(cat "$log")"
  scancel --signal=USR1 "$job"  # as --signal=USR1@120 does: to the steps, not to the shell
  expect_end FAILED 75 0
  expect "ranks" "$(grep sees "$log" | sort)" "$(for rank in 0 1 2 3; do echo "rank $rank of 4 sees 0,1,2,3"; done)"
  expect "ranks that stopped" "$(grep -c 'stops$' "$log")" 4
}

test_a_job_on_one_gpu_runs_and_says_how_to_go_on() {
  start_cluster || fail "the cluster did not start"
  export ERGODE=$ERGODE_PROGRAM ERGODE_DEVICE=cpu
  write_config 0.01
  submit one_gpu.sh -- "$scratch/config.yaml" -o "$scratch/run"
  expect_end COMPLETED 0 0
  [[ -s $scratch/run/summary.json ]] || fail "no results"
  program 'echo "arguments: $*"; exit 75'
  submit one_gpu.sh --gres=none -- my.yaml
  expect_end FAILED 75 0
  expect "arguments" "$(grep ^arguments "$log")" "arguments: run --resume --threads 1 --progress lines my.yaml"
  grep -q 'submit the same line again' "$log" || fail "it does not say how to go on"
}

run_test "${1:-}"
