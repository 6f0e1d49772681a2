"""What a silent peer takes, measured: barriers on simulated machines of two sizes, in which a rank talks with the logarithm of all.
The memory of a rank that the larger machine adds, divided by the peers that it adds, is what one costs; with more ranks than cores in
one process nothing else grows with their number. Ends with 1 if that is more than LIMIT, a figure that was measured so, and 8 bytes, or what `aqueduct info` says
of the conduit and 32 bytes, for page tables and the like.

    flat_memory.py AQUEDUCT CONDUIT NETWORK FEWER MORE [LIMIT]"""
import os
import re
import subprocess
import sys

aqueduct, conduit, network, fewer, more, *limits = sys.argv[1:]
fewer, more = int(fewer), int(more)
WORDS = {"less than one byte": 1, "less than one": 1, "one": 1}


def most_kib(ranks):
    """The most memory that a simulation of so many ranks had resident."""
    command = [aqueduct, "sim", "--conduit", conduit, "--network", network, "--nodes", str(ranks), "--segment", "64KiB", "--stack", "64KiB",
               "--rounds", "1", "barriers"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    said = process.stdout.read().decode(errors="replace")
    _, status, usage = os.wait4(process.pid, 0)
    if status != 0:
        sys.exit(f"{' '.join(command)}\n{said}")
    return usage.ru_maxrss


def stated():
    """The bytes of a silent peer in the conduit's part of `aqueduct info`."""
    info = subprocess.run([aqueduct, "info"], capture_output=True, text=True, check=True).stdout
    part = re.search(rf"^  {conduit} .*?(?=^  \S)", info, re.MULTILINE | re.DOTALL)
    found = re.search(r"a silent one (less than one|one|[0-9]+)", part[0]) if part else None
    if not found:
        sys.exit(f"aqueduct info does not say what a silent peer of {conduit} takes:\n{part[0] if part else info}")
    return WORDS.get(found[1]) or int(found[1])


nothing = most_kib(4)
of_rank = {ranks: (most_kib(ranks) - nothing) * 1024 / ranks for ranks in (fewer, more)}
silent = (of_rank[more] - of_rank[fewer]) / (more - fewer)
limit, more_is_fine = (int(limits[0]), 8) if limits else (stated(), 32)
print(f"{conduit}: a rank takes {of_rank[fewer] / 1024:.0f} KiB of {fewer}, {of_rank[more] / 1024:.0f} KiB of {more}: "
      f"{silent:.1f} bytes for each silent peer; stated are {limit}")
sys.exit(silent > limit + more_is_fine)
