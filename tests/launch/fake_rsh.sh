#!/bin/sh
# A remote shell for tests: "host" HOST is this machine, in a session of its own and with the environment of a fresh
# login. The name of the host says what goes wrong there:
#
#   refused*   the connection is refused, in ssh's own words
#   unknown*   the name is not known
#   silent*    nothing ever answers
#   noisy*     login scripts print before the command runs, on both streams
#   garbled*   something else answers
#   missing*   there is no such program there
#   older*     another version of it is there
#   nowhere*   the login has no directory but its own
host=$1
command=$2
case $host in
  refused*) echo "ssh: connect to host $host port 22: Connection refused" >&2; exit 255 ;;
  unknown*) echo "ssh: Could not resolve hostname $host: Name or service not known" >&2; exit 255 ;;
  silent*) exec sleep 600 ;;
  noisy*) echo "Welcome to $host"; printf 'last login: never'; echo "a warning" >&2 ;;
  garbled*) printf '\nAQUEDUCT-AGENT\n\377\377\377\377and so on'; exec sleep 600 ;;
  missing*) command="exec /no/such/place/aqueduct agent" ;;
  older*) printf '\nAQUEDUCT-AGENT\n\016\000\000\000\001\143\000\000\000\005\000\000\0000.0.1'; exec sleep 600 ;;
esac
exec env -i PATH=/usr/bin:/bin HOME="$HOME" USER="login-of-$host" setsid -w sh -c "$command"
