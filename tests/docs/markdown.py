"""What the tests of the documentation read of a page: its blocks of code, headings and links."""
import dataclasses
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


@dataclasses.dataclass
class Block:
    """Lines of code, fenced or indented by four spaces."""
    page: pathlib.Path
    line: int  # of the first line of code, from 1
    language: str  # of a fenced one; "indented"
    mark: str  # the line above it
    lines: list


def pages():
    """Everything that is documentation."""
    return sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])


def blocks(page):
    lines = page.read_text().splitlines()
    found, place = [], 0
    while place < len(lines):
        fence = re.match(r"( *)```(\w*)$", lines[place])
        if fence:
            begin = place + 1
            place = next(i for i in range(begin, len(lines)) if lines[i] == fence.group(1) + "```")
            inside = [line[len(fence.group(1)):] for line in lines[begin:place]]
            found.append(Block(page, begin + 1, fence.group(2), lines[begin - 2] if begin > 1 else "", inside))
        elif lines[place].startswith("    ") and (place == 0 or not lines[place - 1].strip()):
            begin = place
            while place < len(lines) and (lines[place].startswith("    ") or not lines[place].strip()):
                place += 1
            found.append(Block(page, begin + 1, "indented", "", [line[4:] for line in lines[begin:place]]))
            continue
        place += 1
    return found


def prose(page):
    """The text without code, line by line, with line numbers."""
    fenced = False
    for number, line in enumerate(page.read_text().splitlines(), 1):
        if re.match(r" *```", line):
            fenced = not fenced
        elif not fenced and not line.startswith("    "):
            yield number, line


def code_in_prose(page):
    """(line, text) of what stands between backquotes in running text, also where it goes on in the next line."""
    text = "\n".join(line for _, line in (prose(page)))
    numbers = [number for number, _ in prose(page)]
    for span in re.finditer(r"(?<!`)`([^`]+)`(?!`)", text):
        yield numbers[text.count("\n", 0, span.start())], " ".join(span.group(1).replace("\\|", "|").split())


def anchors(page):
    """The names by which headings can be linked, as GitHub makes them."""
    found = set()
    for _, line in prose(page):
        heading = re.match(r"#+ +(.*)", line)
        if heading:
            text = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading.group(1).strip().lower())
            name = re.sub(r"[^\w\- ]", "", text).replace(" ", "-")
            number = 0
            while (f"{name}-{number}" if number else name) in found:
                number += 1
            found.add(f"{name}-{number}" if number else name)
    return found


def links(page):
    """(line, target) of all links and pictures."""
    for number, line in prose(page):
        line = re.sub(r"`[^`]*`", lambda code: "x" * len(code.group(0)), line)
        for target in re.findall(r"\]\(([^)\s]+)\)|(?:src|href)=\"([^\"]+)\"", line):
            yield number, target[0] or target[1]
