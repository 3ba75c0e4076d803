import Glibc

/// The line discipline of the terminal on standard input (`termios(3)`).
public struct TerminalMode: Sendable {
    private let saved: termios

    /// Lets single keys be read without Enter, and does not show them. Signals of keys (Ctrl-C) stay.
    ///
    /// - Returns: What restores the former mode; nil if standard input is no terminal.
    public static func withoutEcho() -> TerminalMode? {
        var mode = termios()
        guard tcgetattr(STDIN_FILENO, &mode) == 0 else { return nil }
        let saved = mode
        mode.c_lflag &= ~tcflag_t(ICANON | ECHO)
        // A read returns at once, with the bytes that are there.
        mode.c_cc.6 = 0
        mode.c_cc.5 = 0
        guard tcsetattr(STDIN_FILENO, TCSANOW, &mode) == 0 else { return nil }
        return TerminalMode(saved: saved)
    }

    public func restore() {
        var mode = saved
        tcsetattr(STDIN_FILENO, TCSANOW, &mode)
    }

    /// The bytes of the keys that were pressed, without waiting; empty if standard input has none.
    public static func pressedKeys() -> [UInt8] {
        var entry = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
        guard isatty(STDIN_FILENO) == 1, poll(&entry, 1, 0) == 1 else { return [] }
        var bytes = [UInt8](repeating: 0, count: 32)
        let count = bytes.withUnsafeMutableBytes { read(STDIN_FILENO, $0.baseAddress, $0.count) }
        return count > 0 ? Array(bytes.prefix(count)) : []
    }
}
