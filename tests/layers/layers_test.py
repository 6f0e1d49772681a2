"""The check of scripts/layers refuses what it should: small made-up trees with rules of their own."""
import importlib.machinery
import importlib.util
import pathlib
import tempfile
import unittest

PATH = pathlib.Path(__file__).resolve().parents[2] / "scripts/layers"
LOADER = importlib.machinery.SourceFileLoader("layers", str(PATH))
layers = importlib.util.module_from_spec(importlib.util.spec_from_loader("layers", LOADER))
LOADER.exec_module(layers)


def check(rules, **files):
    """What is wrong with a tree of these files (roof__tiles for src/roof/tiles.hpp) under these rules."""
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for name, text in files.items():
            path = root / "src" / (name.replace("__", "/") + ".hpp")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text + "\n")
        parsed = layers.Rules("folders: src\ninclude paths: src\n" + rules)
        return layers.check(parsed, layers.Tree(root, parsed.roots, parsed.include_paths))


class Case(unittest.TestCase):
    def allows(self, rules, **files):
        self.assertEqual(check(rules, **files), [])

    def refuses(self, text, rules, **files):
        wrong = check(rules, **files)
        self.assertEqual(len(wrong), 1, wrong)
        self.assertIn(text, wrong[0])


class Edges(Case):
    RULES = "ground may include nothing\nroof may include ground\n"

    def test_listed_ones_are_allowed(self):
        self.allows(self.RULES, ground__stone="", roof__tile='#include "ground/stone.hpp"')

    def test_others_are_refused_with_their_place(self):
        self.refuses('src/ground/stone.hpp:2: #include "roof/tile.hpp": ground may not include roof',
                     "ground may include nothing\nroof may include nothing\n", ground__stone='\n#include "roof/tile.hpp"', roof__tile="")

    def test_listed_ones_that_nobody_needs_are_refused(self):
        self.refuses("allow roof to include ground, which it does not", self.RULES, ground__stone="", roof__tile="")

    def test_a_folder_without_a_line_is_refused(self):
        self.refuses("wall has no line", self.RULES, ground__stone="", roof__tile='#include "ground/stone.hpp"', wall__brick="")

    def test_a_line_without_a_folder_is_refused(self):
        self.refuses("speak of wall", self.RULES + "wall may include nothing\n", ground__stone="", roof__tile='#include "ground/stone.hpp"')

    def test_a_sub_folder_is_a_folder_of_its_own(self):
        self.refuses("roof/window may not include ground", self.RULES + "roof/window may include nothing\n", ground__stone="",
                     roof__tile='#include "ground/stone.hpp"', roof__window__pane='#include "ground/stone.hpp"')

    def test_a_folder_and_its_sub_folder_must_be_listed_too(self):
        self.refuses("roof may not include roof/window", "roof may include nothing\nroof/window may include nothing\n",
                     roof__tile='#include "roof/window/pane.hpp"', roof__window__pane="")

    def test_an_include_beside_the_file_is_its_own_folder(self):
        self.allows("roof may include nothing\n", roof__tile='#include "beam.hpp"', roof__beam="")

    def test_files_that_are_not_listed_are_refused(self):
        self.refuses("may include of ground only stone.hpp", "ground may include nothing\nroof may include ground (stone.hpp)\n", ground__stone="",
                     ground__sand="", roof__tile='#include "ground/stone.hpp"\n#include "ground/sand.hpp"')

    def test_listed_files_that_nobody_needs_are_refused(self):
        self.refuses("ground/sand.hpp, which it does not", "ground may include nothing\nroof may include ground (stone.hpp, sand.hpp)\n",
                     ground__stone="", ground__sand="", roof__tile='#include "ground/stone.hpp"')

    def test_a_line_that_is_not_understood_is_refused(self):
        self.refuses("not understood", "roof can include nothing\nroof may include nothing\n", roof__tile="")

    def test_two_lines_for_one_folder_are_refused(self):
        self.refuses("two lines", "roof may include nothing\nroof may include nothing\n", roof__tile="")


class ForwardDeclarations(Case):
    RULES = "ground may include nothing\nroof may include nothing\n"
    TILE = "namespace aqueduct::roof {\nclass Tile {\n  int x;\n};\n}  // namespace aqueduct::roof"

    def test_of_another_folders_class_are_arrows(self):
        self.refuses("ground may not include roof", self.RULES, roof__tile=self.TILE, ground__stone="namespace aqueduct::roof {\nclass Tile;\n}")

    def test_in_one_line_are_arrows(self):
        self.refuses("ground may not include roof", self.RULES, roof__tile=self.TILE, ground__stone="namespace aqueduct::roof { class Tile; }")

    def test_of_own_classes_are_none(self):
        self.allows(self.RULES, roof__tile=self.TILE + "\nnamespace aqueduct::roof {\nclass Tile;\n}", ground__stone="")

    def test_of_a_namesake_in_another_namespace_are_none(self):
        self.allows(self.RULES, roof__tile=self.TILE, ground__stone="namespace aqueduct::ground {\nclass Tile;\n}")


class Cycles(Case):
    FILES = {"roof__tile": '#include "wall/brick.hpp"', "wall__brick": '#include "roof/tile.hpp"'}
    RULES = "roof may include wall\nwall may include roof\n"

    def test_are_refused_though_each_edge_is_listed(self):
        wrong = check(self.RULES, **self.FILES)
        self.assertTrue(wrong)
        for line in wrong:
            self.assertIn("these include each other in a circle: roof, wall", line)

    def test_with_a_sub_folder_are_refused(self):
        self.refuses("circle: roof, roof/window", "roof may include roof/window\nroof/window may include roof\n",
                     roof__tile='#include "roof/window/pane.hpp"', roof__window__pane='#include "roof/tile.hpp"')

    def test_between_layers_by_way_of_other_sub_folders_are_refused(self):
        self.refuses("circle: roof, wall", "roof may include wall\nroof/window may include nothing\nwall may include nothing\nwall/door may include roof/window\n",
                     roof__tile='#include "wall/brick.hpp"', roof__window__pane="", wall__brick="", wall__door__knob='#include "roof/window/pane.hpp"')


class Names(Case):
    RULES = ("ground may include nothing\nground/udp may include nothing\nroof may include nothing\nnames of conduits: smp, udp\n"
             "names of conduits that are also words: wire\nname no conduit: ground\n")
    FILES = {"ground__udp__socket": "", "roof__tile": "class UdpTile; // over smp"}

    def test_are_refused_in_names_of_code(self):
        self.refuses("ground may not name the conduit udp", self.RULES, ground__stone="enum class Plane { kUdp };", **self.FILES)

    def test_are_refused_in_comments(self):
        self.refuses("ground may not name the conduit smp", self.RULES, ground__stone="// Fast over smp.", **self.FILES)

    def test_are_refused_in_texts(self):
        self.refuses("ground may not name the conduit udp", self.RULES, ground__stone='say("over udp");', **self.FILES)

    def test_are_refused_in_sub_folders(self):
        self.refuses("ground/udp may not name the conduit udp", self.RULES, ground__stone="", ground__udp__socket="int udp_socket;", roof__tile="")

    def test_that_are_words_are_allowed_as_words(self):
        self.allows(self.RULES, ground__stone="// What goes over the wire.\nint wire_bytes;", **self.FILES)

    def test_that_are_words_are_refused_in_texts_and_constants(self):
        self.refuses("may not name the conduit wire", self.RULES, ground__stone='say("wire can");', **self.FILES)
        self.refuses("may not name the conduit wire", self.RULES, ground__stone="enum class Plane { kWire };", **self.FILES)

    def test_are_allowed_in_other_words(self):
        self.allows(self.RULES, ground__stone="// A smpler of Udpate.", **self.FILES)

    def test_are_allowed_where_an_exception_says_so(self):
        self.allows(self.RULES + "ground/udp may name udp: that is its name\n", ground__stone="", ground__udp__socket="int udp_socket;", roof__tile="")

    def test_exceptions_are_for_the_names_that_they_list(self):
        wrong = check(self.RULES + "ground/udp may name udp: that is its name\n", ground__stone="", ground__udp__socket="int udp_socket, smp;", roof__tile="")
        self.assertEqual(len(wrong), 1, wrong)
        self.assertIn("may not name the conduit smp", wrong[0])

    def test_exceptions_that_nobody_needs_are_refused(self):
        self.refuses("does not name udp any more", self.RULES + "ground/udp may name udp: that is its name\n", ground__stone="", **self.FILES)


class Planes(Case):
    def test_with_one_number_are_refused(self):
        self.refuses("plane 2 has several users", "roof may include nothing\n", roof__tile="constexpr fabric::Plane kTilePlane{2};",
                     roof__beam="constexpr fabric::Plane kBeamPlane{2};")

    def test_with_different_numbers_are_allowed(self):
        self.allows("roof may include nothing\n", roof__tile="constexpr fabric::Plane kTilePlane{2};", roof__beam="constexpr fabric::Plane kBeamPlane{3};")


class Matrix(unittest.TestCase):
    def test_counts_and_puts_who_is_included_first(self):
        arrows = [layers.Arrow("roof", "ground", "", None)] * 3
        self.assertEqual(layers.matrix(arrows, layers.top_of).splitlines()[-2:], ["roof     3   \\", "ground   \\   ."])

    def test_says_how_many_lines_there_are(self):
        with tempfile.TemporaryDirectory() as folder:
            for name, lines in [("src/roof/tile.cpp", 3), ("src/roof/tile.hpp", 2), ("tools/saw.cpp", 1), ("tools/saw.txt", 7)]:
                path = pathlib.Path(folder) / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text("\n" * lines)
            self.assertEqual(layers.line_counts(layers.Tree(pathlib.Path(folder), ["src", "tools"], ["src"])), "src 5, tools 1")


if __name__ == "__main__":
    unittest.main()
