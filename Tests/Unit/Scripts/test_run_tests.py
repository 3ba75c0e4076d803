"""Tests of scripts/run-tests with event streams of real runs (Swift 6.3), less the members that it does not read.

In `passes-later-first` seven tests fail, all of which would pass if they were run again; the second run was given three
of them. In `fails-twice` one fails in both runs. In `crash` the process ended by a trap.
"""

import importlib.machinery
import importlib.util
import os
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
SCRIPT = os.path.join(HERE, "..", "..", "..", "scripts", "run-tests")

sys.dont_write_bytecode = True
loader = importlib.machinery.SourceFileLoader("run_tests", SCRIPT)
script = importlib.util.module_from_spec(importlib.util.spec_from_loader("run_tests", loader))
loader.exec_module(script)

SUITE = "SampleTests.SampleTests"
ARGUMENTS = f"{SUITE}/withArguments(_:)"
SPACES = f"{SUITE}/`a name with (spaces), and more`()"
NESTED = f"{SUITE}/Nested/passesLaterAlone()"
THREE = {ARGUMENTS, SPACES, NESTED}


def run(name):
    return script.read(os.path.join(HERE, f"{name}.jsonl"))


def first_of_three():
    """A first run in which those alone failed that the second run was given."""
    first = run("passes-later-first")
    first.failed = set(THREE)
    return first


class FirstRun(unittest.TestCase):
    def test_all_that_failed_are_named_and_nothing_else(self):
        others = {f"{SUITE}/{name}()" for name in ("passesLaterAlone", "hasDisplayName", "throwsAnError")}
        first = run("passes-later-first")
        self.assertEqual(first.failed, THREE | others | {"SampleTests.withoutASuite()"})
        self.assertEqual(first.passed, {f"{SUITE}/{name}()" for name in ("passes", "crashes", "alwaysFails")})
        self.assertIsNone(script.why_final(first))

    def test_the_filter_is_exact(self):
        self.assertEqual(script.filter_of({ARGUMENTS}), r"^SampleTests\.SampleTests\/withArguments\(_\:\)/")
        self.assertIn(r"`a\ name\ with\ \(spaces\)\,\ and\ more`\(\)/", script.filter_of({SPACES}))
        self.assertEqual(script.filter_of(THREE).count("|"), 2)

    def test_a_crash_is_final(self):
        first = run("crash")
        self.assertFalse(first.ended)
        self.assertEqual(script.why_final(first), "the test process ended before its tests")
        self.assertFalse(script.verdict(first, run("passes-later-second"), {})[1])

    def test_a_run_that_wrote_nothing_is_final(self):
        self.assertIsNotNone(script.why_final(run("none")))

    def test_a_run_that_failed_without_a_test_is_final(self):
        self.assertEqual(script.why_final(run("passes-later-second")), "no test failed, and the run did")

    def test_an_issue_of_no_test_is_final(self):
        with open(os.path.join(HERE, "passes-later-first.jsonl"), encoding="utf-8") as text:
            lines = text.read().splitlines()
        issue = '{"kind":"event","payload":{"kind":"issueRecorded","messages":[{"symbol":"fail","text":"x"}]}}'
        first = script.Run(lines[:-1] + [issue] + lines[-1:])
        self.assertEqual(script.why_final(first), "an issue belongs to no test")


class SecondRun(unittest.TestCase):
    def test_one_that_needed_a_second_try_is_named_and_fails_the_run(self):
        lines, is_good = script.verdict(first_of_three(), run("passes-later-second"), {})
        self.assertFalse(is_good)
        for test in THREE:
            said = f"passed on the second try only, and is not in Tests/known-flaky.txt: {test}"
            self.assertIn(said, lines)

    def test_those_that_are_listed_are_named_and_fail_nothing(self):
        lines, is_good = script.verdict(first_of_three(), run("passes-later-second"), dict.fromkeys(THREE, "a reason"))
        self.assertTrue(is_good)
        self.assertEqual(len(lines), 3)
        self.assertTrue(all("known to be flaky" in line and line.endswith(": a reason") for line in lines))

    def test_one_that_is_not_listed_is_enough(self):
        flaky = dict.fromkeys([ARGUMENTS, SPACES], "a reason")
        self.assertFalse(script.verdict(first_of_three(), run("passes-later-second"), flaky)[1])

    def test_one_that_was_not_run_again_fails_the_run(self):
        first = run("passes-later-first")
        lines, is_good = script.verdict(first, run("passes-later-second"), dict.fromkeys(first.failed, "a reason"))
        self.assertFalse(is_good)
        self.assertIn("failed, and was not run again: SampleTests.withoutASuite()", lines)

    def test_one_that_fails_twice_fails_the_run_though_it_is_listed(self):
        test = f"{SUITE}/alwaysFails()"
        first = run("fails-twice-first")
        first.failed = {test, SPACES}
        lines, is_good = script.verdict(first, run("fails-twice-second"), dict.fromkeys([test, SPACES], "a reason"))
        self.assertFalse(is_good)
        self.assertIn(f"failed twice: {test}", lines)

    def test_a_crash_in_the_second_run_fails_the_run(self):
        flaky = dict.fromkeys(THREE, "a reason")
        self.assertFalse(script.verdict(first_of_three(), run("crash"), flaky)[1])
        self.assertFalse(script.verdict(first_of_three(), run("none"), flaky)[1])


class Table(unittest.TestCase):
    def stream(self):
        suite = {"id": "SampleTests.Skipped", "kind": "suite"}
        tests = ["SampleTests.Skipped/one()", "SampleTests.SampleTests/two()", "OtherTests.silent()"]
        records = [{"kind": "test", "payload": suite}]
        records += [{"kind": "test", "payload": {"id": test, "kind": "function"}} for test in tests]
        skips = [("SampleTests.Skipped", "no disk"), ("SampleTests.SampleTests/two()", "no tool")]
        for test, reason in skips:
            payload = {"kind": "testSkipped", "testID": test, "_comments": [reason]}
            records.append({"kind": "event", "payload": payload})
        return script.Run([script.json.dumps(record) for record in records])

    def test_each_skipped_test_is_named_with_its_reason(self):
        lines = script.table(self.stream(), script.Run([]), "title")
        self.assertIn("skipped: SampleTests.Skipped/one(): no disk", lines)
        self.assertIn("skipped: SampleTests.SampleTests/two(): no tool", lines)
        self.assertIn("skipped: OtherTests.silent(): the run says nothing of it", lines)

    def test_tests_are_counted_by_target(self):
        lines = script.table(self.stream(), script.Run([]), "title")
        self.assertIn("| SampleTests | 2 | 0 | 0 | 0 | 2 |", lines)
        self.assertIn("| all | 3 | 0 | 0 | 0 | 3 |", lines)

    def test_a_second_try_counts_apart(self):
        lines = script.table(first_of_three(), run("passes-later-second"), "title")
        self.assertIn("| all | 6 | 3 | 3 | 0 | 0 |", lines)


class List(unittest.TestCase):
    def test_entries_have_a_name_and_a_reason(self):
        text = f"# a comment\n\n{ARGUMENTS}: slow: it waits\n{SPACES}: because\n{NESTED}: so\nA.b(): no suite\n"
        tests, faults = script.known(text)
        self.assertEqual(faults, [])
        self.assertEqual(tests, {ARGUMENTS: "slow: it waits", SPACES: "because", NESTED: "so", "A.b()": "no suite"})

    def test_faults_are_named(self):
        for text in (f"{ARGUMENTS}:", f"{ARGUMENTS}", "something: else", f"{NESTED}: a\n{NESTED}: b"):
            self.assertEqual(len(script.known(text)[1]), 1, text)

    def test_a_test_that_does_not_exist_is_named(self):
        source = """
            @Suite struct SampleTests {
                @Test(arguments: [1]) func withArguments(_ number: Int) {}
                @Test func `a name with (spaces), and more`() {}
                struct Nested { @Test func passesLaterAlone() {} }
            }
            """
        self.assertEqual(script.missing(THREE, [source]), [])
        gone = [f"{SUITE}/gone()", "SampleTests.OtherTests/withArguments(_:)", f"{SUITE}/`another name`()"]
        self.assertEqual(script.missing(gone, [source]), gone)
        self.assertEqual(script.missing(["SampleTests.withoutASuite()"], ["@Test func withoutASuite() {}"]), [])

    def test_the_list_of_this_repository_is_good(self):
        self.assertEqual(script.check_list(), [])


# In the place of `swift`: keeps its arguments, writes an event stream and ends with a code as the test says.
SWIFT = """#!/usr/bin/env bash
cd "$SAMPLES"
number=$(cat calls | wc -l)
printf '%s ' "$@" >> calls
echo >> calls
while [[ $# -gt 0 ]]; do
    [[ $1 != --event-stream-output-path ]] || events=$2
    shift
done
echo "✘ Test run $number failed after 1 second"
[[ ! -e events.$number ]] || cp events.$number "$events"
exit "$(cat code.$number)"
"""


class WholeRun(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = holder.name
        self.write("swift", SWIFT)
        os.chmod(os.path.join(self.folder, "swift"), 0o755)
        self.write("calls", "")

    def write(self, name, text):
        with open(os.path.join(self.folder, name), "w", encoding="utf-8") as file:
            file.write(text)

    def run_with(self, *runs):
        """Runs the script, with the code and the sample of each run of the tests."""
        for number, (code, sample) in enumerate(runs):
            self.write(f"code.{number}", str(code))
            if sample:
                with open(os.path.join(HERE, f"{sample}.jsonl"), encoding="utf-8") as text:
                    self.write(f"events.{number}", text.read())
        environment = {**os.environ, "SAMPLES": self.folder, "PATH": f"{self.folder}:{os.environ['PATH']}"}
        result = subprocess.run([SCRIPT, "--no-wait"], env=environment, capture_output=True, text=True, check=False)
        with open(os.path.join(self.folder, "calls"), encoding="utf-8") as calls:
            return result, calls.read().splitlines()

    def test_a_run_that_passes_is_good(self):
        result, calls = self.run_with((0, "passes-later-second"))
        self.assertEqual((result.returncode, len(calls)), (0, 1))
        self.assertIn("--no-wait", calls[0])
        self.assertIn("Test run 0", result.stdout)

    def test_what_failed_is_run_again_alone_and_fails_the_run_by_its_name(self):
        result, calls = self.run_with((1, "passes-later-first"), (0, "passes-later-second"))
        self.assertEqual((result.returncode, len(calls)), (1, 2))
        self.assertIn("--filter ^", calls[1])
        self.assertNotIn("--no-wait", calls[1])
        self.assertIn(f"passed on the second try only, and is not in Tests/known-flaky.txt: {SPACES}", result.stderr)

    def test_what_fails_twice_fails_the_run(self):
        result, _ = self.run_with((1, "fails-twice-first"), (1, "fails-twice-second"))
        self.assertEqual(result.returncode, 1)
        self.assertIn(f"failed twice: {SUITE}/alwaysFails()", result.stderr)

    def test_a_crash_is_not_tried_again(self):
        for sample in ("crash", None):
            self.write("calls", "")
            result, calls = self.run_with((1, sample))
            self.assertEqual((result.returncode, len(calls)), (1, 1))
            self.assertIn("the test process ended before its tests", result.stderr)

    def test_a_crash_on_the_second_try_fails_the_run(self):
        result, _ = self.run_with((1, "passes-later-first"), (1, "crash"))
        self.assertEqual(result.returncode, 1)
        self.assertIn("the second run did not come to its end", result.stderr)


if __name__ == "__main__":
    unittest.main()
