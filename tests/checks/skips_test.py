"""A skipped test counts as a failure unless tests/skips.txt lists it: what scripts/skips makes of results of ctest."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = sys.argv.pop(1)
CASE = '<testcase name="{name}" status="{status}">{inside}</testcase>'


def judge(preset, *cases):
    """The exit code and the lines of the script for these (name, status, inside)."""
    with tempfile.TemporaryDirectory() as folder:
        results = pathlib.Path(folder) / "results.xml"
        inside = "".join(CASE.format(name=name, status=status, inside=text) for name, status, text in cases)
        results.write_text(f"<testsuite>{inside}</testsuite>")
        done = subprocess.run([SCRIPT, preset, str(results)], capture_output=True, text=True)
    return done.returncode, done.stdout


class Skips(unittest.TestCase):
    def test_a_test_that_ran_is_not_mentioned(self):
        self.assertEqual(judge("release", ("unit.a", "run", "")), (0, ""))

    def test_an_unlisted_skip_is_a_failure(self):
        code, said = judge("release", ("unit.a", "run", ""), ("unit.b", "notrun", '<skipped message="SKIP"/>'))
        self.assertEqual(code, 1)
        self.assertEqual(said, "skipped: unit.b: NOT LISTED in tests/skips.txt\n")

    def test_a_case_that_a_program_of_many_skips_is_seen(self):
        said = "<system-out>[  SKIPPED ] Suite.Case (0 ms)\n[       OK ] Suite.Other\n</system-out>"
        self.assertEqual(judge("release", ("many", "run", said)), (1, "skipped: many:Suite.Case: NOT LISTED in tests/skips.txt\n"))

    def test_a_listed_skip_has_its_reason_in_its_preset_only(self):
        listed = ("sim.Fibers.OneThatOverflowsAStackWithoutGuardIsNamed", "notrun", '<skipped message="SKIP"/>')
        code, said = judge("asan", listed)
        self.assertEqual(code, 0, said)
        self.assertIn("is not on the fiber's stack", said)
        self.assertEqual(judge("release", listed)[0], 1)


if __name__ == "__main__":
    unittest.main()
