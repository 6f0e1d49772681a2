"""scripts/bench_history with tools whose times are known: what it calls slower, what noise, in which order it measures, and what it keeps, which the real
`aqueduct report` draws.

    bench_history_test.py SCRIPT AQUEDUCT"""
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

SCRIPT, AQUEDUCT = sys.argv.pop(1), sys.argv.pop(1)
# Stands in for `aqueduct bench NAME ... --json FILE`: the next one of its own list of times for that benchmark, or 100.
FAKE = """#!{python} -SE
import json, pathlib, sys
folder, name, words = pathlib.Path({folder!r}), {name!r}, sys.argv[2:]
bench, conduit, out = words[0], words[words.index("--conduit") + 1], words[words.index("--json") + 1]
with open(folder / "order", "a") as order: order.write(f"{{name}} {{bench}} {{conduit}}\\n")
known = json.loads((folder / (name + ".times")).read_text()).get(bench + " " + conduit, [100])
if known == "fails": sys.exit("bench: it cannot be done here")
done = (folder / "order").read_text().splitlines().count(f"{{name}} {{bench}} {{conduit}}")
time = known[(done - 1) % len(known)]
better = "higher" if bench == "put-bandwidth" else "lower"
json.dump({{"unit": "GB/s" if better == "higher" else "ns", "better": better, "limit_name": "a limit", "rows": [{{"median": time, "min": time, "max": time, "limit": 50}}],
           "machine": {{"cpu": {cpu!r}, "cores": 2, "load": 0, "version": "0.2.0", "date": "2026-01-01T00:00:00Z"}}}}, open(out, "w"))
"""


class BenchHistory(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def tool(self, name, times, cpu="a processor"):
        path = self.folder / name
        path.write_text(FAKE.format(python=sys.executable, folder=str(self.folder), name=name, cpu=cpu))
        path.chmod(0o755)
        (self.folder / f"{name}.times").write_text(json.dumps(times))
        return f"{name}={path}"

    def compare(self, before, after, *options, only="barrier"):
        (self.folder / "order").write_text("")
        done = subprocess.run([SCRIPT, "--turns", "4", "--repetitions", "1", "--only", only, *options, before, after], capture_output=True, text=True)
        return done.returncode, done.stdout + done.stderr

    def row(self, said, title):
        return next(line for line in said.splitlines() if line.startswith(title))

    def test_what_moved_is_told_from_noise(self):
        before = self.tool("before", {"am-latency smp": [100, 102], "barrier smp": [90, 110], "put-bandwidth smp": [10], "reduce smp": [100, 101]})
        after = self.tool("after", {"am-latency smp": [120, 122], "barrier smp": [99, 121], "put-bandwidth smp": [12], "reduce smp": [102]})
        code, said = self.compare(before, after, only="short,put,puts,barrier,reduce")
        self.assertEqual(code, 0, said)
        self.assertRegex(self.row(said, "short message and reply, ns"), r" 1\.20 +1\.00  SLOWER$")
        self.assertRegex(self.row(said, "barrier"), r" 1\.10 +1\.00  noise$")
        self.assertRegex(self.row(said, "puts of 64 KiB, GB/s"), r" 0\.83 +1\.00  faster$")
        self.assertRegex(self.row(said, "reduction"), r" 1\.01 +1\.00 *$")  # steady, and too little to matter
        self.assertRegex(self.row(said, "put of 8 bytes"), r" 1\.00 +1\.00 *$")

    def test_the_two_take_turns(self):
        self.compare(self.tool("before", {}), self.tool("after", {}))
        barriers = [line.split()[0] for line in (self.folder / "order").read_text().splitlines() if line.endswith("barrier smp")]
        self.assertEqual(barriers, ["before", "after", "after", "before"] * 2)

    def test_a_slower_one_is_refused_where_that_is_asked_for(self):
        before, after = self.tool("before", {}), self.tool("after", {"barrier smp": [110]})
        self.assertEqual(self.compare(before, after, "--refuse", "12")[0], 0)
        self.assertEqual(self.compare(before, after, "--refuse", "8")[0], 1)

    def test_a_benchmark_that_fails_is_named_and_the_others_go_on(self):
        code, said = self.compare(self.tool("before", {"reduce smp": "fails"}), self.tool("after", {}), only="barrier,reduce")
        self.assertEqual(code, 1, said)
        self.assertIn("reduction to all of 8 bytes          came to nothing at before: bench: it cannot be done here", said)
        self.assertRegex(self.row(said, "barrier"), r" 1\.00 +1\.00 *$")

    def test_what_is_kept_grows_by_revisions_and_is_drawn(self):
        kept, page = self.folder / "history.json", self.folder / "history.html"
        first, second = self.tool("v1", {"barrier smp": [80, 90]}), self.tool("v2", {"barrier smp": [70]})
        self.assertEqual(self.compare(first, second, "--keep", str(kept))[0], 0)
        third = self.tool("v3", {"barrier smp": [60]})
        self.assertEqual(self.compare(second, third, "--keep", str(kept))[0], 0)
        barrier = next(plot for plot in json.loads(kept.read_text())["plots"] if plot["id"] == "history-barrier")
        self.assertEqual(barrier["x"]["names"], ["v1", "v2", "v3"])
        self.assertEqual(barrier["series"][0]["samples"], [[0, 85.0, 80, 90], [1, 70, 70, 70], [2, 60, 60, 60]])
        self.assertEqual([each["name"] for each in barrier["series"]], ["smp", "this machine"])
        done = subprocess.run([AQUEDUCT, "report", "--from", kept, "--out", page, "--json", self.folder / "again.json"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        again = json.loads((self.folder / "again.json").read_text())
        self.assertEqual([plot["x"]["names"] for plot in again["plots"]], [["v1", "v2", "v3"]] * len(again["plots"]))
        self.assertIn('"names":["v1","v2","v3"]', page.read_text())

    def test_a_file_of_another_machine_is_refused(self):
        kept = self.folder / "history.json"
        self.compare(self.tool("a", {}), self.tool("b", {}), "--keep", str(kept))
        before = kept.read_text()
        code, said = self.compare(self.tool("c", {}, "another"), self.tool("d", {}, "another"), "--keep", str(kept))
        self.assertEqual(code, 1, said)
        self.assertIn("was measured on", said)
        self.assertEqual(kept.read_text(), before)


if __name__ == "__main__":
    unittest.main()
