"""Tests of scripts/package: the parts that need no build."""

import importlib.machinery
import importlib.util
import os
import pathlib
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]

sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "scripts"))
loader = importlib.machinery.SourceFileLoader("package", str(ROOT / "scripts/package"))
script = importlib.util.module_from_spec(importlib.util.spec_from_loader("package", loader))
loader.exec_module(script)


class PackageTests(unittest.TestCase):
    def test_the_unit_of_the_package_has_its_program_and_its_user(self):
        unit = script.debian_unit((ROOT / "deploy/systemd/cormorant.service").read_text())

        self.assertIn("ExecStart=/usr/bin/cormorant serve\n", unit)
        self.assertIn("User=cormorant\nGroup=cormorant\n", unit)
        self.assertNotIn("DynamicUser", unit)
        self.assertIn("EnvironmentFile=-/etc/cormorant/environment", unit)

    def test_a_unit_that_has_changed_is_refused(self):
        with self.assertRaises(SystemExit):
            script.debian_unit("[Service]\n")

    def test_a_checksum_stands_for_each_file_but_conffiles(self):
        with tempfile.TemporaryDirectory() as folder:
            tree = pathlib.Path(folder)
            for name in ("usr/bin/a", "etc/b", "DEBIAN/control"):
                script.write(tree / name, "x")

            self.assertEqual(script.checksums(tree), "9dd4e461268c8034f5c8564e155c67a6  usr/bin/a\n")

    def test_a_compressed_file_has_no_time_in_it(self):
        with tempfile.TemporaryDirectory() as folder:
            paths = [pathlib.Path(folder) / name for name in ("a", "b")]
            for path in paths:
                script.write(path, "text")
                script.compress(path)
            first, second = (path.with_name(path.name + ".gz").read_bytes() for path in paths)

        self.assertEqual(first, second)

    def test_the_maintainer_is_debians_usual_variables(self):
        variables = {"DEBFULLNAME": "A", "DEBEMAIL": "a@example.org"}
        kept = {name: os.environ.pop(name, None) for name in variables}
        try:
            self.assertEqual(script.maintainer(), script.MAINTAINER)
            os.environ.update(variables)
            self.assertEqual(script.maintainer(), "A <a@example.org>")
        finally:
            for name, value in kept.items():
                os.environ.pop(name, None)
                if value is not None:
                    os.environ[name] = value

    def test_the_sums_are_those_of_all_packages_in_the_folder(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            for file in ("cormorant_1.deb", "cormorant-1.tar.gz", "other"):
                script.write(folder / file, "x")
            script.write_sums(folder)
            lines = (folder / "SHA256SUMS").read_text().splitlines()

        digest = "2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881"
        self.assertEqual(lines, [f"{digest}  cormorant-1.tar.gz", f"{digest}  cormorant_1.deb"])

    def test_the_conffile_sets_nothing(self):
        lines = (ROOT / "deploy/debian/environment").read_text().splitlines()

        self.assertTrue(all(not line or line.startswith("#") for line in lines))


if __name__ == "__main__":
    unittest.main()
