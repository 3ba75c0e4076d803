@testable import cormorant
import Testing

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
    func nothingToShowWritesNothing() {
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
