"""The rules of scripts/reference for headers and documents refuse what they should: small made-up cases."""
import importlib.machinery
import importlib.util
import pathlib
import unittest

PATH = pathlib.Path(__file__).resolve().parents[2] / "scripts/reference"
LOADER = importlib.machinery.SourceFileLoader("reference", str(PATH))
reference = importlib.util.module_from_spec(importlib.util.spec_from_loader("reference", LOADER))
LOADER.exec_module(reference)


class Headers(unittest.TestCase):
    def test_one_that_declares_names_is_on_their_page(self):
        self.assertEqual(reference.wrong_headers(["aqueduct/lake.h"], {"aqueduct/lake.h": {"gex_Lake_Fill": ""}}, set()), [])

    def test_one_without_names_and_page_is_refused(self):
        [wrong] = reference.wrong_headers(["aqueduct/lake.h"], {"aqueduct/lake.h": {}}, set())
        self.assertIn("aqueduct/lake.h is on no page", wrong)

    def test_one_that_no_public_header_includes_is_refused(self):
        [wrong] = reference.wrong_headers(["aqueduct/lake.h"], {}, set())
        self.assertIn("aqueduct/lake.h is on no page", wrong)

    def test_one_without_names_may_be_described_by_hand(self):
        self.assertEqual(reference.wrong_headers(["aqueduct/lake.h"], {}, {"aqueduct/lake.h"}), [])

    def test_a_public_name_in_detail_is_refused(self):
        [wrong] = reference.wrong_headers(["aqueduct/detail/lake.h"], {"aqueduct/detail/lake.h": {"gex_Lake_Fill": ""}}, set())
        self.assertIn("declares gex_Lake_Fill", wrong)

    def test_detail_without_public_names_needs_no_page(self):
        self.assertEqual(reference.wrong_headers(["aqueduct/detail/lake.h"], {}, set()), [])


class Pages(unittest.TestCase):
    def test_name_headers_by_hand_in_code_alone(self):
        self.assertEqual(reference.exact_headers("`aqueduct/lake.h` and aqueduct/sea.h"), {"aqueduct/lake.h"})

    def test_do_not_name_headers_by_hand_where_the_text_is_generated(self):
        self.assertEqual(reference.exact_headers("<!-- headers -->\nDeclared in `aqueduct/lake.h`.\n<!-- end -->\n"), set())


class Documents(unittest.TestCase):
    def test_for_users_that_name_detail_are_refused(self):
        [wrong] = reference.wrong_documents({"docs/lakes.md": "#include <aqueduct/detail/lake.h>"})
        self.assertIn("docs/lakes.md", wrong)

    def test_for_developers_may(self):
        self.assertEqual(reference.wrong_documents({"docs/architecture.md": "`aqueduct/detail/lake.h`"}), [])


if __name__ == "__main__":
    unittest.main()
