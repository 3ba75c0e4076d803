import Curl
import Glibc
import Synchronization
import TestSupport
import Testing
import URLs

/// Keeps the bytes it is offered, and answers as its script says; the last verdict repeats.
final class RecordingSink: BodySink {
    private struct State {
        var bytes: [UInt8] = []
        var largestPiece = 0
        var pieces = 0
        var results: [SinkResult]
    }

    /// Fired at each offer.
    let offers = Signal()
    let leastOffer: Int64
    private let state: Mutex<State>

    init(_ results: [SinkResult] = [.taken], leastOffer: Int64 = .max) {
        self.leastOffer = leastOffer
        state = Mutex(State(results: results))
    }

    func write(_ bytes: RawSpan) -> SinkResult {
        let result = state.withLock { state in
            let result = state.results.count > 1 ? state.results.removeFirst() : state.results[0]
            let count =
                switch result {
                case .taken: bytes.byteCount
                case .part(let count): count
                case .wait, .stop: 0
                }
            state.largestPiece = max(state.largestPiece, count)
            state.pieces += 1
            // Each offset is inside the span.
            for offset in 0..<count {
                state.bytes.append(unsafe bytes.unsafeLoad(fromByteOffset: offset, as: UInt8.self))
            }
            return result
        }
        offers.fire()
        return result
    }

    var bytes: [UInt8] { state.withLock { $0.bytes } }
    var largestPiece: Int { state.withLock { $0.largestPiece } }
    var pieces: Int { state.withLock { $0.pieces } }
}

extension Exchange {
    /// Receives the body. The transfer is resumed after each of the `offers` to the sink, counted from 1.
    func receive(into sink: RecordingSink, resumingAfter offers: some Sequence<Int>) async throws -> TransferEnd {
        async let end = receive(into: sink)
        for offer in offers {
            await sink.offers.wait(for: offer)
            resume()
        }
        return try await end
    }
}

/// An origin and a loop for one test, both ended after it.
func withOrigin(
    _ content: Content = Content(size: 1000),
    script: [Behaviour] = [.good],
    _ body: (Origin, TransferLoop) async throws -> Void
) async throws {
    let origin = Origin(content, script: script)
    // However busy the machine is, a connection is there for the next request.
    let loop = TransferLoop(sharing: IdleConnections(longestIdleness: .seconds(600)), number: 0)
    do {
        try await body(origin, loop)
    } catch {
        await loop.shutdown()
        origin.stop()
        throw error
    }
    await loop.shutdown()
    origin.stop()
}

/// Without the limits of time that a busy machine may reach.
func request(_ text: String, _ change: (inout TransferRequest) -> Void = { _ in }) throws -> TransferRequest {
    var request = try #require(TransferRequest(to: GivenURL(parsing: text).url))
    request.lowSpeedLimit = nil
    request.headTimeout = .seconds(600)
    change(&request)
    return request
}

/// The code of the error that `body` throws; nil if it throws none.
func curlCode(_ body: () async throws -> Void) async -> CurlError.Code? {
    do {
        try await body()
        return nil
    } catch {
        return (error as? CurlError)?.code
    }
}

extension CurlError.Code {
    static let couldNotConnect = Self.curl(7)
    /// The body ended before its length was reached.
    static let partialFile = Self.curl(18)
    /// Of the connection, the whole transfer or the speed floor.
    static let timedOut = Self.curl(28)
}

func setEnvironment(_ name: String, _ value: String) {
    let code = unsafe setenv(name, value, 1)
    precondition(code == 0)
}
