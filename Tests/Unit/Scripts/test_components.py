"""Tests of what scripts say about the parts of the program: holders of copyright, the lock, CycloneDX."""

import json
import pathlib
import sys
import tempfile
import unittest
import unittest.mock

ROOT = pathlib.Path(__file__).resolve().parents[3]

sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "scripts"))
import components  # noqa: E402
import materials  # noqa: E402


class ComponentTests(unittest.TestCase):
    def test_the_years_of_a_holder_are_joined(self):
        found = {}
        for line in ("// Copyright (c) 2019-2021 A and B", " * Copyright 2023, A and B. All rights reserved."):
            components.collect(line, found)

        self.assertEqual({name: components.years(numbers) for name, numbers in found.items()}, {"A and B": "2019-2023"})

    def test_a_licence_text_is_no_line_of_copyright(self):
        found = {}
        components.collect("the above copyright notice shall be included", found)

        self.assertEqual(found, {})

    def test_the_lock_has_exactly_the_packages_that_are_listed(self):
        linked = {part.package for part in components.LINKED if part.package}

        self.assertEqual(linked | components.NOT_LINKED, set(components.locked()))

    def test_the_notices_name_each_part_with_its_version(self):
        text = (ROOT / "THIRD-PARTY-NOTICES.txt").read_text()

        for part in components.LINKED:
            self.assertIn(f"\n{part.name} {part.version}\n{part.url}\nLicense: {part.license}\n", text)


class MaterialsTests(unittest.TestCase):
    def test_a_single_licence_has_an_id_and_several_are_an_expression(self):
        self.assertEqual(materials.license_choice("MIT"), {"license": {"id": "MIT"}})
        self.assertEqual(materials.license_choice("A AND B"), {"expression": "A AND B"})

    def test_equal_programs_make_equal_lists(self):
        # The others read their checkouts, which a fresh clone does not have yet.
        fixed = [part for part in components.LINKED if not part.package]
        with tempfile.NamedTemporaryFile() as file, unittest.mock.patch.object(components, "LINKED", fixed):
            program = pathlib.Path(file.name)
            first, second = (materials.cyclonedx("1.2.3", 0, program, []) for _ in range(2))

        self.assertEqual(first, second)
        document = json.loads(first)
        references = [part["bom-ref"] for part in document["components"]]
        self.assertEqual(len(references), len(set(references)))
        self.assertEqual(document["dependencies"][0]["dependsOn"], references)


if __name__ == "__main__":
    unittest.main()
