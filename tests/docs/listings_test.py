"""Listings are what the files contain: a block of C below `<!-- listing: FILE -->` is a part of FILE, line by line. And every program of
examples/tutorial is shown."""
import re
import sys

import markdown


def main():
    wrong, shown, count = [], set(), 0
    for page in markdown.pages():
        for block in markdown.blocks(page):
            mark = re.match(r"<!-- listing: (\S+) -->$", block.mark)
            where = f"{page.relative_to(markdown.ROOT)}:{block.line}"
            if not mark:
                if "tutorial" in page.parts and block.language == "c":
                    wrong.append(f"{where}: a listing that does not say which file it is of")
                continue
            count += 1
            source = markdown.ROOT / mark.group(1)
            if not source.exists():
                wrong.append(f"{where}: there is no {mark.group(1)}")
                continue
            shown.add(source)
            text = "\n" + source.read_text()
            if not block.lines or "\n" + "\n".join(block.lines) + "\n" not in text:
                wrong.append(f"{where}: is not a part of {mark.group(1)}")
    wrong += [f"{program.relative_to(markdown.ROOT)} is not shown anywhere"
              for program in sorted((markdown.ROOT / "examples/tutorial").glob("*.c")) if program not in shown]
    print("\n".join(wrong) if wrong else f"{count} listings")
    return 1 if wrong or not count else 0


if __name__ == "__main__":
    sys.exit(main())
