"""Tests of scripts/run with a compiler that only says what it was asked for."""

import pathlib
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
SWIFT = """#!/bin/sh
case " $* " in
*--show-bin-path*) echo "$PWD/.build" ;;
*) [ ! -e fails ] || exit 1
   mkdir -p .build && printf '#!/bin/sh\\necho served "$@"\\n' >.build/cormorant && chmod +x .build/cormorant ;;
esac
"""


class RunTests(unittest.TestCase):
    def setUp(self):
        self.holder = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self.holder.name)
        (self.folder / "scripts").mkdir()
        shutil.copy(ROOT / "scripts/run", self.folder / "scripts/run")
        for name, text in {"scripts/deps": "#!/bin/sh\n", "bin/swift": SWIFT}.items():
            path = self.folder / name
            path.parent.mkdir(exist_ok=True)
            path.write_text(text)
            path.chmod(0o755)

    def tearDown(self):
        self.holder.cleanup()

    def run_script(self, *arguments):
        environment = {"PATH": f"{self.folder}/bin:/usr/bin:/bin"}
        command = [self.folder / "scripts/run", *arguments]
        return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60)

    def test_it_says_how_long_the_build_takes_and_serves(self):
        result = self.run_script("--listen", ":1")

        self.assertEqual(result.stdout, "served serve --listen :1\n")
        self.assertIn("the first time this takes several minutes", result.stderr)
        self.assertIn("run: built in ", result.stderr)

    def test_it_says_how_long_the_longest_build_took(self):
        (self.folder / ".build").mkdir()
        (self.folder / ".build/run-seconds").write_text("314\n")

        self.assertIn("a whole build took 314 seconds here", self.run_script().stderr)

    def test_a_build_that_fails_serves_nothing(self):
        (self.folder / "fails").touch()
        result = self.run_script()

        self.assertEqual((result.returncode, result.stdout), (1, ""))


if __name__ == "__main__":
    unittest.main()
