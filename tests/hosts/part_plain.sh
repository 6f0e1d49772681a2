# Ranks that are told who they are, on three hosts, two on each.
plain_key=$(od -An -vtx1 -N32 /dev/urandom | tr -d " \n")
plain() {
  local rank=0 pids=() code=0
  for host in $hosts; do
    for _ in 1 2; do
      AQUEDUCT_RANK=$rank AQUEDUCT_SIZE=6 AQUEDUCT_ROOT=h1:4000 AQUEDUCT_JOB_KEY=$plain_key on $host "$@" &
      pids+=($!)
      rank=$((rank + 1))
    done
  done
  for pid in "${pids[@]}"; do wait $pid || code=$?; done
  return $code
}
check "plain environment: six ranks on three hosts" 0 'hello from rank [0-5] of 6' 6 plain "$client"
check "plain environment: a rank is killed" - 'aqueduct: rank 3 on host h2 was killed by signal 9' 1 plain "$client" kill 3
check "plain environment: a rank calls gasnet_exit" 5 'aqueduct: rank 5 on host h3 called gasnet_exit\(5\)' 1 plain "$client" exit 5 5
plain_at() {
  local -x AQUEDUCT_INTERFACE=$1
  shift
  plain "$@"
}
check "plain environment: hosts meet at a named interface" 0 'hello from rank [0-5] of 6' 6 plain_at eth0 "$client"
check "plain environment: an interface that is not there is named" - 'AQUEDUCT_INTERFACE=eth7' 1 plain_at eth7 "$client"
nobody_left "plain environment: nothing stays behind"

plain "$client" wait >"$folder/output" 2>&1 &
waiting=$!
for _ in $(seq 100); do [ "$(grep -c 'hello from' "$folder/output")" = 6 ] && break; sleep 0.1; done
begin=$SECONDS
ip -n $tag-switch link set h3 down
wait $waiting
judge "plain environment: a cable is pulled" - 'aqueduct: host h3 is lost' 1 $? $((SECONDS - begin))
ip -n $tag-switch link set h3 up
nobody_left "plain environment: nothing stays behind a pulled cable"
