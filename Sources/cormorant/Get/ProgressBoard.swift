import Linux
import Synchronization

/// Displays the progress of several files on standard error: in place on a terminal, otherwise as lines.
final class ProgressBoard: Sendable {
    enum Style: Sendable {
        case terminal
        case lines
        /// Only errors.
        case quiet
    }

    private struct State {
        var items: [any ProgressSource] = []
        var footer: (@Sendable () -> String)?
        var messages: [String] = []
        var frame = TerminalFrame()
        var isLost = false
    }

    private let style: Style
    private let stream: StandardStream
    private let pool: BlockingPool
    private let state = Mutex(State())

    init(style: Style, stream: StandardStream = .error, pool: BlockingPool) {
        self.style = style
        self.stream = stream
        self.pool = pool
    }

    /// Whether some output could not be written.
    var isLost: Bool { state.withLock { $0.isLost } }

    /// Adds a file at the end of the display.
    func add(_ item: any ProgressSource) {
        state.withLock { $0.items.append(item) }
    }

    /// Removes a file from the display.
    func remove(_ item: any ProgressSource) {
        state.withLock { $0.items.removeAll { $0 === item } }
    }

    /// Shows a line below the others, on a terminal only.
    func setFooter(_ footer: @escaping @Sendable () -> String) {
        state.withLock { $0.footer = footer }
    }

    /// Prints a message, except in quiet mode.
    func inform(_ message: String) {
        if style != .quiet { report(message) }
    }

    /// Prints an error.
    func report(_ message: String) {
        // The columns are those of the moment.
        let width = style == .terminal ? stream.columns : nil
        let lines = message.printableLines.wrapped(to: width, indent: 2)
        state.withLock { $0.messages += lines }
    }

    /// Writes a line to standard output.
    func output(_ line: String) async {
        switch style {
        case .quiet: return
        // On the terminal of the display, the line must be above the redrawn lines.
        case .terminal where StandardStream.output.isTerminal:
            state.withLock { $0.messages.append(line.printable) }
        // A program reads the exact line.
        case .terminal, .lines:
            await write((StandardStream.output.isTerminal ? line.printable : line) + "\n", to: .output)
        }
    }

    /// Redraws until the task is cancelled, then removes the progress lines.
    func run() async {
        var ticks = 0
        // Real time, not the injected clock, because it is only for display.
        while (try? await Task.sleep(for: Self.interval)) != nil {
            ticks += 1
            await show(progress: style == .terminal || ticks.isMultiple(of: Self.ticksOfALogLine))
        }
        await write { state, _ in
            defer { state.messages = [] }
            return self.style == .terminal
                ? state.frame.end(messages: state.messages) : Self.lines(state.messages)
        }
    }

    /// The interval between redraws.
    private static let interval = Duration.milliseconds(100)
    /// Without a terminal, progress is printed every ten seconds.
    private static let ticksOfALogLine = 100

    private func show(progress: Bool) async {
        let columns = stream.columns ?? 80
        await write { state, now in
            defer { state.messages = [] }
            let lines = progress ? state.items.compactMap { $0.snapshot(at: now) }.map(ProgressLine.init) : []
            switch self.style {
            // The last column stays empty: some terminals wrap as soon as it is written.
            case .terminal:
                var texts = self.fitting(lines.map { $0.text(width: columns - 1) })
                if let footer = state.footer?() { texts.append(String(footer.printable.prefix(columns - 1))) }
                return state.frame.draw(messages: state.messages, lines: texts)
            case .lines: return Self.lines(state.messages + lines.map(\.plain))
            case .quiet: return Self.lines(state.messages)
            }
        }
    }

    /// Lines above the top of the screen could not be redrawn.
    private func fitting(_ lines: [String]) -> [String] {
        let most = max((stream.rows ?? 24) - 3, 1)
        guard lines.count > most else { return lines }
        return lines.prefix(most - 1) + ["… and \(lines.count - most + 1) more"]
    }

    private static func lines(_ lines: [String]) -> String { lines.map { $0 + "\n" }.joined() }

    /// A stopped terminal (Ctrl-S) blocks the writing thread, which must not belong to the cooperative pool.
    private func write(_ picture: @Sendable (inout State, ContinuousClock.Instant) -> String) async {
        let now = ContinuousClock.now
        let text = state.withLock { picture(&$0, now) }
        guard !text.isEmpty else { return }
        await write(text, to: stream)
    }

    private func write(_ text: String, to stream: StandardStream) async {
        let isWritten = await pool.run { stream.write(text) }
        if !isWritten { state.withLock { $0.isLost = true } }
    }
}

/// The bytes that update the progress on a terminal (ECMA-48 control sequences).
struct TerminalFrame {
    /// The number of lines in the block that is redrawn in place.
    private(set) var height = 0
    private var hidesCursor = false

    /// Writes `messages` permanently, and replaces the previous lines below them with `lines`.
    mutating func draw(messages: [String], lines: [String]) -> String {
        guard !messages.isEmpty || !lines.isEmpty || height > 0 else { return "" }
        var text = ""
        if !hidesCursor && !lines.isEmpty {
            text += "\u{1B}[?25l"
            hidesCursor = true
        }
        // Move to the first line of the block, and clear to the end of the screen.
        if height > 0 { text += "\u{1B}[\(height)A" }
        text += "\r\u{1B}[J"
        text += (messages + lines).map { $0 + "\n" }.joined()
        height = lines.count
        return text
    }

    /// Ends the display: removes the lines and shows the cursor.
    mutating func end(messages: [String]) -> String {
        let text = draw(messages: messages, lines: [])
        guard hidesCursor else { return text }
        hidesCursor = false
        return text + Self.showCursor
    }

    static let showCursor = "\u{1B}[?25h"
}

extension String {
    /// The width of the text in terminal columns: two for East Asian wide characters and emoji (Unicode Standard Annex
    /// 11), none for combining characters.
    var columns: Int { reduce(0) { $0 + $1.columns } }

    /// Pads the text with spaces, or truncates it with an ellipsis, to exactly `width` columns.
    func fitted(to width: Int) -> String {
        let taken = columns
        guard taken > width else { return self + String(repeating: " ", count: width - taken) }
        guard width > 0 else { return "" }
        var text = ""
        var used = 0
        for character in self {
            guard used + character.columns <= width - 1 else { break }
            text.append(character)
            used += character.columns
        }
        return text + "…" + String(repeating: " ", count: width - 1 - used)
    }
}

extension Character {
    fileprivate var columns: Int {
        guard let scalar = unicodeScalars.first else { return 0 }
        switch scalar.value {
        case 0..<0x20, 0x7F: return 0
        case 0x1100...0x115F, 0x2E80...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60,
            0xFFE0...0xFFE6, 0x1F300...0x1FAFF, 0x20000...0x3FFFD:
            return 2
        default: return 1
        }
    }
}
