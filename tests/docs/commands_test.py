"""Runs the commands that the documentation shows.

    commands_test.py --build DIR [--flags FLAGS] [--list] PAGE...

A command is a line of a block in ```sh, a line after `$ ` in one in ```console, and, in indented blocks and those without a
language, a line that begins like a command: with one of PROGRAMS, after settings of variables. What follows two spaces and a
`#` is a comment. Commands of a page run one after the other in a directory of their own, which has `program` and `hello`, the sources
in examples, and links to the tree and its build; `aqueduct` and pkg-config's `aqueduct` and `aqueduct-papers` are those of the build.

Commands in running text, between backquotes, run after those of the page's blocks. One with a placeholder (a word in capitals), or which
lacks what it is to run, must only name a command of `aqueduct`, options that its help has, or a goal of `make`.

A command must exit with 0. One in ```console must print what the page shows, in any order of lines: `...` stands for anything, a line
`...` for any lines; its exit code is not looked at where it prints something.

Those that not_run.txt names are not run; it says why. Others are run with less to do, as shorter.txt says. Each entry of the two must match
a command of the documentation.
"""
import argparse
import collections
import fnmatch
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import markdown

PROGRAMS = re.compile(r"(aqueduct|make|ctest|cmake|ninja|cc|g?cc|c\+\+|g\+\+|mpirun|mpiexec[.\w]*|srun|salloc|ssh|gasnetrun_\w+|amudprun|pkg-config|"
                      r"apt-get|sudo|man|git|export|gdb|cd|kill|nice|docker|spack|dpkg|mkdocs|unshare|build/\S+|scripts/\S+|tests/\S+|"
                      r"networks/\S+|\./\S+)$")
MENTIONED = "is mentioned"
Command = collections.namedtuple("Command", "page line text expected in_prose", defaults=[False])


def program_of(line):
    words = line.split()
    while words and re.match(r"[A-Za-z_]\w*=", words[0]):
        words.pop(0)
    return words[0] if words else ""


def commands(page):
    for block in markdown.blocks(page):
        shell = block.language in ("sh", "console", "bash")
        if not shell and block.language not in ("", "indented"):
            continue
        command, expected, has_prompt = None, [], any(line.startswith("$ ") for line in block.lines)
        for number, line in enumerate(block.lines + ["$ "], block.line):
            if line.startswith("$ ") if has_prompt else True:
                if command:
                    yield Command(page, command[0], command[1], expected if has_prompt and block.language == "console" else None)
                    command, expected = None, []
                text = re.sub(r"(^|\s\s)#.*", "", line[2:] if line.startswith("$ ") else line).strip()
                if text and (shell or has_prompt or PROGRAMS.match(program_of(text))):
                    command = (number, text)
            elif command:
                expected.append(line)


def commands_in_prose(page):
    for line, text in markdown.code_in_prose(page):
        if re.match(r"(aqueduct|make|ctest|build/release/bin/aqueduct) \w|(aqueduct|make|ctest) -", text):
            yield Command(page, line, text, None, True)


def is_mention(text):
    """Names a command, but is not one that can be run."""
    words = text.split()
    if any(re.fullmatch(r"[A-Z]+(\.\.\.)?", word) for word in words):
        return True
    if words[0] != "aqueduct":
        return words[0] == "make" and len(words) == 2
    lacks = {"run": "./", "trace": ".json"}.get(words[1], "")  # a program, a file
    return len(words) == 2 or lacks not in text or re.fullmatch("--(placement|ranks-per-node|bridge|seeds|against raw)", " ".join(words[2:]))


def misnamed(text, environment, helps={}):
    """What of a command that is only mentioned there is not; nothing if all is."""
    words = text.split()
    if words[0] == "make":
        goals = re.findall(r"^([a-z-]+):", (markdown.ROOT / "Makefile").read_text(), re.M)
        return "" if words[-1] in goals else f"make has no goal {words[-1]}"
    if words[0] != "aqueduct" or words[1] == "COMMAND":
        return ""
    if words[1] not in helps:
        helps[words[1]] = subprocess.run(["aqueduct", words[1], "--help"], env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                         stderr=subprocess.STDOUT, text=True)
    known = helps[words[1]]
    if known.returncode:
        return f"aqueduct has no command {words[1]}"
    missing = [word for word in words if re.match(r"--?[a-z]", word) and not re.search(rf"(?<![\w-]){word}\b", known.stdout)]
    return f"aqueduct {words[1]} has no {missing[0]}" if missing else ""


def entries(name, separator):
    lines = (pathlib.Path(__file__).parent / name).read_text().splitlines()
    return [line.split(separator, 1) for line in lines if line and not line.startswith("#")]


def shortened(text, rules):
    for pattern, replacement in rules:
        text = re.sub(pattern, replacement, text)
    return text


def prepare(directory, build, flags, sources):
    """What a page's commands find."""
    for name in ("docs", "examples", "networks", "scripts", "tests", "include"):
        (directory / name).symlink_to(markdown.ROOT / name)
    (directory / "build").mkdir()
    (directory / "build/release").symlink_to(build)
    for source in (markdown.ROOT / sources).glob("*.c"):
        shutil.copy(source, directory)
    (directory / "nodes.txt").write_text("a\nb:4\n")
    for name in ("program", "hello"):
        shutil.copy(build / "bin/hello", directory / name)
    for name, more in (("aqueduct", ""), ("aqueduct-papers", f"-I{markdown.ROOT}/papers/include")):
        (directory / f"{name}.pc").write_text(
            f"Name: {name}\nDescription: the build\nVersion: 0\nCflags: -I{markdown.ROOT}/include -I{build}/include {more} {flags}\n"
            f"Libs: -L{build}/lib -Wl,-rpath,{build}/lib -l{name} {flags}\n")
    plain = {name: value for name, value in os.environ.items() if not re.match("AQUEDUCT_|GASNET_", name)}
    return dict(plain, PATH=f"{build}/bin:{os.environ['PATH']}", PKG_CONFIG_PATH=str(directory), LC_ALL="C")


def differs(expected, printed):
    """What is not as shown; nothing if all is."""
    lines = [line.rstrip() for line in printed.splitlines()]
    shown = [line.rstrip() for line in expected if line.strip()]
    for line in shown:
        if line == "...":
            continue
        pattern = re.compile(".*".join(re.escape(part) for part in line.split("...")) + "$")
        found = next((one for one in lines if pattern.match(one)), None)
        if found is None:
            return f"is not printed: {line}"
        lines.remove(found)
    left = [line for line in lines if line]
    return "" if "..." in shown or not left else f"is printed but not shown: {left[0]}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--flags", default="", help="what programs must be compiled and linked with")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("pages", nargs="*", type=pathlib.Path)
    options = parser.parse_args()
    skipped = {pattern: reason for reason, pattern in entries("not_run.txt", ": ")}
    rules = entries("shorter.txt", " => ")
    wrong, ran, mentioned, left_out, done = [], 0, 0, 0, set()
    everywhere = [command.text for page in markdown.pages() for command in (*commands(page), *commands_in_prose(page))]
    wrong += [f"not_run.txt: no page has a command {pattern}" for pattern in skipped
              if not any(fnmatch.fnmatchcase(text, pattern) for text in everywhere)]
    wrong += [f"shorter.txt: no page has a command with {pattern}" for pattern, _ in rules
              if not any(re.search(pattern, text) for text in everywhere)]
    groups = {}  # the tutorial is one story: its pages share a directory
    for page in options.pages or markdown.pages():
        page = page.resolve()
        groups.setdefault(page.parent if page.parent.name == "tutorial" else page, []).extend(
            (*commands(page), *commands_in_prose(page)))
    for story, found in groups.items():
        if not found:
            continue
        sources = "examples/tutorial" if story.name == "tutorial" else "examples"
        with tempfile.TemporaryDirectory(prefix="aqueduct-docs-") as name:
            directory = pathlib.Path(name)
            environment = prepare(directory, options.build.resolve(), options.flags, sources)
            for command in found:
                where = f"{command.page.relative_to(markdown.ROOT)}:{command.line}: {command.text}"
                reason = next((skipped[pattern] for pattern in skipped if fnmatch.fnmatchcase(command.text, pattern)), None)
                if command.in_prose and is_mention(command.text):
                    difference = misnamed(command.text, environment)
                    wrong += [f"{where}\n  {difference}"] if difference else []
                    reason = MENTIONED
                if options.list:
                    print(f"{reason or 'run'} | {where}")
                if reason == MENTIONED:
                    mentioned += 1
                elif reason:
                    left_out += 1
                again = command.expected is None and program_of(command.text) == "aqueduct" and command.text in done
                if reason or again or options.list:
                    continue
                ran += 1
                outcome = subprocess.run(["bash", "-c", shortened(command.text, rules)], cwd=directory, env=environment, stdin=subprocess.DEVNULL,
                                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
                if command.expected:
                    difference = differs(command.expected, outcome.stdout)
                else:
                    difference = f"exits with {outcome.returncode}" if outcome.returncode else ""
                if not difference:
                    done.add(command.text)
                else:
                    wrong.append(f"{where}\n  {difference}\n  it printed:\n{outcome.stdout[-3000:]}")
    print("\n".join(wrong) if wrong else f"{ran} commands run, {mentioned} mentioned, {left_out} not run")
    return 1 if wrong or (not ran and not options.list) else 0


if __name__ == "__main__":
    sys.exit(main())
