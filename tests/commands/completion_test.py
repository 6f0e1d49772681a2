"""Completion of `aqueduct`: bash offers every command and every option that the help shows, and nothing else; a bash at a terminal completes what is typed,
and so does zsh where it is installed.

    completion_test.py TOOL FILES"""
import os
import pathlib
import pty
import re
import select
import shutil
import subprocess
import sys
import time

PATIENCE_S = 60
tool, files = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
environment = {name: value for name, value in os.environ.items() if not re.match("AQUEDUCT_|GASNET_", name)}
environment.update(PATH=f"{tool.parent}:{environment['PATH']}", TERM="dumb", INPUTRC="/dev/null", LC_ALL="C")
wrong = []


def expect(holds, complaint):
    if not holds:
        wrong.append(complaint)


def help_of(words):
    return subprocess.run([tool, *words, "--help"], check=True, capture_output=True, text=True).stdout


def offered(*words):
    """What bash offers for the last word."""
    script = 'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _aqueduct; printf "%s\\n" "${COMPREPLY[@]}"'
    said = subprocess.run(["bash", "--norc", "-c", script, "bash", files / "aqueduct.bash", "aqueduct", *words],
                          check=True, capture_output=True, text=True, env=environment)
    return set(said.stdout.split("\n")) - {""}


def check_command(words):
    text = help_of(words)
    options = set(re.findall(r"(?:^  |,)(--?[\w-]+)", "\n".join(line for line in text.splitlines() if re.match(r"  -", line)), re.M))
    expect("--help" in options, f"the help of {words} has no options:\n{text}")
    expect(offered(*words, "-") == options, f"{words}: offered {offered(*words, '-')}, in the help {options}")
    below = re.findall(r"^  ([a-z][\w-]*)", text.partition("Subcommands:")[2], re.M)
    if below:
        expect(set(below) <= offered(*words, ""), f"{words}: {below} are not all offered")
        for name in below:
            expect(offered(*words, name[:-1]) >= {name}, f"{[*words, name[:-1]]}: {name} is not offered")
    return 1 + sum(check_command([*words, name]) for name in below)


def at_terminal(shell, preparation, typed, answer):
    """Types at an interactive shell, and waits for the answer."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.execvpe(shell[0], shell, environment)
    seen, end = "", time.monotonic() + PATIENCE_S

    def wait_for(part):
        nonlocal seen
        while part not in seen and time.monotonic() < end:
            if select.select([terminal], [], [], 0.1)[0]:
                try:
                    seen += os.read(terminal, 4096).decode(errors="replace")
                except OSError:
                    return False
        return part in seen

    os.write(terminal, (preparation + "; echo rea''dy\n").encode())
    done = wait_for("ready")
    seen = ""
    os.write(terminal, typed.encode())
    done = done and wait_for(answer)
    os.kill(pid, 9)
    os.waitpid(pid, 0)
    os.close(terminal)
    expect(done, f"{shell[0]}: '{typed}' has become {seen!r}, not '{answer}'")


commands = check_command([])
expect(commands > 20, f"only {commands} commands were looked at")
expect("bench-rank" not in offered("bench") and not offered("agen"), "commands are offered that are not for people")
expect(offered("run", "--conduit", "ud") == {"udp"}, "run --conduit ud does not give udp")
expect(offered("run", "--conduit", "=", "ud") == {"udp"}, "run --conduit=ud does not give udp")
expect(offered("trace", "--per", "") == {"job", "rank", "thread"}, "trace --per does not give its words")
expect("put-latency" in offered("bench", "put"), "bench does not give benchmarks")
expect("allreduce" in offered("sim", "--nodes", "8", "all"), "sim does not give scenarios")
expect(any(name.startswith("aries") for name in offered("sim", "--network", "ar")), "sim --network does not give networks")
expect("bench" in offered("help", "b"), "help does not give commands")
expect(offered("run", "-n", "2", str(files / "aqueduct.b")) == {str(files / "aqueduct.bash")}, "run does not give programs")
expect(offered("run", "-n", "2", "program", str(files / "_aq")) == {str(files / "_aqueduct")}, "what follows a program are not files")
at_terminal(["bash", "--norc", "--noprofile", "-i"], f"source '{files}/aqueduct.bash'", "aqueduct doct\t", "aqueduct doctor ")
at_terminal(["bash", "--norc", "--noprofile", "-i"], f"source '{files}/aqueduct.bash'", "aqueduct run --oversub\t", "aqueduct run --oversubscribe ")
if shutil.which("zsh"):
    prepare = f"fpath=('{files}' $fpath); autoload -Uz compinit && compinit -D -u"
    at_terminal(["zsh", "-f", "-i"], prepare, "aqueduct doct\t", "doctor ")
    at_terminal(["zsh", "-f", "-i"], prepare, "aqueduct run --conduit=ud\t", "--conduit=udp")
print("\n".join(wrong) if wrong else f"{commands} commands")
sys.exit(1 if wrong else 0)
