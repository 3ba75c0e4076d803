import Testing

@testable import Application
@testable import cormorant

@Suite
struct ProgressLineTests {
    private static let receiving = ProgressSnapshot(
        name: "debian-12.iso",
        activity: .receiving(bytesPerSecond: 3_145_728),
        receivedBytes: 150 << 20,
        totalBytes: 600 << 20
    )

    @Test(arguments: [
        (100, "debian-12.iso      [#######-----------------------]   25 %  150 MiB of 600 MiB  3.0 MiB/s  2:30 left"),
        (80, "debian-12.iso  [###-----------]   25 %  150 MiB of 600 MiB  3.0 MiB/s  2:30 left"),
        (70, "debian-12.iso           25 %  150 MiB of 600 MiB  3.0 MiB/s  2:30 left"),
        (60, "debian-12.iso            25 %  150 MiB of 600 MiB  3.0 MiB/s"),
        (40, "debian-12.iso            25 %  3.0 MiB/s"),
        (24, "debian-12.iso       25 %"),
        (14, "debian…   25 %"),
    ])
    func theLineUsesTheWidthThatThereIs(_ width: Int, _ line: String) {
        let text = ProgressLine(Self.receiving).text(width: width)

        #expect(text.columns == width)
        #expect(text == line)
    }

    @Test func aReasonIsShortenedAndTheNameIsNot() {
        var snapshot = Self.receiving
        snapshot.activity = .held("queued: 127.0.0.1:9001 asked for a pause after a 503")

        #expect(ProgressLine(snapshot).text(width: 40) == "debian-12.iso  queued: 127.0.0.1:9001 a…")
        #expect(ProgressLine(snapshot).plain == "debian-12.iso: queued: 127.0.0.1:9001 asked for a pause after a 503")
    }

    @Test(arguments: [
        (100, "debian-12.iso                [##########--------------------]  verifying   33 %  50.0 MiB of 150 MiB"),
        (70, "debian-12.iso  [####----------]  verifying   33 %  50.0 MiB of 150 MiB"),
        (40, "debian-12.iso           verifying   33 %"),
        (24, "debian-12.iso  verifying"),
    ])
    func aVerificationIsMeasuredByWhatWasReceived(_ width: Int, _ line: String) {
        var snapshot = Self.receiving
        snapshot.activity = .verifying(50 << 20)

        #expect(ProgressLine(snapshot).text(width: width) == line)
        #expect(ProgressLine(snapshot).plain == "debian-12.iso: verifying, 33 %, 50.0 MiB of 150 MiB")
    }

    @Test
    func aVerificationThatIsNotMeasuredHasNoBar() {
        var snapshot = Self.receiving
        snapshot.activity = .verifying(nil)

        #expect(ProgressLine(snapshot).plain == "debian-12.iso: verifying, 150 MiB of 600 MiB")
        #expect(!ProgressLine(snapshot).text(width: 100).contains("["))
    }

    @Test
    func noLineIsWiderThanTheTerminal() {
        let activities: [ProgressSnapshot.Activity] = [
            .connecting, .receiving(bytesPerSecond: 0), .receiving(bytesPerSecond: 1e12), .verifying(nil),
            .verifying(430), .publishing,
            .waiting(.seconds(3), why: "The origin could not be reached."),
        ]
        for activity in activities {
            for name in [
                "a", "a-rather-long-name-of-a-file-that-somebody-published.tar.gz", "日本語のファイル.zip", "👩‍👩‍👧e\u{301}.bin",
            ] {
                for total in [nil, 0, 1000, Int64.max] {
                    let snapshot = ProgressSnapshot(
                        name: name,
                        activity: activity,
                        receivedBytes: 1000,
                        totalBytes: total
                    )
                    for width in 0...150 {
                        #expect(ProgressLine(snapshot).text(width: width).columns <= width)
                    }
                }
            }
        }
    }

    @Test
    func aHundredPercentMeansAllOfIt() {
        var snapshot = Self.receiving
        snapshot.receivedBytes = (600 << 20) - 1

        #expect(ProgressLine(snapshot).text(width: 100).contains(" 99 %"))
        snapshot.receivedBytes += 1
        #expect(ProgressLine(snapshot).text(width: 100).contains("100 %"))
    }

    @Test
    func withoutASizeThereIsNoBarAndNoPercent() {
        var snapshot = Self.receiving
        snapshot.totalBytes = nil

        let text = ProgressLine(snapshot).text(width: 100)

        #expect(text.hasSuffix("150 MiB  3.0 MiB/s"))
        #expect(!text.contains("["))
    }

    @Test
    func aWaitCountsDownAndSaysWhy() {
        let snapshot = ProgressSnapshot(
            name: "a.bin",
            activity: .waiting(.milliseconds(2500), why: "The origin could not be reached."),
            receivedBytes: 0
        )

        #expect(ProgressLine(snapshot).text(width: 70).hasSuffix("  retry in 0:03  The origin could not be reached."))
        #expect(ProgressLine(snapshot).text(width: 30).hasSuffix("  retry in 0:03"))
    }

    @Test
    func aLineForALogHasNoBar() {
        #expect(
            ProgressLine(Self.receiving).plain == "debian-12.iso: 25 %, 150 MiB of 600 MiB, 3.0 MiB/s, 2:30 left"
        )
    }
}

@Suite
struct TerminalFrameTests {
    @Test
    func theFirstPictureHidesTheCursorAndTheNextOnesReplaceItsLines() {
        var frame = TerminalFrame()

        #expect(frame.draw(messages: ["started"], lines: ["a", "b"]) == "\u{1B}[?25l\r\u{1B}[Jstarted\na\nb\n")
        #expect(frame.draw(messages: [], lines: ["c"]) == "\u{1B}[2A\r\u{1B}[Jc\n")
        #expect(frame.draw(messages: ["saved"], lines: []) == "\u{1B}[1A\r\u{1B}[Jsaved\n")
        #expect(frame.end(messages: []) == "\u{1B}[?25h")
    }

    @Test
    func emptyProgressWritesNothing() {
        var frame = TerminalFrame()

        #expect(frame.draw(messages: [], lines: []) == "")
        #expect(frame.end(messages: []) == "")
    }

    @Test
    func theEndClearsTheLinesAndBringsTheCursorBack() {
        var frame = TerminalFrame()
        _ = frame.draw(messages: [], lines: ["a"])

        #expect(frame.end(messages: ["interrupted"]) == "\u{1B}[1A\r\u{1B}[Jinterrupted\n\u{1B}[?25h")
    }
}
