import CMicroHTTPD
import Synchronization

/// A body that is sent piece by piece, as long as its source wants. No thread waits for it.
///
/// The server asks the source for a piece whenever the socket accepts more, so a slow client slows its source down.
/// While there is nothing to send the connection is suspended: when the source has something new, call ``wake()``.
public final class ResponseStream: Sendable {
    /// The next piece of a source.
    public enum Piece: Sendable {
        /// Not empty.
        case bytes([UInt8])
        /// Nothing yet: ``ResponseStream/wake()`` follows once there is, possibly before this is handled.
        case nothingYet
        /// The end; repeated if it is asked again.
        case end
    }

    private enum Phase {
        /// The connection is not suspended. `isWoken`: the source may have something new since it was last asked.
        case reading(isWoken: Bool)
        case suspended(SuspendedConnection, SuspensionCount)
        /// The client or the server has gone.
        case ended
    }

    private struct State {
        var phase = Phase.reading(isWoken: false)
        /// The rest of a piece that was longer than the buffer.
        var rest: ArraySlice<UInt8> = []
        var isAbandoned = false
    }

    private let source: @Sendable () -> Piece
    private let ended: @Sendable () -> Void
    private let state = Mutex(State())

    /// - Parameters:
    ///   - source: Asked for the next piece, on a thread that serves other connections too: it must not wait.
    ///   - ended: Called once, when the source is no longer asked: the body has ended, the client left, the server
    ///     stops, or the response was never sent.
    public init(source: @escaping @Sendable () -> Piece, ended: @escaping @Sendable () -> Void) {
        self.source = source
        self.ended = ended
    }

    deinit { finish() }

    /// Lets the server ask the source, now or as soon as the socket accepts more. Any thread may call it, at any time.
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

    /// Ends the body where it is.
    func abandon() {
        state.withLock { $0.isAbandoned = true }
        wake()
    }

    /// The client is gone.
    func finish() {
        let isFirst = state.withLock { state in
            if case .ended = state.phase { return false }
            state.phase = .ended
            state.rest = []
            return true
        }
        if isFirst { ended() }
    }

    // MARK: - On the server's thread

    /// Fills what there is room for.
    ///
    /// - Returns: How many bytes; 0 where the connection was suspended; nil at the end.
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

    /// A wake-up from here on may mean something new.
    ///
    /// - Returns: Whether the stream was abandoned, because the client is gone.
    private func beginAsking() -> Bool {
        state.withLock { state in
            if case .reading = state.phase { state.phase = .reading(isWoken: false) }
            return state.isAbandoned
        }
    }

    /// The connection is suspended first: it may be resumed as soon as the state says so.
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
