# Endings on several hosts: each within its time, with one line.
over_hosts() { on h1 "$aqueduct" run --rsh "$folder/ssh" --hosts h1,h2,h3 "$@"; }
check "a rank is killed" 137 'aqueduct: rank 4 on host h3 was killed by signal 9' 1 over_hosts -n 6 "$client" kill 4
check "a rank calls gasnet_exit" 5 'aqueduct: rank 2 on host h2 called gasnet_exit\(5\)' 1 over_hosts -n 6 "$client" exit 2 5

# Starts a job whose ranks wait for ever, and waits until they do.
start_waiting() {
  "$@" >"$folder/output" 2>&1 </dev/null &
  waiting=$!
  for _ in $(seq 100); do
    [ "$(grep -c 'hello from' "$folder/output")" = 6 ] && return
    sleep 0.1
  done
}
start_waiting over_hosts -n 6 "$client" wait
ip netns pids $tag-h1 | xargs ps -o pid=,args= -p | awk '/bin\/aqueduct run/ { print $1; exit }' | xargs -r kill -9
wait $waiting 2>/dev/null
nobody_left "the launcher is killed: nothing stays behind"

start_waiting over_hosts -n 6 "$client" wait
begin=$SECONDS
ip -n $tag-switch link set h3 down
wait $waiting
judge "a cable is pulled" - 'aqueduct: .*h3' 1 $? $((SECONDS - begin))
ip -n $tag-switch link set h3 up
nobody_left "a cable is pulled: nothing stays behind"
