"""scripts/abi refuses what a release may not do to programs that were linked with the last one: tried with small libraries."""
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

SCRIPT, COMPILER = sys.argv.pop(1), sys.argv.pop(1)
HEADER = "struct thing { int a; long b; };\nint first(struct thing* t);\nint second(int x);\nextern int third;\n"
SOURCE = '#include "lib.h"\nint first(struct thing* t) { return t->a; }\nint second(int x) { return x; }\nint third = 3;\n'


class Abi(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        self.changelog = self.folder / "CHANGELOG.md"
        self.changelog.write_text("# Changelog\n\n## 0.2.1 (unreleased)\n\n- A line.\n\n## 0.2.0 (2026-01-01)\n\n- ABI: second\n")
        self.description = self.folder / "lib.abi"
        self.assertEqual(self.run_script("store", self.library(HEADER, SOURCE))[0], 0)

    def library(self, header, source, soname="libthing.so.0.2"):
        (self.folder / "include").mkdir(exist_ok=True)
        (self.folder / "include/lib.h").write_text(header)
        (self.folder / "lib.c").write_text(source)
        library = self.folder / "libthing.so"
        subprocess.run([COMPILER, "-g", "-shared", "-fPIC", "-Iinclude", "lib.c", "-o", library, f"-Wl,-soname,{soname}"], check=True, cwd=self.folder)
        return library

    def run_script(self, what, library):
        done = subprocess.run([SCRIPT, what, "--library", library, "--headers", self.folder / "include", "--description", self.description,
                               "--changelog", self.changelog], capture_output=True, text=True)
        return done.returncode, done.stdout + done.stderr

    def check(self, header, source, **how):
        return self.run_script("check", self.library(header, source, **how))

    def test_the_same_library_passes(self):
        code, said = self.check(HEADER, SOURCE)
        self.assertEqual((code, said), (0, "abi: nothing was removed or changed since the last release (libthing.so.0.2)\n"))

    def test_the_description_names_no_path_of_this_machine(self):
        self.assertNotIn(str(self.folder), self.description.read_text())
        self.assertIn("name='first'", self.description.read_text())

    def test_an_addition_passes(self):
        code, said = self.check(HEADER + "int more(void);\n", SOURCE + "int more(void) { return 4; }\n")
        self.assertEqual(code, 0, said)

    def test_a_removed_function_is_refused(self):
        code, said = self.check(HEADER.replace("int second(int x);\n", ""), SOURCE.replace("int second(int x) { return x; }\n", ""))
        self.assertEqual(code, 1, said)
        self.assertIn("Removed or changed: second.", said)

    def test_a_removed_variable_is_refused(self):
        code, said = self.check(HEADER.replace("extern int third;\n", ""), SOURCE.replace("int third = 3;\n", ""))
        self.assertEqual(code, 1, said)
        self.assertIn("Removed or changed: third.", said)

    def test_another_type_of_an_argument_is_refused(self):
        code, said = self.check(HEADER.replace("int second(int x)", "int second(long x)"), SOURCE.replace("int second(int x)", "int second(long x)"))
        self.assertEqual(code, 1, said)
        self.assertIn("Removed or changed: second.", said)

    def test_another_shape_of_a_structure_is_refused(self):
        code, said = self.check(HEADER.replace("int a; long b;", "long b; int a;"), SOURCE)
        self.assertEqual(code, 1, said)
        self.assertIn("Removed or changed: thing.", said)

    def test_another_soname_accepts_all(self):
        code, said = self.check("int first(void);\n", "int first(void) { return 0; }\n", soname="libthing.so.0.3")
        self.assertEqual(code, 0, said)
        self.assertIn("the soname is libthing.so.0.3 and was libthing.so.0.2", said)

    def test_the_changelog_of_this_release_accepts_what_it_names(self):
        header, source = HEADER.replace("int second(int x)", "int second(long x)"), SOURCE.replace("int second(int x)", "int second(long x)")
        self.changelog.write_text(self.changelog.read_text().replace("- A line.", "- ABI: the argument of\n  `second` is a long, in the same register."))
        self.assertEqual(self.check(header, source)[0], 0)
        header, source = header.replace("first(struct thing* t)", "first(int t)"), source.replace("first(struct thing* t) { return t->a; }", "first(int t) { return t; }")
        code, said = self.check(header, source)
        self.assertEqual(code, 1, said)
        self.assertIn("Removed or changed: first.", said)

    def test_a_library_without_debug_information_is_no_answer(self):
        library = self.library(HEADER, SOURCE)
        subprocess.run(["strip", library], check=True)
        code, said = self.run_script("check", library)
        self.assertEqual(code, 1, said)
        self.assertIn("has no debug information", said)


if __name__ == "__main__":
    if not shutil.which("abidiff") or not shutil.which("abidw"):
        print("abidiff is missing; Debian: apt-get install abigail-tools")
        sys.exit(77)
    unittest.main()
