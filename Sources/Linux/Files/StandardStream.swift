import CLinux
import Glibc

/// Standard output or standard error.
public enum StandardStream: CInt, Sendable {
    case output = 1
    case error = 2

    /// Whether the stream is a terminal (`isatty(3)`).
    public var isTerminal: Bool { isatty(rawValue) == 1 }

    /// The current width of the terminal in columns; nil if there is no terminal or it does not report it
    /// (`ioctl_tty(2)`).
    public var columns: Int? { size.flatMap { $0.ws_col > 0 ? Int($0.ws_col) : nil } }

    /// The current height of the terminal in lines; nil as for ``columns``.
    public var rows: Int? { size.flatMap { $0.ws_row > 0 ? Int($0.ws_row) : nil } }

    private var size: winsize? {
        var size = winsize()
        return ioctl(rawValue, UInt(TIOCGWINSZ), &size) == 0 ? size : nil
    }

    /// Writes all of `text`.
    ///
    /// - Returns: False if not everything was written: the disk may be full, or the pipe closed.
    @discardableResult
    public func write(_ text: String) -> Bool { write(Array(text.utf8)) }

    /// Writes all of `bytes`, as ``write(_:)-(String)``.
    @discardableResult
    public func write(_ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(rawValue, $0.baseAddress, $0.count) }
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }
}

/// Standard input.
public enum StandardInput {
    /// Whether it is a terminal (`isatty(3)`).
    public static var isTerminal: Bool { isatty(STDIN_FILENO) == 1 }
}
