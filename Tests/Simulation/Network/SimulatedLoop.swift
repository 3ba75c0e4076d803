import Core
import Curl

/// Brings the scripted answers of an ``Internet`` in pieces, as libcurl brings bytes.
///
/// It belongs to one process: what it has begun ends with it.
final class SimulatedLoop: ExchangeLoop, @unchecked Sendable {
    private let internet: Internet
    private var flows: [TransferID: Flow] = [:]
    private var isShutDown = false

    /// Ids are never used again, not even by another loop.
    nonisolated(unsafe) private static var lastNumber: UInt64 = 0

    init(_ internet: Internet) { self.internet = internet }

    /// A transfer that has begun.
    private final class Flow: @unchecked Sendable {
        let request: TransferRequest
        let answer: Answer
        let received = ByteCounter()
        private var isClosed = false
        private(set) var isEnded = false
        private var isPaused = false
        private var waiter: UnsafeContinuation<Void, Never>?

        init(_ request: TransferRequest, _ answer: Answer) { (self.request, self.answer) = (request, answer) }

        func close() {
            guard !isClosed else { return }
            isClosed = true
            request.onClose()
        }

        /// Ends it from outside.
        func end() {
            isEnded = true
            wake()
        }

        func resume() {
            isPaused = false
            wake()
        }

        private func wake() {
            waiter?.resume()
            waiter = nil
        }

        /// Waits for some time, or until it is ended.
        func sleep(milliseconds: Int) async {
            World.current.add(.call { [self] in if !isPaused { wake() } }, after: UInt64(milliseconds) * 1_000_000)
            await wait()
        }

        /// Waits until the sink accepts bytes again, or it is ended.
        func pause() async {
            isPaused = true
            await wait()
        }

        private func wait() async {
            await withTaskCancellationHandler {
                await withUnsafeContinuation { continuation in
                    waiter = continuation
                    if isEnded { wake() }
                }
            } onCancel: {
                end()
            }
        }
    }

    func start(_ request: TransferRequest) async throws(CurlError) -> Exchange {
        Self.lastNumber += 1
        let id = TransferID(number: Self.lastNumber)
        let flow = Flow(request, internet.answer(to: request))
        guard !isShutDown else { throw refuse(flow, CurlError(.aborted)) }
        flows[id] = flow
        await flow.sleep(milliseconds: flow.answer.latency)
        guard !flow.isEnded else {
            flows[id] = nil
            throw refuse(flow, CurlError(.aborted))
        }
        switch flow.answer.result {
        case .failure(let error):
            flows[id] = nil
            throw refuse(flow, error)
        case .success(let head):
            internet.watch.headArrives(head, of: request)
            return Exchange(head: head, received: flow.received, loop: self, id: id)
        }
    }

    private func refuse(_ flow: Flow, _ error: CurlError) -> CurlError {
        flow.close()
        return error
    }

    func receive(_ id: TransferID, into sink: any BodySink) async throws(CurlError) -> TransferEnd {
        guard let flow = flows[id] else { throw CurlError(.aborted) }
        defer {
            flow.close()
            flows[id] = nil
        }
        let body = flow.answer.body
        var offset = 0
        while offset < body.sent {
            await flow.sleep(milliseconds: World.current.choices.number(below: flow.answer.longestPause, .network))
            if flow.isEnded { throw CurlError(.aborted) }
            let most = [16_384, 4_000, 700][World.current.choices.number(below: 3, .network)]
            let piece = body.bytes(from: offset, count: min(most, body.sent - offset))
            switch sink.write(piece.span.bytes) {
            case .taken:
                offset += piece.count
                take(piece.count, flow)
            case .part(let count):
                offset += count
                take(count, flow)
                await flow.pause()
            case .wait: await flow.pause()
            case .stop: throw CurlError(.sinkStopped)
            }
            if flow.isEnded { throw CurlError(.aborted) }
        }
        if let error = body.error {
            await flow.sleep(milliseconds: flow.answer.silence)
            throw flow.isEnded ? CurlError(.aborted) : error
        }
        return TransferEnd(bytesReceived: Int64(offset), isConnectionReused: false)
    }

    private func take(_ count: Int, _ flow: Flow) {
        flow.received.add(count)
        internet.watch.bytesAreTaken(count, of: flow.request)
    }

    func discard(_ id: TransferID) { abandon(id) }

    func resume(_ id: TransferID) { flows[id]?.resume() }

    func abandon(_ id: TransferID) {
        guard let flow = flows.removeValue(forKey: id) else { return }
        flow.end()
        flow.close()
    }

    func shutdown() {
        isShutDown = true
        for flow in flows.values { flow.end() }
    }
}
