# The launchers of MPI libraries, over ssh.
if command -v mpirun.openmpi >/dev/null; then
  check "mpirun: six ranks on three hosts" 0 'hello from rank [0-5] of 6' 6 by_mpirun -n 6 "$client"
  check "mpirun: a rank is killed" 137 'aqueduct: rank 4 on host h3 was killed by signal 9' 1 by_mpirun -n 6 "$client" kill 4
  check "mpirun: a rank calls gasnet_exit" 5 'aqueduct: rank 1 on host h1 called gasnet_exit\(5\)' 1 by_mpirun -n 6 "$client" exit 1 5
else
  skip mpirun "Open MPI (openmpi-bin) is not installed"
fi
if command -v mpiexec.hydra >/dev/null; then
  by_hydra() { on h1 mpiexec.hydra -launcher ssh -launcher-exec "$folder/ssh" -hosts h1:2,h2:2,h3:2 -iface eth0 "$@"; }
  check "mpiexec.hydra: six ranks on three hosts" 0 'hello from rank [0-5] of 6' 6 by_hydra -n 6 "$client"
  check "mpiexec.hydra: a rank calls gasnet_exit" 5 'aqueduct: rank 3 on host h2 called gasnet_exit\(5\)' 1 by_hydra -n 6 "$client" exit 3 5
else
  skip mpiexec.hydra "MPICH's Hydra (mpich) is not installed"
fi
nobody_left "MPI's launchers: nothing stays behind"
