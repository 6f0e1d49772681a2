"""scripts/against_program and scripts/against_gasnet with programs that print made-up times in the forms of GASNet's: which rows are found, what
their ratios are, and what is said where something is missing.

    against_test.py SCRIPTS C_COMPILER"""
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

SCRIPTS, COMPILER = pathlib.Path(sys.argv.pop(1)), sys.argv.pop(1)

TESTAM = """
   Msg Sz  Description                             Total time   Avg. time   Bandwidth
A:         AMShort     ping-pong roundtrip ReqRep:  0.112 sec {short} us
B:     512 AMMedium    flood     one-way   Req   :  0.015 sec {medium} us 1.0 MB/s
"""
TESTSMALL = """
A:  0 -          8 byte :  100000 iters, latency       {total} us total,     0.002 us ave. (PutBlocking latency)
B:  0 -       1024 byte :  100000 iters, throughput  {rate} KB/sec (GetNBI throughput)
"""
TESTFADDPERF = """
A:  0 :  100000 iters, latency       {total} us total,     0.004 us ave. (U64 FADD)
B:  0 :  100000 iters, throughput  {rate} ops/sec (U64 ADD)
"""
TESTBARRIER = """Total time:    0.102 sec  Avg Anon. Barrier latency:    {time} us
Total time:    0.102 sec  Avg GEX Blocking Barrier latency:    0.0 us
"""
TESTVISPERF = """
A: VECTOR PUT CONTIGSZ = 8
 density:     100%      75%
       8:    {rate}   20.0
      16:    400.0   500.0
"""
TESTQUEUE = """
gex_RMA_PutNB/bulk
--------------------

               1       2
1          {time}   0.010
2          0.020   0.010
"""


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def file(self, name, text, mode=0o644):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(mode)
        return path

    def call(self, script, *words):
        done = subprocess.run([sys.executable, "-B", str(SCRIPTS / script), *map(str, words)], capture_output=True, text=True)
        return done.returncode, done.stdout, done.stderr


class AgainstProgram(Case):
    def compare(self, theirs, ours, *options):
        commands = [f"cat {self.file('theirs', theirs)}", f"cat {self.file('ours', ours)}"]
        out = self.folder / "rows.json"
        code, said, errors = self.call("against_program", "--turns", "2", "--json", out, *options, *commands)
        return code, said + errors, json.loads(out.read_text()) if out.exists() else {}

    def ratios(self, form, theirs, ours):
        code, said, rows = self.compare(form.format(**theirs), form.format(**ours))
        self.assertEqual(code, 0, said)
        return {name: round(row["ratio"], 6) for name, row in rows.items()}

    def test_messages(self):
        self.assertEqual(self.ratios(TESTAM, {"short": 2.0, "medium": 3.0}, {"short": 1.0, "medium": 6.0}),
                         {"AMShort ping-pong roundtrip ReqRep": 2.0, "AMMedium flood one-way Req 512": 0.5})

    def test_a_latency_is_taken_from_the_total_and_a_rate_counts_the_other_way(self):
        self.assertEqual(self.ratios(TESTSMALL, {"total": 3000, "rate": 10.0}, {"total": 2000, "rate": 40.0}),
                         {"PutBlocking latency 8": 1.5, "GetNBI throughput 1024": 4.0})

    def test_a_total_of_few_microseconds_is_not_believed(self):
        self.assertEqual(self.ratios(TESTSMALL, {"total": 900, "rate": 10.0}, {"total": 300, "rate": 10.0})["PutBlocking latency 8"], 1.0)

    def test_atomics(self):
        self.assertEqual(self.ratios(TESTFADDPERF, {"total": 3000, "rate": 10.0}, {"total": 2000, "rate": 5.0}), {"U64 FADD": 1.5, "U64 ADD": 0.5})

    def test_a_time_of_nothing_is_no_row(self):
        self.assertEqual(self.ratios(TESTBARRIER, {"time": 0.5}, {"time": 0.25}), {"Anon. Barrier": 2.0})

    def test_matrices(self):
        rows = self.ratios(TESTVISPERF, {"rate": 10.0}, {"rate": 30.0})
        self.assertEqual(rows["VECTOR PUT CONTIGSZ = 8 8 density 100%"], 3.0)
        self.assertEqual(len(rows), 4)
        rows = self.ratios(TESTQUEUE, {"time": 0.030}, {"time": 0.010})
        self.assertEqual(rows["gex_RMA_PutNB/bulk 1 depth 1"], 3.0)
        self.assertEqual(len(rows), 4)

    def test_rows_printed_twice_count_once_by_their_median(self):
        theirs = TESTAM.format(short=2.0, medium=1.0) + TESTAM.format(short=4.0, medium=1.0)
        _, _, rows = self.compare(theirs, TESTAM.format(short=3.0, medium=1.0))
        self.assertEqual(rows["AMShort ping-pong roundtrip ReqRep"]["ratio"], 1.0)

    def test_what_is_asked_for(self):
        slow, fast = TESTAM.format(short=2.0, medium=1.0), TESTAM.format(short=1.0, medium=1.0)
        self.assertEqual(self.compare(slow, fast, "--require", "1.0")[0], 0)
        code, said, _ = self.compare(fast, slow, "--require", "0.9", "--below", "0.9")
        self.assertEqual(code, 1)
        self.assertIn("2 rows, geometric mean 0.71, worst 0.50 (AMShort ping-pong roundtrip ReqRep), 1 below 1.0", said)
        self.assertNotIn("AMMedium", said)

    def test_rows_of_one_alone_are_counted_and_none_in_common_is_an_error(self):
        both = TESTAM.format(short=2.0, medium=1.0)
        code, said, _ = self.compare(both + TESTBARRIER.format(time=1.0), both)
        self.assertEqual(code, 0)
        self.assertIn("Rows without a partner: 1 of the reference, 0 of ours.", said)
        code, said, _ = self.compare(both, TESTBARRIER.format(time=1.0))
        self.assertEqual(code, 2)
        self.assertIn("no row in common", said)

    def test_a_program_that_fails_is_named(self):
        code, _, said = self.call("against_program", "--turns", "1", "echo nothing; exit 3", "true")
        self.assertEqual(code, 2)
        self.assertIn("code 3 and 0 rows from: echo nothing; exit 3", said)


class AgainstGasnet(Case):
    def setUp(self):
        super().setUp()
        theirs, ours = TESTAM.format(short=2.0, medium=2.0), TESTAM.format(short=1.0, medium=2.5)
        self.file("source/tests/test.h", "#define HALF 1\n")
        self.file("source/tests/delay.c", "int delay;\n")
        self.file("source/tests/testam.c", '#include "test.h"\n#include "gasnetex.h"\n#ifndef GASNET_SEQ\n#error which mode?\n#endif\nint main(void) { return HALF; }\n')
        self.file("build/Makefile", f"srcdir = x\nabs_top_srcdir = {self.folder}/source\n")
        self.file("build/smp-conduit/smp-seq.mak", f"#GASNET_CC = wrong\nGASNET_CC = {COMPILER}\nGASNET_OPT_CFLAGS = -O1 $(CONDUIT_OPT_CFLAGS) -DOPTIMIZED\n")
        self.file("build/smp-conduit/testam", f"#!/bin/sh\necho \"$GASNET_PSHM_NODES $@\" >>{self.folder}/theirs\ncat <<'E'{theirs}E\n", 0o755)
        self.file("ours/bin/aqueduct", f"#!/bin/sh\necho \"$@\" >>{self.folder}/ours.calls\n[ -x $6 ] || exit 9\ncat <<'E'{ours}E\n", 0o755)
        empty = self.file("empty.c", "int nothing_of_note;\n")
        (self.folder / "ours/lib").mkdir()
        subprocess.run([COMPILER, "-c", empty, "-o", self.folder / "empty.o"], check=True)
        subprocess.run(["ar", "rc", self.folder / "ours/lib/libaqueduct.a", self.folder / "empty.o"], check=True)
        (self.folder / "ours/include/aqueduct/detail").mkdir(parents=True)
        for name in ("gasnet_config.h", "aqueduct/detail/build.h"):
            self.file(f"ours/include/{name}", "")

    def compare(self, *options):
        return self.call("against_gasnet", self.folder / "build", "--ours", self.folder / "ours", "--linker", COMPILER, "--turns", "2", *options)

    def test_one_line_for_each_program_with_all_rows_beside_it(self):
        out, rows = self.folder / "table.md", self.folder / "rows.json"
        code, said, errors = self.compare("--conduits", "smp", "--programs", "testam", "--out", out, "--json", rows)
        self.assertEqual(code, 0, errors)
        self.assertIn("medians of 2 alternated runs, SEQ", said)
        self.assertIn("| smp | `testam` | 2 | 1.26 | 0.80 (AMMedium flood one-way Req 512) | 1 |", said)
        self.assertEqual(out.read_text(), said)
        entry, = json.loads(rows.read_text())["table"]
        self.assertEqual(entry["all_rows"]["AMShort ping-pong roundtrip ReqRep"]["ratio"], 2.0)
        self.assertEqual((self.folder / "theirs").read_text(), "2 5000 65536\n" * 2)
        self.assertEqual((self.folder / "ours.calls").read_text().count("run -n 2 --conduit smp"), 2)

    def test_a_ratio_that_is_required(self):
        self.assertEqual(self.compare("--conduits", "smp", "--programs", "testam", "--require", "0.8")[0], 0)
        self.assertEqual(self.compare("--conduits", "smp", "--programs", "testam", "--require", "0.81")[0], 1)

    def test_placements_move_the_variables_of_both_and_medians_are_compared(self):
        source = (self.folder / "source/tests/testam.c").read_text()
        printed = TESTAM.format(short=2.0, medium=2.0).replace("\n", "\\n")
        self.file("source/tests/testam.c", source.replace("return HALF;", f'if (THEIRS) puts("{printed}"); return 0;').replace("int main", "#include <stdio.h>\nint main"))
        includes = f"-I{SCRIPTS.parent}/include -I{self.folder}/ours/include"
        self.file("build/smp-conduit/smp-seq.mak", f"GASNET_CC = {COMPILER}\nGASNET_LD = {COMPILER}\nGASNET_OPT_CFLAGS = -O1 -DTHEIRS=0\n"
                  f"GASNET_CPPFLAGS = -DGASNET_SEQ -DTHEIRS=1 {includes}\n")
        rows, scratch = self.folder / "rows.json", self.folder / "scratch"
        code, said, errors = self.compare("--conduits", "smp", "--programs", "testam", "--placements", "3", "--by", "best", "--json", rows, "--scratch", scratch)
        self.assertEqual(code, 0, errors)
        self.assertIn("best of 2 alternated runs of each of 3 placements", said)
        entry, = json.loads(rows.read_text())["table"]
        row = entry["all_rows"]["AMMedium flood one-way Req 512"]
        self.assertEqual((row["ratio"], row["all_reference"], row["all_ours"]), (0.8, [2.0] * 3, [2.5] * 3))
        for program in ("testam", "smp-testam"):
            places = set()
            for placement in range(3):
                symbols = subprocess.run(["nm", scratch / f"{program}.{placement}"], capture_output=True, text=True, check=True).stdout
                places.update(int(line.split()[0], 16) % 4096 for line in symbols.splitlines() if line.endswith(" delay"))
            self.assertEqual(len(places), 3, f"{program}: {places}")

    def test_what_is_missing_is_named_and_the_rest_compared(self):
        code, said, errors = self.compare("--conduits", "smp,udp", "--programs", "testam")
        self.assertEqual(code, 2)
        self.assertIn("| smp | `testam` | 2 |", said)
        self.assertIn("| udp | `testam` | not compared:", said)
        self.assertIn(f"make -C {self.folder.resolve()}/build/udp-conduit testam-seq", errors)

    def test_a_folder_without_gasnet(self):
        (self.folder / "build/Makefile").write_text("")
        code, _, errors = self.compare("--conduits", "smp", "--programs", "testam")
        self.assertEqual(code, 2)
        self.assertIn("names no source tree of GASNet-EX", errors)

    def test_names_that_are_not_known(self):
        code, _, errors = self.compare("--conduits", "smp,snail")
        self.assertEqual(code, 2)
        self.assertIn("'snail' is no network that is known here", errors)


if __name__ == "__main__":
    unittest.main()
