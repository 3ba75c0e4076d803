"""Tests of scripts/icu-data with a small file of ICU's form."""

import importlib.machinery
import importlib.util
import pathlib
import struct
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]

sys.dont_write_bytecode = True
loader = importlib.machinery.SourceFileLoader("icu_data", str(ROOT / "scripts/icu-data"))
script = importlib.util.module_from_spec(importlib.util.spec_from_loader("icu_data", loader))
loader.exec_module(script)

HEAD = struct.pack("<HBB", 32, 0xDA, 0x27) + bytes(8) + b"CmnD" + bytes(16)


def file_of(entries):
    """As ICU's tool makes it: contents begin at multiples of 16."""
    names = b"".join(name.encode() + b"\0" for name in entries)
    place, name_place = 4 + 8 * len(entries) + len(names), 4 + 8 * len(entries)
    place += -place % 16
    table, bodies = b"", b""
    for name, body in entries.items():
        table += struct.pack("<2I", name_place, place + len(bodies))
        name_place += len(name) + 1
        bodies += body + bytes(-len(body) % 16)
    return HEAD + (struct.pack("<I", len(entries)) + table + names).ljust(place, b"\0") + bodies


class ICUDataTests(unittest.TestCase):
    def test_what_is_not_needed_is_left_out_and_the_rest_is_as_it_was(self):
        kept = {"icudt76l/coll/de.res": b"c" * 20, "icudt76l/lang/en.res": b"e" * 16, "icudt76l/zoneinfo64.res": b"z"}
        whole = {**kept, "icudt76l/brkitr/thai.dict": b"t" * 5, "icudt76l/lang/de.res": b"d" * 40}
        in_order = dict(sorted(whole.items()))

        self.assertEqual(script.filtered(file_of(in_order)), file_of(kept))

    def test_a_file_of_which_all_is_needed_stays_as_it_is(self):
        data = file_of({"icudt76l/cnvalias.icu": b"x" * 33, "icudt76l/root.res": b"y"})

        self.assertEqual(script.filtered(data), data)

    def test_names_of_other_languages_are_left_out_and_what_others_refer_to_is_not(self):
        for name in ("curr/pool.res", "zone/tzdbNames.res", "lang/en_001.res", "coll/zh.res", "de.res"):
            self.assertTrue(script.is_needed(f"icudt76l/{name}"), name)
        for name in ("curr/de.res", "unit/zh.res", "zone/fr.res", "lang/eno.res", "brkitr/cjdict.dict"):
            self.assertFalse(script.is_needed(f"icudt76l/{name}"), name)


if __name__ == "__main__":
    unittest.main()
