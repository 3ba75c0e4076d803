"""Tests of scripts/man-pages with a small tree of commands."""

import importlib.machinery
import importlib.util
import os
import sys
import unittest

SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "scripts", "man-pages")

sys.dont_write_bytecode = True
loader = importlib.machinery.SourceFileLoader("man_pages", SCRIPT)
script = importlib.util.module_from_spec(importlib.util.spec_from_loader("man_pages", loader))
loader.exec_module(script)

COMMAND = {
    "commandName": "add",
    "abstract": "Add downloads.",
    "discussion": ".first line\n\n  kept  as it is\n  here",
    "arguments": [
        {"kind": "positional", "valueName": "url", "isOptional": True, "isRepeating": True, "abstract": "The URL."},
        {
            "kind": "option",
            "valueName": "file",
            "isOptional": True,
            "isRepeating": False,
            "names": [{"kind": "long", "name": "input"}, {"kind": "short", "name": "i"}],
            "abstract": "A file of URLs.",
            "defaultValue": "-",
        },
        {
            "kind": "option",
            "valueName": "url",
            "isOptional": True,
            "isRepeating": False,
            "names": [{"kind": "long", "name": "server"}],
            "sectionTitle": "Service",
            "abstract": "The service.",
        },
        {"kind": "flag", "valueName": "help", "isOptional": True, "isRepeating": False, "shouldDisplay": False},
    ],
}


class ManPages(unittest.TestCase):
    def test_a_page_has_its_name_and_its_arguments(self):
        page = script.page(["cormorant", "add"], COMMAND, "cormorant 1")
        self.assertIn(".TH \"CORMORANT-ADD\" 1", page)
        self.assertIn("cormorant\\-add \\- Add downloads", page)
        self.assertIn("\\fBcormorant add\\fR [\\fIoptions\\fR] [\\fIurl\\fR ...]", page)
        self.assertIn("\\fB\\-i\\fR, \\fB\\-\\-input\\fR \\fIfile\\fR\nA file of URLs. (default: \\-)", page)
        self.assertIn(".SH SERVICE", page)
        self.assertIn("CORMORANT_SERVER", page)
        self.assertNotIn("fBhelp", page)

    def test_a_line_cannot_become_a_request_of_roff(self):
        self.assertIn("\\&.first line", script.page(["cormorant", "add"], COMMAND, "1"))

    def test_indented_lines_are_kept(self):
        self.assertIn(".nf\n  kept  as it is\n  here\n.fi", script.page(["cormorant", "add"], COMMAND, "1"))

    def test_a_command_names_its_subcommands_but_not_help(self):
        parent = {"commandName": "webhook", "subcommands": [COMMAND, {"commandName": "help"}]}
        page = script.page(["cormorant", "webhook"], parent, "1")
        self.assertIn("\\fBadd\\fR", page)
        self.assertIn("cormorant\\-webhook\\-add\\fR(1)", page)
        self.assertNotIn("help", page)


if __name__ == "__main__":
    unittest.main()
