# A Slurm of two nodes, n1 on h2 and n2 on h3, with its controller on h1.

# As `on`, but with the machine's own /sys, in which slurmd looks for control groups.
in_network() {
  local host=$1
  shift
  nsenter --net=/run/netns/$tag-$host unshare --uts --mount sh -c \
    'hostname "$1"; mount --bind "/etc/netns/$2/hosts" /etc/hosts; shift 2; exec "$@"' sh "$host" $tag-$host "$@"
}

slurm() {
  local program munged
  for program in slurmctld slurmd munged srun scontrol; do
    PATH=$PATH:/usr/sbin command -v $program >/dev/null || { skip slurm "$program is not installed"; return; }
  done
  PATH=$PATH:/usr/sbin
  mkdir -m 755 "$folder/munge"
  head -c 1024 /dev/urandom >"$folder/munge/key"
  chmod 400 "$folder/munge/key"
  for host in $hosts; do
    mkdir -p "$folder/$host/temporary"
    echo "PMIxCliTmpDirBase=$folder/$host/temporary" >"$folder/$host/mpi.conf"
    on $host munged --foreground --force --key-file="$folder/munge/key" --socket="$folder/munge/socket.$host" \
      --pid-file="$folder/munge/pid.$host" --log-file="$folder/munge/log.$host" --seed-file="$folder/munge/seed.$host" \
      2>"$folder/munged.$host" &
    started+=($!)
    cat >"$folder/$host/slurm.conf" <<END
ClusterName=three
SlurmctldHost=h1($network.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$folder/munge/socket.$host
CredType=cred/munge
MpiDefault=none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerType=sched/builtin
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool.%n
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd.%n.pid
SlurmctldLogFile=$folder/slurmctld.log
SlurmdLogFile=$folder/slurmd.%n.log
ReturnToService=2
NodeName=n1 NodeAddr=$network.2 NodeHostname=h2 CPUs=2 State=UNKNOWN
NodeName=n2 NodeAddr=$network.3 NodeHostname=h3 CPUs=2 State=UNKNOWN
PartitionName=all Nodes=n1,n2 Default=YES MaxTime=INFINITE State=UP OverSubscribe=YES
END
  done
  mkdir -p "$folder/state" "$folder/spool.n1" "$folder/spool.n2"
  for _ in $(seq 50); do [ -S "$folder/munge/socket.h3" ] && break; sleep 0.1; done
  on h1 env SLURM_CONF="$folder/h1/slurm.conf" slurmctld -D -i >"$folder/slurmctld.out" 2>&1 &
  started+=($!)
  in_network h2 env SLURM_CONF="$folder/h2/slurm.conf" slurmd -D -N n1 >"$folder/slurmd.n1.out" 2>&1 &
  started+=($!)
  in_network h3 env SLURM_CONF="$folder/h3/slurm.conf" slurmd -D -N n2 >"$folder/slurmd.n2.out" 2>&1 &
  started+=($!)
  by_srun() { on h1 env SLURM_CONF="$folder/h1/slurm.conf" srun -N2 --chdir=/ --immediate=20 "$@"; }
  for _ in $(seq 50); do
    on h1 env SLURM_CONF="$folder/h1/slurm.conf" sinfo -h -o %T -t idle 2>/dev/null | grep -q idle && break
    sleep 0.2
  done
  check "srun: two nodes are up" 0 '^h[23]$' 2 by_srun -n2 hostname
  for kind in pmi2 pmix none; do
    if ! by_srun --mpi=list 2>&1 | grep -q -w $kind; then skip "srun --mpi=$kind" "this Slurm has it not"; continue; fi
    if [ $kind = none ] && ! ldconfig -p | grep -q libpmi.so.0; then skip "srun --mpi=none" "libpmi0 is not installed"; continue; fi
    check "srun --mpi=$kind: four ranks on two nodes" 0 'hello from rank [0-3] of 4' 4 by_srun --mpi=$kind -n4 "$client"
  done
  check "srun: a rank is killed" - 'aqueduct: rank 3 on host h3 was killed by signal 9' 1 by_srun --mpi=pmi2 -n4 "$client" kill 3
  check "srun: a rank calls gasnet_exit" 5 'aqueduct: rank 1 on host h2 called gasnet_exit\(5\)' 1 by_srun --mpi=pmi2 -n4 "$client" exit 1 5
  nobody_left "srun: nothing stays behind"
}
slurm
