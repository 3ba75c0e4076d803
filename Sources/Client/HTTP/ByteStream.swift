import Curl
import Synchronization

/// The body of an answer, in pieces, as they arrive.
///
/// The service is slowed down while more than a mebibyte waits for the reader.
public struct ByteStream: AsyncSequence, Sendable {
    public typealias Element = [UInt8]
    public typealias Failure = ClientError

    let exchange: Exchange
    let client: CormorantClient

    public func makeAsyncIterator() -> Iterator { Iterator(exchange, client) }

    public struct Iterator: AsyncIteratorProtocol {
        public typealias Failure = ClientError

        private let sink: StreamSink
        private let exchange: Exchange
        private let client: CormorantClient
        private let transfer: ScopedTask

        init(_ exchange: Exchange, _ client: CormorantClient) {
            let sink = StreamSink()
            self.sink = sink
            self.exchange = exchange
            self.client = client
            transfer = ScopedTask(
                Task {
                    do throws(CurlError) {
                        _ = try await exchange.receive(into: sink)
                        sink.end(nil)
                    } catch {
                        sink.end(error)
                    }
                }
            )
        }

        /// - Throws: `ClientError.unreachable` if the body breaks off.
        public mutating func next() async throws(ClientError) -> [UInt8]? {
            let (piece, isFull) = await sink.next()
            if isFull { exchange.resume() }
            switch piece {
            case .success(let bytes): return bytes
            case .failure(let error): throw client.failure(error)
            }
        }
    }
}

/// Cancels a task when nobody holds it any more.
final class ScopedTask: Sendable {
    private let task: Task<Void, Never>

    init(_ task: Task<Void, Never>) { self.task = task }

    deinit { task.cancel() }
}

/// Hands the pieces of a body from libcurl's thread to one reader.
final class StreamSink: BodySink {
    typealias Piece = Result<[UInt8]?, CurlError>

    private struct State {
        var waiting: [UInt8] = []
        var isFull = false
        var end: Piece?
        var reader: CheckedContinuation<(Piece, Bool), Never>?
    }

    private static let most = 1 << 20
    private let state = Mutex(State())

    func write(_ bytes: RawSpan) -> SinkResult {
        let copy = unsafe bytes.withUnsafeBytes { unsafe Array($0) }
        return state.withLock { state in
            if let reader = state.reader {
                state.reader = nil
                reader.resume(returning: (.success(copy), false))
                return .taken
            }
            guard state.waiting.count < Self.most else {
                state.isFull = true
                return .wait
            }
            state.waiting += copy
            return .taken
        }
    }

    func end(_ error: CurlError?) {
        state.withLock { state in
            let end = error.map(Piece.failure) ?? .success(nil)
            state.end = end
            state.reader?.resume(returning: (end, false))
            state.reader = nil
        }
    }

    /// - Returns: The next piece, and whether the transfer must be resumed.
    func next() async -> (Piece, Bool) {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                state.withLock { state in
                    if !state.waiting.isEmpty {
                        let piece = state.waiting
                        let isFull = state.isFull
                        state.waiting = []
                        state.isFull = false
                        continuation.resume(returning: (.success(piece), isFull))
                    } else if let end = state.end {
                        continuation.resume(returning: (end, false))
                    } else {
                        state.reader = continuation
                    }
                }
            }
        } onCancel: {
            end(CurlError(.aborted))
        }
    }
}
