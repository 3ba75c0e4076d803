"""Tests of scripts/recording: its terminal and its frames."""

import importlib.machinery
import importlib.util
import pathlib
import sys
import unittest
import xml.etree.ElementTree

SCRIPT = pathlib.Path(__file__).resolve().parents[3] / "scripts/recording"

sys.dont_write_bytecode = True
loader = importlib.machinery.SourceFileLoader("recording", str(SCRIPT))
script = importlib.util.module_from_spec(importlib.util.spec_from_loader("recording", loader))
loader.exec_module(script)


class RecordingTests(unittest.TestCase):
    def test_a_frame_replaces_the_one_before_it(self):
        screen = script.Screen(80)
        screen.feed("$ get\r\n\x1b[?25lfirst 10 %\r\nsecond\r\n")
        screen.feed("\x1b[2A\r\x1b[Jfirst 20 %\r\n")

        self.assertEqual(screen.lines(), ("$ get", "first 20 %", ""))
        self.assertEqual(screen.percent(), 20)

    def test_a_screen_that_stays_is_one_frame(self):
        recording = script.Recording("http://127.0.0.1:1", "/")
        recording.screen.feed("a")
        recording.take(1)
        recording.take(1)
        recording.screen.feed("b")
        recording.take(1)

        self.assertEqual(recording.frames, [(0.0, ("a",)), (2.0, ("ab",))])

    def test_the_picture_is_well_formed_and_shows_each_frame(self):
        text = script.svg([(0.0, ("$ a <b>",)), (1.0, ("$ a <b>", "c & d"))], 3.0)
        root = xml.etree.ElementTree.fromstring(text)
        groups = [element for element in root if element.tag.endswith("}g")]

        self.assertEqual([[line.text for line in group] for group in groups], [["$ a <b>"], ["$ a <b>", "c & d"]])


if __name__ == "__main__":
    unittest.main()
