import CMicroHTTPD
import Synchronization

/// A response body that is sent in pieces, as its source produces them. It uses no thread while it waits.
///
/// The server requests a piece from the source whenever the socket accepts more, so a slow client slows the source
/// down. While there is nothing to send, the connection is suspended. The source must call ``wake()`` when it has a new
/// piece.
public final class ResponseStream: Sendable {
    /// The next piece of a source.
    public enum Piece: Sendable {
        /// The next bytes. They must not be empty.
        case bytes([UInt8])
        /// There is no piece yet. The source must call ``ResponseStream/wake()`` when there is one; the call may come
        /// before this result is processed.
        case nothingYet
        /// The end of the body. A source must return it again if it is called again.
        case end
    }

    private enum Phase {
        /// The connection is not suspended. `isWoken`: the source may have a new piece since its last call.
        case reading(isWoken: Bool)
        case suspended(SuspendedConnection, SuspensionCount)
        /// The client has disconnected, or the server has stopped.
        case ended
    }

    private struct State {
        var phase = Phase.reading(isWoken: false)
        /// The rest of a piece that did not fit in the buffer.
        var rest: ArraySlice<UInt8> = []
        var isAbandoned = false
    }

    private let source: @Sendable () -> Piece
    private let ended: @Sendable () -> Void
    private let state = Mutex(State())

    /// - Parameters:
    ///   - source: Returns the next piece. It runs on a thread that serves other connections too, so it must not block.
    ///   - ended: Called once, when the source will not be called again: the body has ended, the client has
    ///     disconnected, the server stops, or the response was never sent.
    public init(source: @escaping @Sendable () -> Piece, ended: @escaping @Sendable () -> Void) {
        self.source = source
        self.ended = ended
    }

    deinit { finish() }

    /// Makes the server request the next piece as soon as the socket accepts bytes. It may be called on any thread at
    /// any time.
    public func wake() {
        let suspended = state.withLock { state -> (SuspendedConnection, SuspensionCount)? in
            switch state.phase {
            case .suspended(let connection, let count):
                state.phase = .reading(isWoken: true)
                return (connection, count)
            case .reading:
                state.phase = .reading(isWoken: true)
                return nil
            case .ended:
                return nil
            }
        }
        guard let (connection, count) = suspended else { return }
        connection.resume()
        count.leave()
    }

    /// Ends the body without further pieces.
    func abandon() {
        state.withLock { $0.isAbandoned = true }
        wake()
    }

    /// Ends the stream, because the response is no longer sent, and calls `ended` once.
    func finish() {
        let isFirst = state.withLock { state in
            if case .ended = state.phase { return false }
            state.phase = .ended
            state.rest = []
            return true
        }
        if isFirst { ended() }
    }

    // MARK: - Reading on the server's thread

    /// Fills the buffer with the available bytes.
    ///
    /// - Returns: The number of bytes; 0 if the connection was suspended; nil at the end of the body.
    func read(
        into buffer: UnsafeMutableRawBufferPointer,
        on connection: OpaquePointer,
        _ suspensions: SuspensionCount
    ) -> Int? {
        var filled = 0
        while true {
            filled += copyRest(into: UnsafeMutableRawBufferPointer(rebasing: buffer[filled...]))
            guard filled < buffer.count, !beginAsking() else { return filled == 0 ? nil : filled }
            switch source() {
            case .bytes(let piece):
                state.withLock { $0.rest = piece[...] }
            case .end:
                return filled == 0 ? nil : filled
            case .nothingYet:
                if filled > 0 { return filled }
                guard suspensions.enter() else { return nil }
                suspend(connection, suspensions)
                return 0
            }
        }
    }

    private func copyRest(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        state.withLock { state in
            let count = min(buffer.count, state.rest.count)
            guard count > 0 else { return 0 }
            state.rest.withUnsafeBytes { buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[..<count])) }
            state.rest = state.rest.dropFirst(count)
            return count
        }
    }

    /// Clears the wake-up flag before the source is called. A later wake-up may mean a new piece.
    ///
    /// - Returns: Whether the stream was abandoned.
    private func beginAsking() -> Bool {
        state.withLock { state in
            if case .reading = state.phase { state.phase = .reading(isWoken: false) }
            return state.isAbandoned
        }
    }

    /// Suspends the connection. This must happen before the state changes, because the connection may be resumed
    /// immediately after the change.
    private func suspend(_ connection: OpaquePointer, _ suspensions: SuspensionCount) {
        let suspended = SuspendedConnection(connection)
        MHD_suspend_connection(connection)
        let isWanted = state.withLock { state in
            if case .reading(isWoken: false) = state.phase {
                state.phase = .suspended(suspended, suspensions)
                return false
            }
            return true
        }
        guard isWanted else { return }
        suspended.resume()
        suspensions.leave()
    }
}
