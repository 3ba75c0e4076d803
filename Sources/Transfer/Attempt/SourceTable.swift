import Core
import Curl
import Synchronization
import TransferRules

/// The sources of a running download, which its connections share: whom the next one asks, and what came from whom.
final class SourceTable: Sendable {
    /// A connection whose answer is being received.
    fileprivate struct Receipt {
        let source: SourceID
        /// The host that sends it.
        let authority: String
        let exchange: Exchange
        let began: Duration
        /// Whether it was chosen to end.
        var isLeaving = false

        /// In bytes per second, over its whole time.
        func rate(at now: Duration) -> Double {
            Double(exchange.receivedBytes) / max((now - began).inSeconds, .leastNormalMagnitude)
        }
    }

    fileprivate struct State {
        var list: SourceList
        /// What the first accepted answer of each said.
        var responses: [SourceID: MatchingResponse] = [:]
        var finalURLs: [SourceID: SourceURL] = [:]
        var receipts: [ConnectionID: Receipt] = [:]
        var received: [SourceID: Int64] = [:]
        /// Those that bytes of the present generation came from.
        var contributors: Set<SourceID> = []
    }

    private let state: Mutex<State>
    private let time: TimeSource

    init(_ urls: [SourceURL], time: TimeSource) {
        self.time = time
        state = Mutex(State(list: SourceList(urls)))
    }

    // MARK: - Who they are

    var ids: [SourceID] { state.withLock { $0.list.ids } }

    var count: Int { state.withLock { $0.list.entries.count } }

    /// As they are now: its connections go on changing them.
    var list: SourceList { state.withLock { $0.list } }

    func url(of id: SourceID) -> SourceURL { state.withLock { $0.list[id].url } }

    func id(of url: String) -> SourceID? { state.withLock { $0.list.id(of: url) } }

    func append(_ urls: [SourceURL]) {
        state.withLock { state in
            for url in urls { state.list.append(url) }
        }
    }

    /// Puts other sources in place of those before, of which nothing is the file's.
    func replace(with urls: [SourceURL]) {
        state.withLock { $0 = State(list: SourceList(urls)) }
    }

    /// The hosts that a request to a source asks: its own, and where redirects led it before.
    func authorities(of id: SourceID) -> Set<String> {
        state.withLock { state in
            Set([state.list[id].url.authority, state.finalURLs[id]?.authority].compactMap(\.self))
        }
    }

    func finalURL(of id: SourceID) -> String? { state.withLock { $0.finalURLs[id]?.text } }

    // MARK: - Whom to ask

    /// Takes the source that a further connection is to ask; it is counted until ``recordClosed(_:)``.
    func choose(where mayServe: (SourceID) -> Bool) -> SourceID? {
        measure()
        let list = state.withLock { $0.list }
        guard let id = list.next(at: time.elapsed, where: mayServe) else { return nil }
        recordOpened(id)
        return id
    }

    func isLeft(_ id: SourceID) -> Bool { sourceState(of: id).reason != nil }

    /// The connections that ask it, or are fetching from it.
    func connections(of id: SourceID) -> Int { state.withLock { $0.list[id].connections } }

    /// The connections that it was seen to bear; nil where it refused none.
    func limit(of id: SourceID) -> Int? { state.withLock { $0.list[id].limit } }

    /// What the first accepted answer of a source said of the file; nil before there was one.
    func validator(of id: SourceID) -> Validator? { state.withLock { $0.responses[id] }?.validator }

    func sourceState(of id: SourceID) -> SourceState { state.withLock { $0.list[id].state } }

    /// What a request to a source is planned and judged by.
    ///
    /// - Parameters:
    ///   - stored: What is known of the file.
    ///   - representation: The source that this was learned from.
    func state(
        of id: SourceID,
        _ stored: StoredState,
        from representation: SourceID?,
        _ agreement: SourceAgreement
    ) -> StoredState {
        guard id != representation, stored.validator != nil else { return stored }
        return stored.requestState(forAnother: validator(of: id), agreement)
    }

    // MARK: - What was seen

    func recordOpened(_ id: SourceID) { state.withLock { $0.list.recordOpened(id) } }

    func recordClosed(_ id: SourceID) { state.withLock { $0.list.recordClosed(id) } }

    /// Notes that an answer has agreed.
    func recordAccepted(_ response: OriginClient.Response, of id: SourceID, total: Int64?) {
        state.withLock { state in
            state.finalURLs[id] = response.finalURL
            if state.responses[id] == nil {
                state.responses[id] = MatchingResponse(response: response.metadata, total: total)
            }
        }
    }

    func recordFailure(_ id: SourceID) {
        let now = time.elapsed
        state.withLock { $0.list.recordFailure(id, at: now) }
    }

    /// Notes that a connection was refused that is still counted.
    func recordRefusal(_ id: SourceID, _ decision: ResponseDecision) {
        let now = time.elapsed
        state.withLock { state in
            let others = max(state.list[id].connections - 1, 0)
            state.list.recordRefusal(id, decision, others: others, at: now)
        }
    }

    /// Leaves a source whose only connection brought next to nothing.
    func recordSlow(_ id: SourceID) {
        state.withLock { state in
            if state.list[id].connections <= 1 { state.list.leave(id, .slow) }
        }
    }

    func restart() {
        state.withLock { state in
            state.list.restart()
            state.responses = [:]
            state.contributors = []
        }
    }

    /// Chooses the connections to a host that are to end, those that bring least, unless so many are about to. One that
    /// brings something is left.
    func chooseSlowest(_ count: Int, at authority: String) -> [Exchange] {
        guard count > 0 else { return [] }
        let now = time.elapsed
        return state.withLock { state in
            let staying = state.receipts.filter { !$0.value.isLeaving }
            let leaving = state.receipts.values.count { $0.isLeaving && $0.authority == authority }
            let slowest = staying.filter { $0.value.authority == authority }
                .sorted { $0.value.rate(at: now) < $1.value.rate(at: now) }
                .prefix(max(min(count - leaving, staying.count - 1), 0))
            for connection in slowest.map(\.key) { state.receipts[connection]?.isLeaving = true }
            return slowest.map(\.value.exchange)
        }
    }

    // MARK: - What came

    func begin(_ connection: ConnectionID, _ id: SourceID, at authority: String, _ exchange: Exchange) {
        let receipt = Receipt(source: id, authority: authority, exchange: exchange, began: time.elapsed)
        state.withLock { $0.receipts[connection] = receipt }
    }

    /// - Parameter hasBegun: Whether a byte of it was taken.
    /// - Returns: Whether the connection was chosen to end.
    func end(_ connection: ConnectionID, hasBegun: Bool) -> Bool {
        measure()
        return state.withLock { state in
            guard let receipt = state.receipts.removeValue(forKey: connection) else { return false }
            if hasBegun { state.record(receipt.exchange.receivedBytes, from: receipt.source) }
            return receipt.isLeaving
        }
    }

    /// Notes bytes that came outside of any connection's count.
    func recordReceived(_ bytes: Int64, from id: SourceID) {
        state.withLock { $0.record(bytes, from: id) }
    }

    private func measure() {
        let now = time.elapsed
        state.withLock { state in
            for receipt in state.receipts.values where now - receipt.began >= ConnectionPace.leastAge {
                state.list.updateRate(receipt.rate(at: now), of: receipt.source)
            }
        }
    }

    var contributors: Set<SourceID> { state.withLock { $0.contributors } }

    var readings: [SourceSnapshot] {
        state.withLock { state in
            state.list.ids.map { id in
                let inFlight = state.receipts.values.filter { $0.source == id }.map(\.exchange.receivedBytes)
                let received = inFlight.reduce(state.received[id] ?? 0, +)
                let entry = state.list[id]
                let isUsed = received > 0 && entry.state == .unused
                return SourceSnapshot(
                    url: entry.url.text,
                    state: isUsed ? .used : entry.state,
                    receivedBytes: received
                )
            }
        }
    }
}

extension SourceTable.State {
    fileprivate mutating func record(_ bytes: Int64, from id: SourceID) {
        received[id, default: 0] += bytes
        contributors.insert(id)
        if list[id].state.reason == nil { list.recordUsed(id) }
    }
}

/// The first answer of a source that agreed.
private struct MatchingResponse {
    let response: OriginResponse
    let total: Int64?

    /// What later answers of the source are judged by. Hardly any source is asked twice, so it is read when it is asked
    /// for.
    var validator: Validator { Validator(response, total: total) }
}
