"""The pages of the manual, and variables: each command and each conduit has one; that of a command lists its options, no more and no less; they refer to
pages that there are; and they are clean roff, where groff is installed to say so. Whatever any page calls AQUEDUCT_* is a variable, a macro or an
option of the build."""
import argparse
import json
import pathlib
import re
import shutil
import subprocess
import sys

import markdown

SOURCES = markdown.ROOT / "docs/man"


def printed(*command):
    return subprocess.run([str(word) for word in command], check=True, capture_output=True, text=True).stdout


def subcommands(help_text):
    _, _, listed = help_text.partition("Subcommands:")
    return re.findall(r"^  ([a-z][\w-]*)", listed, re.M)


def options_of(help_text):
    """The long options at the beginning of lines."""
    return set(re.findall(r"^  (?:-\w,)?(--[\w-]+)", help_text, re.M))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", type=pathlib.Path, required=True)
    build = parser.parse_args().build
    tool, wrong = build / "bin/aqueduct", []
    pages = {source.name[: -len(".md")]: source.read_text() for source in SOURCES.glob("*.[17].md")}

    commands = subcommands(printed(tool, "--help"))
    for command in commands:
        text = pages.get(f"aqueduct-{command}.1")
        if text is None:
            wrong.append(f"there is no docs/man/aqueduct-{command}.1.md")
            continue
        help_text = printed(tool, command, "--help")
        has = options_of(help_text)
        for part in subcommands(help_text):
            has |= options_of(printed(tool, command, part, "--help"))
        table = text.partition("## OPTIONS")[2].partition("\n## ")[0]
        listed = {option for row in re.findall(r"^\| ([^|]*) \|", table, re.M) for option in re.findall(r"`(--[\w-]+)`", row)}
        wrong += [f"aqueduct-{command}(1) does not list {option}" for option in sorted(has - listed)]
        wrong += [f"aqueduct-{command}(1) lists {option}, which there is not" for option in sorted(listed - has)]
        if f"`{command}`" not in pages["aqueduct.1"]:
            wrong.append(f"aqueduct(1) does not list {command}")

    for conduit in json.loads(printed(tool, "info", "--json"))["conduits"]:
        name = re.sub(r"^mpi-(openmpi|mpich)$", "mpi", conduit["name"])
        if name != "loopback" and f"aqueduct-{name}.7" not in pages:
            wrong.append(f"there is no docs/man/aqueduct-{name}.7.md")

    contents = (SOURCES / "index.md").read_text()
    for name, text in pages.items():
        title = name[:-2]
        if not text.startswith(f"# {title}({name[-1]})\n\n## NAME\n\n{title} - "):
            wrong.append(f"{name}.md does not begin with its title and name")
        for other, section in re.findall(r"`(aqueduct[\w-]*)`\((\d)\)", text):
            if f"{other}.{section}" not in pages:
                wrong.append(f"{name}.md refers to {other}({section}), which there is not")
        if f"({name}.md)" not in contents:
            wrong.append(f"{name}.md is not in docs/man/index.md")
        page = build / "share/man" / f"man{name[-1]}" / name
        if not page.exists():
            wrong.append(f"{page} was not made")
        elif shutil.which("groff"):
            said = subprocess.run(["groff", "-man", "-ww", "-Tutf8", "-z", str(page)], capture_output=True, text=True).stderr
            wrong += [f"{name}: {line}" for line in said.splitlines()]
    known = printed(tool, "info", "--variables")
    for folder, pattern in [("include", "*.h*"), ("clients", "*.h*"), ("src", "*.hpp"), ("src", "CMakeLists.txt"), ("cmake", "*"), ("tests", "CMakeLists.txt")]:
        known += "".join(file.read_text() for file in (markdown.ROOT / folder).rglob(pattern) if file.is_file())
    words = set(re.findall(r"\bAQUEDUCT_\w+", known))
    for page in set(markdown.pages()) - {markdown.ROOT / "CHANGELOG.md"}:  # which speaks of what was removed
        for name in sorted(set(re.findall(r"\bAQUEDUCT_\w*\w", page.read_text())) - words):
            if not name.endswith("_") and not name.startswith("AQUEDUCT_TEST"):
                wrong.append(f"{page.relative_to(markdown.ROOT)} speaks of {name}, which there is not")
    print("\n".join(wrong) if wrong else f"{len(pages)} pages")
    return 1 if wrong or not pages else 0


if __name__ == "__main__":
    sys.exit(main())
