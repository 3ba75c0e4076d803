import Linux
import Synchronization

/// Shows the progress of several files on standard error: in place on a terminal, as lines elsewhere.
final class ProgressBoard: Sendable {
    enum Style: Sendable {
        case terminal
        case lines
        /// Errors alone.
        case quiet
    }

    private struct State {
        var items: [ProgressItem] = []
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

    /// Whether something of what was said or put out reached nobody.
    var isLost: Bool { state.withLock { $0.isLost } }

    /// Adds a file below those that are shown.
    func add(_ item: ProgressItem) {
        state.withLock { $0.items.append(item) }
    }

    /// Takes a file off the display.
    func remove(_ item: ProgressItem) {
        state.withLock { $0.items.removeAll { $0 === item } }
    }

    /// Says what an operator who wants errors alone need not know.
    func inform(_ message: String) {
        if style != .quiet { report(message) }
    }

    /// Says what everyone has to know.
    func report(_ message: String) {
        state.withLock { $0.messages.append(message) }
    }

    /// Writes a line to standard output.
    func output(_ line: String) async {
        switch style {
        case .quiet: return
        // On one screen with the progress it has to go above what is redrawn.
        case .terminal where StandardStream.output.isTerminal: report(line)
        case .terminal, .lines: await write(line + "\n", to: .output)
        }
    }

    /// Shows what happens until the task is cancelled, then clears away what is not for good.
    func run() async {
        var ticks = 0
        // A picture for a person, drawn anew in steps of real time; nothing follows from it.
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

    /// Ten pictures a second are fluent enough.
    private static let interval = Duration.milliseconds(100)
    /// A log wants a line each ten seconds.
    private static let ticksOfALogLine = 100

    private func show(progress: Bool) async {
        let columns = stream.columns ?? 80
        await write { state, now in
            defer { state.messages = [] }
            let lines = progress ? state.items.compactMap { $0.snapshot(at: now) }.map(ProgressLine.init) : []
            switch self.style {
            // The last column is left free: some terminals wrap as soon as it is written.
            case .terminal:
                return state.frame.draw(messages: state.messages, lines: lines.map { $0.text(width: columns - 1) })
            case .lines: return Self.lines(state.messages + lines.map(\.plain))
            case .quiet: return Self.lines(state.messages)
            }
        }
    }

    private static func lines(_ lines: [String]) -> String { lines.map { $0 + "\n" }.joined() }

    /// A terminal that is held (Ctrl-S) blocks its writer, which must be no thread of the cooperative pool.
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
