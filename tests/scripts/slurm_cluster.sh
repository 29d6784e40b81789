# shellcheck shell=bash
# A Slurm of one node on the loopback address, for test_slurm.sh: munged, slurmctld and slurmd with everything of theirs in one
# temporary folder, on free ports, beside whatever Slurm the machine has. Works as root and as an ordinary user. Sourced, never run.

cluster=   # the folder; set by start_cluster
daemons=() # their process ids

# Why a cluster cannot be started here; nothing when it can.
cluster_lacks() {
  local program
  for program in munged mungekey slurmctld slurmd sbatch srun scontrol squeue scancel; do
    find_daemon "$program" >/dev/null || { echo "no $program: install slurm-wlm and munge"; return; }
  done
}

# Daemons are in sbin, which an ordinary user's PATH lacks.
find_daemon() { PATH=$PATH:/usr/local/sbin:/usr/sbin:/sbin command -v "$1"; }

# Below the range that the kernel gives to outgoing connections.
free_port() {
  local port
  while port=$((20000 + RANDOM % 12000)); (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; do :; done
  echo "$port"
}

# A requeued job waits as long as a credential is valid (cred_expire): short here. Job limits, in contrast, are looked at every 30
# seconds, which no setting changes. The node claims more processors than it has, so that jobs do not wait for each other.
write_configuration() {
  local host user controller_port node_port
  host=$(hostname -s) user=$(id -un)
  controller_port=$(free_port)
  while node_port=$(free_port); ((node_port == controller_port)); do :; done
  cat >"$cluster/slurm.conf" <<CONF
ClusterName=test
SlurmctldHost=$host(127.0.0.1)
SlurmUser=$user
SlurmdUser=$user
SlurmctldPort=$controller_port
SlurmdPort=$node_port
AuthType=auth/munge
AuthInfo=socket=$cluster/munge.socket,cred_expire=5
StateSaveLocation=$cluster/state
SlurmdSpoolDir=$cluster/spool
SlurmctldPidFile=$cluster/slurmctld.pid
SlurmdPidFile=$cluster/slurmd.pid
SlurmctldLogFile=$cluster/slurmctld.log
SlurmdLogFile=$cluster/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=batch_sched_delay=0,sched_interval=5,sched_min_interval=0
SlurmdParameters=config_overrides
GresTypes=gpu
ReturnToService=2
NodeName=node NodeHostname=$host NodeAddr=127.0.0.1 CPUs=64 RealMemory=1000000 Gres=gpu:4
PartitionName=all Nodes=node Default=YES MaxTime=INFINITE State=UP
CONF
  # Nothing of this cluster uses control groups. Before 23.02 Slurm cannot be told so, but it leaves those of version 1 alone.
  if [[ $("$(find_daemon slurmd)" -V) =~ \ 2[0-2]\. ]]; then
    echo 'CgroupPlugin=cgroup/v1' >"$cluster/cgroup.conf"
  else
    echo 'CgroupPlugin=disabled' >"$cluster/cgroup.conf"
  fi
  # Character devices that are everywhere stand for four GPUs.
  printf 'AutoDetect=off\n' >"$cluster/gres.conf"
  printf 'Name=gpu File=%s\n' /dev/null /dev/zero /dev/full /dev/urandom >>"$cluster/gres.conf"
}

start_daemon() {  # start_daemon NAME COMMAND...: in the foreground of a child of ours
  local name=$1
  shift
  "$@" >"$cluster/$name.out" 2>&1 &
  daemons+=($!)
}

# wait_for SECONDS COMMAND...: until it succeeds.
wait_for() {
  local end=$((SECONDS + $1))
  shift
  until "$@"; do
    ((SECONDS < end)) || return 1
    sleep 0.2
  done
}

node_is_idle() { [[ $(sinfo -h -o %t 2>/dev/null) == idle ]]; }

start_cluster() {
  cluster=$(mktemp -d /tmp/ergode-slurm.XXXXXX)  # not in TMPDIR: sockets' paths must be short
  chmod 755 "$cluster"
  mkdir "$cluster/state" "$cluster/spool"
  write_configuration
  export SLURM_CONF=$cluster/slurm.conf
  "$(find_daemon mungekey)" --create --keyfile="$cluster/munge.key"
  start_daemon munged "$(find_daemon munged)" --foreground --force --key-file="$cluster/munge.key" --socket="$cluster/munge.socket" \
    --pid-file="$cluster/munged.pid" --log-file="$cluster/munged.log" --seed-file="$cluster/munge.seed"
  wait_for 120 test -S "$cluster/munge.socket" || return 1
  start_daemon slurmctld "$(find_daemon slurmctld)" -D
  start_daemon slurmd "$(find_daemon slurmd)" -D -N node
  wait_for 120 node_is_idle
}

stop_cluster() {
  [[ -n $cluster ]] || return 0
  # Slurm's commands wait for a minute for a controller that is not there.
  timeout 5 scancel --quiet --user="$(id -un)" 2>/dev/null && wait_for 5 no_job_is_left
  kill "${daemons[@]}" 2>/dev/null
  wait "${daemons[@]}" 2>/dev/null
  rm -rf "$cluster"
}
no_job_is_left() {
  local jobs
  jobs=$(timeout 10 squeue -h 2>/dev/null) && [[ -z $jobs ]]
}
