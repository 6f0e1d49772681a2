"""The shared library exports every name that it exported in the last release, unless its soname is another one; and C names alone.

    symbols_test.py LIBRARY DESCRIPTION"""
import pathlib
import re
import subprocess
import sys


def printed(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def main():
    library, description = sys.argv[1], pathlib.Path(sys.argv[2]).read_text()
    exported = {line.split()[-1].partition("@")[0] for line in printed("nm", "-D", "--defined-only", library).splitlines()}
    released = set(re.findall(r"<elf-symbol name='([^']+)'", description))
    if len(released) < 100:
        print(f"the description has {len(released)} names")
        return 1
    wrong = [f"{name} is exported, a name of C++" for name in sorted(exported) if name.startswith("_Z")]
    now = re.search(r"SONAME.*\[(.*)\]", printed("readelf", "-d", library)).group(1)
    before = re.search(r"soname='([^']*)'", description).group(1)
    if now == before:
        wrong += [f"{name} is no longer exported, and the soname is still {now}" for name in sorted(released - exported)]
    print("\n".join(wrong) if wrong else f"{now}: {len(released & exported)} of {len(released)} names of {before}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
