"""Every relative link of the documentation leads somewhere, to a heading that exists where it names one; and every page of docs/ is
linked from another one, and listed in mkdocs.yml."""
import re
import sys

import markdown


def main():
    wrong, linked, count = [], set(), 0
    for page in markdown.pages():
        for line, target in markdown.links(page):
            if re.match(r"[a-z]+:", target):
                continue
            count += 1
            path, _, anchor = target.partition("#")
            there = (page.parent / path).resolve() if path else page
            where = f"{page.relative_to(markdown.ROOT)}:{line}: {target}"
            if not there.exists():
                wrong.append(f"{where}: there is no such file")
            elif anchor and (there.suffix != ".md" or anchor not in markdown.anchors(there)):
                wrong.append(f"{where}: there is no such heading")
            if there != page:
                linked.add(there)
    site = (markdown.ROOT / "mkdocs.yml").read_text()
    for page in markdown.pages():
        name = page.relative_to(markdown.ROOT).as_posix()
        if not name.startswith("docs/"):
            continue
        if page not in linked:
            wrong.append(f"{name} is linked from no other page")
        if name[len("docs/"):] not in site:
            wrong.append(f"{name} is not in mkdocs.yml")
    for name in re.findall(r":\s*([\w/.-]+\.md)\s*$", site.replace("about.md", "README.md"), re.M):
        if not (markdown.ROOT / "docs" / name).exists() and not (markdown.ROOT / name).exists():
            wrong.append(f"mkdocs.yml: there is no {name}")
    print("\n".join(wrong) if wrong else f"{count} links")
    return 1 if wrong or count < 50 else 0


if __name__ == "__main__":
    sys.exit(main())
