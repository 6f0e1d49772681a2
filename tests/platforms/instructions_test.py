"""A program of ours runs on any 64-bit x86: it contains no instruction of AVX or AES but those that it chooses at run time, in copies of
65 bytes to 8 KiB: the function of base/copier.cpp, and what detail/copy.h has in line, which only uses registers that a compiler
does not use for such processors. Seals choose at run time, too: they are in libIPSec_MB and libsodium.

    instructions_test.py FILE..."""
import re
import subprocess
import sys

NEWER = re.compile(r"%[yz]mm\d|\t(v[a-z0-9]+ps|vz[a-z]+|aes[a-z0-9]+|pclmul[a-z]*) ")
FUNCTION = re.compile(r"[0-9a-f]+ <(.*)>:$")
CHOSEN_FUNCTION = "copy_wide"
CHOSEN_IN_LINE = re.compile(r"\tvmovdqu64 [^%]*(\([^)]*\), ?)?%[yz]mm1[6-9](,|$)")


def main():
    wrong = 0
    for path in sys.argv[1:]:
        listing = subprocess.run(["objdump", "-d", "--no-show-raw-insn", path], check=True, capture_output=True, text=True).stdout
        function, found, chosen = "", [], 0
        for line in listing.splitlines():
            begin = FUNCTION.match(line)
            if begin:
                function = begin[1]
            elif NEWER.search(line):
                if CHOSEN_FUNCTION in function or CHOSEN_IN_LINE.search(line):
                    chosen += 1
                else:
                    found.append(f"{function}: {line.strip()}")
        count = listing.count("\n")
        print(f"{path}: {count} lines of code, {chosen} with newer instructions that are chosen at run time, {len(found)} others", *found[:5], sep="\n  ")
        wrong += bool(found) or not chosen or count < 10000
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
