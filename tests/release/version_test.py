"""One version everywhere: what project() of CMakeLists.txt says is also what the newest section of the changelog, CITATION.cff, the Spack recipe, the
Debian packages, the manual, pkg-config, CMake's package, the public header, the soname of the library and `aqueduct --version` say; SECURITY.md supports it,
and no page, script or test names another version where it means this one. A release has a date, the same in the changelog and in CITATION.cff."""
import argparse
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Where a version of Aqueduct stands in texts that mean the present one; releases of the past are named in the changelog alone.
MENTIONS = re.compile(r"libaqueduct(\d+\.\d+)\b|\baqueduct@(\d+\.\d+\.\d+)|find_package\(Aqueduct (\d+\.\d+)\b|version\(\"(\d+\.\d+\.\d+)\"\)")
FOLDERS = ("cmake", "docs", "packaging", "scripts", "tests/consumers", "tests/packages")


class Comparison:
    def __init__(self):
        self.compared, self.wrong = 0, []

    def expect(self, where, found, expected):
        self.compared += 1
        if found != expected:
            self.wrong.append(f"{where} says {found!r}, and not {expected!r}")

    def expect_in(self, where, pattern, text, expected):
        """What the pattern finds first in the text."""
        found = re.search(pattern, text, re.M)
        self.expect(where, found.group(1) if found else None, expected)


def printed(*command):
    return subprocess.run([str(word) for word in command], check=True, capture_output=True, text=True).stdout


def compare_sources(comparison, version):
    series = version.rpartition(".")[0]
    changelog, citation = (ROOT / "CHANGELOG.md").read_text(), (ROOT / "CITATION.cff").read_text()
    newest = re.search(r"^## (\S+) \((unreleased|\d{4}-\d\d-\d\d)\)$", changelog, re.M)
    comparison.expect("the first section of CHANGELOG.md", newest and newest.group(1), version)
    comparison.expect_in("CITATION.cff", r"^version: (\S+)$", citation, version)
    if newest and newest.group(2) != "unreleased":
        comparison.expect_in("date-released of CITATION.cff", r"^date-released: (\S+)$", citation, newest.group(2))
    comparison.expect_in("the table of SECURITY.md", r"^\| (\d+\.\d+)\.x \| yes \|$", (ROOT / "SECURITY.md").read_text(), series)
    mentions = 0
    for path in sorted(path for folder in FOLDERS for path in (ROOT / folder).rglob("*") if path.is_file()):
        for found in MENTIONS.finditer(path.read_text(errors="replace")):
            said = next(filter(None, found.groups()))
            comparison.expect(f"{path.relative_to(ROOT)}: '{found.group(0)}'", said, version if said.count(".") == 2 else series)
            mentions += 1
    if mentions < 5:
        comparison.wrong.append(f"there are only {mentions} mentions of the version in {', '.join(FOLDERS)}")


def compare_build(comparison, version, build, library):
    major, minor, patch = version.split(".")
    soname = re.search(r"SONAME.*\[(.*)\]", printed("readelf", "-d", library))
    comparison.expect("the soname of the library", soname and soname.group(1), f"libaqueduct.so.{major}.{minor}")
    comparison.expect("the file of the library", library.resolve().name, f"libaqueduct.so.{version}")
    comparison.expect("aqueduct --version", printed(build / "bin/aqueduct", "--version"), f"aqueduct {version}\n")
    header = (build / "include/gasnet_config.h").read_text()
    for name, value in ("MAJOR", major), ("MINOR", minor), ("PATCH", patch):
        comparison.expect_in(f"AQUEDUCT_VERSION_{name}", rf"^#define AQUEDUCT_VERSION_{name} (\d+)$", header, value)
    comparison.expect_in("AqueductConfigVersion.cmake", r"set\(PACKAGE_VERSION \"(.*)\"\)", (build / "AqueductConfigVersion.cmake").read_text(), version)
    for pc in sorted((build / "pkgconfig").rglob("aqueduct*.pc")):
        comparison.expect_in(pc.relative_to(build), r"^Version: (.*)$", pc.read_text(), version)
    packages = (build / "CPackConfig.cmake").read_text()
    comparison.expect_in("the version of the Debian packages", r"^set\(CPACK_PACKAGE_VERSION \"(.*)\"\)", packages, version)
    comparison.expect_in("the Debian package of the library", r"^set\(CPACK_DEBIAN_RUNTIME_PACKAGE_NAME \"(.*)\"\)", packages, f"libaqueduct{major}.{minor}")
    manual = sorted((build / "share/man").rglob("*.[17]"))
    if not manual:
        comparison.wrong.append("the build has no manual")
    for page in manual:
        comparison.expect_in(page.name, r"^\.TH .* \"Aqueduct (.*)\" \"Aqueduct\"$", page.read_text(), version)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--library", type=pathlib.Path, required=True)
    options = parser.parse_args()
    version = re.search(r"^project\(Aqueduct VERSION (\d+\.\d+\.\d+) ", (ROOT / "CMakeLists.txt").read_text(), re.M).group(1)
    comparison = Comparison()
    compare_sources(comparison, version)
    compare_build(comparison, version, options.build, options.library)
    print("\n".join(comparison.wrong) if comparison.wrong else f"{version} in {comparison.compared} places")
    return 1 if comparison.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
