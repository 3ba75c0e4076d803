"""Tests of the list of scripts/mutants: it fits the code as it is."""

import collections
import importlib.machinery
import importlib.util
import pathlib
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]

sys.dont_write_bytecode = True
loader = importlib.machinery.SourceFileLoader("mutants", str(ROOT / "scripts/mutants"))
script = importlib.util.module_from_spec(importlib.util.spec_from_loader("mutants", loader))
loader.exec_module(script)


class MutantTests(unittest.TestCase):
    def test_the_text_of_each_stands_once_in_its_file_and_is_changed(self):
        for mutant in script.chosen([]):
            with self.subTest(mutant["name"]):
                for edit in script.edits_of(mutant):
                    text = (ROOT / edit["file"]).read_text(encoding="utf-8")

                    self.assertEqual(text.count(edit["find"]), 1)
                    self.assertNotEqual(edit["find"], edit["replace"])

    def test_each_is_for_tests_or_for_a_scene_or_for_both(self):
        for mutant in script.chosen([]):
            with self.subTest(mutant["name"]):
                self.assertTrue(script.kinds_of([mutant]))
                keys = {"name", "file", "find", "replace", "also", "tests", "scene", "hangs"}
                self.assertLessEqual(mutant.keys(), keys)

    def test_no_two_have_the_same_name(self):
        names = collections.Counter(mutant["name"] for mutant in script.chosen([]))

        self.assertEqual([name for name, count in names.items() if count > 1], [])

    def test_words_choose_those_that_have_them_all(self):
        names = [mutant["name"] for mutant in script.chosen(["quota", "session"])]

        self.assertTrue(names)
        self.assertTrue(all("quota" in name and "session" in name for name in names))


if __name__ == "__main__":
    unittest.main()
