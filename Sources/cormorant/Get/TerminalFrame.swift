/// The bytes that bring a terminal from one picture of the progress to the next (ECMA-48 control sequences).
struct TerminalFrame {
    /// Lines of the block that is redrawn in place, as they stand now.
    private(set) var height = 0
    private var hidesCursor = false

    /// Writes `messages` for good, and `lines` below them in place of the lines before.
    mutating func draw(messages: [String], lines: [String]) -> String {
        guard !messages.isEmpty || !lines.isEmpty || height > 0 else { return "" }
        var text = ""
        if !hidesCursor && !lines.isEmpty {
            text += "\u{1B}[?25l"
            hidesCursor = true
        }
        // Up to the block's first line, and clear from there to the end of the screen.
        if height > 0 { text += "\u{1B}[\(height)A" }
        text += "\r\u{1B}[J"
        text += (messages + lines).map { $0 + "\n" }.joined()
        height = lines.count
        return text
    }

    /// Ends the picture: the lines go, the cursor comes back.
    mutating func end(messages: [String]) -> String {
        let text = draw(messages: messages, lines: [])
        guard hidesCursor else { return text }
        hidesCursor = false
        return text + Self.showCursor
    }

    static let showCursor = "\u{1B}[?25h"
}
