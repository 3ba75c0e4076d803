import Glibc

/// Standard output or standard error.
public enum StandardStream: CInt, Sendable {
    case output = 1
    case error = 2

    /// Whether the stream is a terminal (`isatty(3)`).
    public var isTerminal: Bool { isatty(rawValue) == 1 }

    /// The current width of the terminal in columns; nil if there is no terminal or it does not report it
    /// (`ioctl_tty(2)`).
    public var columns: Int? {
        var size = winsize()
        guard ioctl(rawValue, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return Int(size.ws_col)
    }

    /// Writes all of `text`.
    ///
    /// - Returns: False if not everything was written: the disk may be full, or the pipe closed.
    @discardableResult
    public func write(_ text: String) -> Bool {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(rawValue, $0.baseAddress, $0.count) }
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }
}
