# Jobs whose hosts talk through an MPI and through libfabric, over TCP: the client as elsewhere, and a rank that is killed.
over_network() { on h1 "$aqueduct" run --rsh "$folder/ssh" --hosts h1,h2,h3 "$@"; }

# said_only NAME PATTERN: the job that was checked last has printed no line without the pattern.
said_only() {
  local others
  others=$(grep -v -E -- "$2" "$folder/output")
  [ -z "$others" ] && { echo "ok $1"; return; }
  failures=$((failures + 1))
  echo "FAILED $1:"
  sed 's/^/    /' <<<"$others" | head -40
}

can_use() { "$aqueduct" info 2>/dev/null | grep -E "^[* ] $1 " | grep -q -v 'cannot be used'; }

# on_network CONDUIT NAME=VALUE...: with these settings.
on_network() {
  local conduit=$1
  shift
  local title="$conduit${*:+, $*}" line='aqueduct: rank 4 on host h3 was killed by signal 9'
  if ! can_use "$conduit"; then skip "$title" "the conduit cannot be used"; return; fi
  check "$title: six ranks on three hosts" 0 'hello from rank [0-5] of 6' 6 \
    over_network -n 6 --conduit "$conduit" "${@/#/--env=}" "$client"
  if [ -x "$build/tests/test_am_payload_seq" ]; then
    check "$title: test_am_payload_seq" 0 '^FAILED|^\*\*\*' 0 over_network -n 3 --conduit "$conduit" \
      --env=AQUEDUCT_TEST_SCALE=0.03 "${@/#/--env=}" "$build/tests/test_am_payload_seq"
  else
    skip "$title: test_am_payload_seq" "it is not built"
  fi
  check "$title: a rank is killed" 137 "$line" 1 \
    over_network -n 6 --conduit "$conduit" "${@/#/--env=}" "$client" kill 4
  said_only "$title: nobody else says anything about it" "hello from rank|$line"
  nobody_left "$title: nothing stays behind"
}
on_network mpi-openmpi OMPI_MCA_pml=ob1 OMPI_MCA_btl=tcp,self
on_network mpi-mpich
on_network ofi FI_PROVIDER=tcp
on_network ofi FI_PROVIDER=net
can_use ofi && check "ofi: a provider that is not there is named" - "among FI_PROVIDER='nowhere'" 1 \
  over_network -n 6 --conduit ofi --env=FI_PROVIDER=nowhere "$client"

# By MPI's own launcher, too, the library starts MPI.
if command -v mpirun.openmpi >/dev/null && can_use mpi-openmpi; then
  by_mpirun_over_mpi() { AQUEDUCT_CONDUIT=mpi by_mpirun --mca pml ob1 --mca btl tcp,self "$@"; }
  check "mpirun over mpi: six ranks on three hosts" 0 'hello from rank [0-5] of 6' 6 by_mpirun_over_mpi -n 6 "$client"
  check "mpirun over mpi: a rank is killed" 137 'aqueduct: rank 4 on host h3 was killed by signal 9' 1 \
    by_mpirun_over_mpi -n 6 "$client" kill 4
fi
nobody_left "networks: nothing stays behind"
