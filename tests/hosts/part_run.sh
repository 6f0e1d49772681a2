# Jobs by `aqueduct run --hosts`, and some programs of the suite, as long as they run over udp on one host.
export AQUEDUCT_TEST_SCALE=0.05
over_hosts() { on h1 "$aqueduct" run --rsh "$folder/ssh" --hosts h1,h2,h3 "$@"; }
check "aqueduct run: six ranks on three hosts" 0 'hello from rank [0-5] of 6' 6 over_hosts -n 6 "$client"
for program in test_am_payload_seq test_barrier_par test_rma_seq test_atomic_par; do
  [ -x "$build/tests/$program" ] || { skip "suite: $program" "it is not built"; continue; }
  check "suite: $program" 0 '^FAILED|^\*\*\*' 0 over_hosts -n 4 "$build/tests/$program"
done
nobody_left "aqueduct run: nothing stays behind"
