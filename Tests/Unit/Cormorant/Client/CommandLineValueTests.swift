import ArgumentParser
import Client
import FoundationEssentials
import Testing

@testable import Application
@testable import cormorant

/// What users write on the command line of the client.
@Suite
struct CommandLineValueTests {
    @Test func anIDIsBoundedByItsTime() throws {
        let whole = try #require(IDPrefix("dl_01kdyak3seeejr3cp3tkjzc1rr"))
        let start = try #require(IDPrefix("01kdyak3"))

        #expect(whole.first == whole.last)
        #expect(start.text == "dl_01kdyak3")
        #expect(start.first <= whole.first && whole.first <= start.last)
        #expect(abs(start.last.timeIntervalSince(start.first) - 1.023) < 0.001)
    }

    @Test(arguments: ["", "a", "01kd", "dl_01k", "file.iso", "91kdyak3", "01kdyakl", "installer"])
    func aTextThatCannotStartAnIDIsNone(_ text: String) {
        #expect(IDPrefix(text) == nil)
    }

    @Test func idsAreShortenedAsFarAsTheyDiffer() {
        let ids = ["dl_01kdyak3seeejr3cp3tkjzc1rr", "dl_01kdyak3seeekr3cp3tkjzc1rr"]

        #expect(IDPrefix.shortened(Array(ids.prefix(1))) == ["dl_01kdyak3se"])
        #expect(IDPrefix.shortened(ids) == ["dl_01kdyak3seeej", "dl_01kdyak3seeek"])
    }

    @Test func aListOfURLsSkipsCommentsAndCountsLines() {
        let lines = URLList.parse("# files\n\n  http://a.example/1 \r\nhttp://a.example/2#part\n")

        #expect(
            lines == [.init(number: 3, url: "http://a.example/1"), .init(number: 4, url: "http://a.example/2#part")]
        )
    }

    @Test(arguments: [("2MiB", 2 << 20), ("2MiB/s", 2 << 20), ("1000", 1000), ("5MB", 5_000_000)])
    func aRateIsASize(_ text: String, _ bytes: Int64) {
        #expect(Rate(argument: text)?.bytesPerSecond == bytes)
    }

    @Test(arguments: ["", "fast", "2mb", "-1", "0"])
    func aTextThatIsNoRateIsRefused(_ text: String) {
        #expect(Rate(argument: text) == nil)
    }

    @Test func aTimeIsAnInstantADateOrADuration() throws {
        let now = Date(timeIntervalSince1970: 1_000_000)

        #expect(TimeText.date("2026-01-02T03:04:05+01:00", isFuture: true)?.timeIntervalSince1970 == 1_767_319_445)
        #expect(TimeText.date("1970-01-02", isFuture: false)?.timeIntervalSince1970 == 86_400)
        #expect(TimeText.date("1h", isFuture: true, now: now)?.timeIntervalSince(now) == 3600)
        #expect(TimeText.date("1h", isFuture: false, now: now)?.timeIntervalSince(now) == -3600)
        #expect(TimeText.date("tomorrow", isFuture: true) == nil)
    }

    @Test func aLabelEndsAtTheFirstColon() {
        #expect(LabelArgument(argument: "a:b:c")?.value == "b:c")
        #expect(LabelArgument(argument: "a:")?.value == "")
        #expect(LabelArgument(argument: ":a") == nil)
        #expect(LabelArgument(argument: "a") == nil)
    }

    @Test(
        arguments: [
            (["rm"], "Expected ids or names of downloads, filters, or --all."),
            (["pause", "a", "--all"], "Expected either ids or names of downloads, or filters and --all, not both."),
            (["rm", "--all", "--state", "failed"], "--all is every download."),
            (["add"], "Expected a URL to download"),
            (["add", "http://a/", "http://b/", "--name", "x"], "are for one URL"),
            (["add", "http://a/", "--rate", "fast"], "--rate"),
            (["add", "http://a/", "--digest", "sha-256=00"], "--digest expects"),
            (["add", "http://a/", "--at", "soon"], "--at"),
            (["wait"], "Expected either the ids or names of downloads, or --session."),
            (["wait", "a", "--timeout", "long"], "--timeout expects"),
            (["ls", "--limit", "0"], "--limit expects"),
            (["ls", "--watch", "--all"], "--watch shows one page."),
            (["ls", "-o", "xml"], "'table', 'wide', 'json', 'jsonl' or 'name'"),
            (["watch", "a", "--session", "b"], "not both"),
            (["prune"], "--older-than"),
            (["set", "a"], "Expected something to change"),
            (["limit", "--per-host"], "--per-host expects a rate."),
            (["limit", "--pause", "--host", "a"], "--pause and --resume are for all downloads."),
            (["import", "a", "--format", "torrent"], "'auto', 'urls', 'aria2', 'metalink' or 'curl'"),
            (["top", "--interval", "0"], "--interval expects"),
            (["webhook", "listen", "--forward-to", "here"], "--forward-to expects a URL"),
        ] as [([String], String)]
    )
    func aWrongCommandLineIsRefusedWithWhatWasExpected(_ arguments: [String], _ text: String) {
        do {
            _ = try Cormorant.parseAsRoot(arguments)
            #expect(Bool(false), "accepted: \(arguments)")
        } catch {
            let message = Cormorant.fullMessage(for: error)
            #expect(message.contains(text), "\(message)")
            #expect(Cormorant.exitCode(for: error).rawValue == 64)
        }
    }

    @Test func aBatchHasAThousandItemsAndThreeMebibytes() {
        let short = (0..<2500).map { Adder.Item(new: Download.Request(url: "http://a/\($0)"), place: nil) }
        let long = (0..<1000).map { _ in
            Adder.Item(new: Download.Request(url: String(repeating: "x", count: 8000)), place: nil)
        }

        #expect(Adder.firstBatch(of: short[...]).count == 1000)
        #expect(Adder.firstBatch(of: long[...]).count == (3 << 20) / 8512)
        #expect(Adder.firstBatch(of: short[2400...]).count == 100)
    }
}

@Suite
struct ShellCompletionsTests {
    @Test func wordsThatAShellWouldSplitAreNotProposed() {
        #expect(ShellCompletions.fitting(["a.iso", "a b", "b", "a.iso", "a$(x)", "ä"], "a") == ["a.iso"])
        #expect(ShellCompletions.fitting(["ä"], "") == ["ä"])
    }

    @Test func theServerOnTheCommandLineIsAsked() {
        #expect(ShellCompletions.value(of: "--server", ["ls", "--server", "http://a"]) == "http://a")
        #expect(ShellCompletions.value(of: "--server", ["ls", "--server=http://a"]) == "http://a")
        #expect(ShellCompletions.value(of: "--server", ["ls", "--server"]) == nil)
    }
}

@Suite
struct CommandNameTests {
    @Test func aMisspelledCommandIsNamedWithTheNearest() {
        #expect(throws: CommandFailure(.usage, "There is no command 'wach'. Did you mean 'watch'?")) {
            try Cormorant.checkCommand(["wach"])
        }
        #expect(throws: CommandFailure(.usage, "There is no command 'webhook rotat'. Did you mean 'rotate'?")) {
            try Cormorant.checkCommand(["webhook", "rotat", "whk_1"])
        }
        #expect(throws: CommandFailure.self) { try Cormorant.checkCommand(["torrent"]) }
    }

    @Test(arguments: [
        ["ls"], ["serve", "lst"], ["webhook"], ["webhook", "--help"], ["webhook", "ls", "lst"], ["help", "lst"],
        ["--version"], ["-h"], ["---completion"], [],
    ])
    func aCommandOrAnOptionIsAccepted(_ words: [String]) throws {
        try Cormorant.checkCommand(words)
    }
}
