"""A program of ours runs on any 64-bit x86: it contains no instruction of AVX or AES. What uses these is chosen at run time, by libIPSec_MB, libsodium and the C library.

    instructions_test.py FILE..."""
import re
import subprocess
import sys

NEWER = re.compile(r"%[yz]mm\d|\t(v[a-z0-9]+ps|vz[a-z]+|aes[a-z0-9]+|pclmul[a-z]*) ")


def main():
    wrong = 0
    for path in sys.argv[1:]:
        listing = subprocess.run(["objdump", "-d", "--no-show-raw-insn", path], check=True, capture_output=True, text=True).stdout
        found = [line.strip() for line in listing.splitlines() if NEWER.search(line)]
        count = listing.count("\n")
        print(f"{path}: {count} lines of code, {len(found)} with newer instructions", *found[:5], sep="\n  ")
        wrong += bool(found) or count < 10000
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
