import Core
import Curl
import Synchronization
import TransferRules

/// The sources of a running download, shared by its connections. Chooses the source of the next connection and counts
/// the bytes from each.
final class SourceTable: Sendable {
    /// A connection that receives a response body.
    fileprivate struct Receipt {
        let source: SourceID
        /// The host that sends the response.
        let authority: String
        let exchange: Exchange
        let began: Duration
        /// Whether this connection was chosen to be closed.
        var isLeaving = false

        /// The average rate over the life of the connection, in bytes per second.
        func rate(at now: Duration) -> Double {
            Double(exchange.receivedBytes) / max((now - began).inSeconds, .leastNormalMagnitude)
        }
    }

    /// What a source has sent.
    fileprivate struct Record {
        /// The first accepted response.
        var response: MatchingResponse?
        var finalURL: DownloadURL?
        /// The bytes of its connections that have ended.
        var received: Int64 = 0
        /// Whether it supplied bytes of the current generation.
        var hasContributed = false
    }

    fileprivate struct State {
        var list: SourceList
        /// By the index of the source. Sources after the last one that has sent something have no record: most
        /// downloads use one source, and a dictionary takes twice the memory for it.
        var records: [Record] = []
        var receipts: [ConnectionID: Receipt] = [:]

        init(list: SourceList) { self.list = list }

        subscript(id: SourceID) -> Record {
            get { records.indices.contains(id.index) ? records[id.index] : Record() }
            set {
                while records.count <= id.index { records.append(Record()) }
                records[id.index] = newValue
            }
        }
    }

    private let state: Mutex<State>
    private let time: TimeSource

    init(_ urls: [DownloadURL], time: TimeSource) {
        self.time = time
        state = Mutex(State(list: SourceList(urls)))
    }

    // MARK: - Sources

    var ids: [SourceID] { state.withLock { $0.list.ids } }

    var count: Int { state.withLock { $0.list.entries.count } }

    /// A copy; the connections continue to change the original.
    var list: SourceList { state.withLock { $0.list } }

    func url(of id: SourceID) -> DownloadURL { state.withLock { $0.list[id].url } }

    func id(of url: DownloadURL) -> SourceID? { state.withLock { $0.list.id(of: url) } }

    func append(_ urls: [DownloadURL]) {
        state.withLock { state in
            for url in urls { state.list.append(url) }
        }
    }

    /// Replaces the sources. No stored byte may come from the old ones.
    func replace(with urls: [DownloadURL]) {
        state.withLock { $0 = State(list: SourceList(urls)) }
    }

    /// The hosts of a source: the host of its URL, and the host after redirects.
    func authorities(of id: SourceID) -> Set<String> {
        state.withLock { state in
            Set([state.list[id].url.authority, state[id].finalURL?.authority].compactMap(\.self))
        }
    }

    func finalURL(of id: SourceID) -> DownloadURL? { state.withLock { $0[id].finalURL } }

    // MARK: - Selection

    /// Chooses the source of another connection. The connection counts until ``recordClosed(_:)``.
    func choose(where mayServe: (SourceID) -> Bool) -> SourceID? {
        measure()
        let list = state.withLock { $0.list }
        guard let id = list.next(at: time.elapsed, where: mayServe) else { return nil }
        recordOpened(id)
        return id
    }

    func isLeft(_ id: SourceID) -> Bool { sourceState(of: id).reason != nil }

    /// The number of connections to the source.
    func connections(of id: SourceID) -> Int { state.withLock { $0.list[id].connections } }

    /// The maximum number of connections that the source accepts, learned from a refusal; nil if it refused none.
    func limit(of id: SourceID) -> Int? { state.withLock { $0.list[id].limit } }

    /// The validator of the source's first accepted response; nil before that response.
    func validator(of id: SourceID) -> Validator? { state.withLock { $0[id].response }?.validator }

    func sourceState(of id: SourceID) -> SourceState { state.withLock { $0.list[id].state } }

    /// The stored state for planning a request to a source and validating its response.
    ///
    /// - Parameters:
    ///   - stored: The stored state of the file.
    ///   - representation: The source whose response defines the file; its validator is in `stored`.
    func state(
        of id: SourceID,
        _ stored: StoredState,
        from representation: SourceID?,
        _ agreement: SourceAgreement
    ) -> StoredState {
        guard id != representation, stored.validator != nil else { return stored }
        return stored.requestState(forAnother: validator(of: id), agreement)
    }

    // MARK: - Results

    func recordOpened(_ id: SourceID) { state.withLock { $0.list.recordOpened(id) } }

    func recordClosed(_ id: SourceID) { state.withLock { $0.list.recordClosed(id) } }

    /// Records an accepted response.
    func recordAccepted(_ response: OriginClient.Response, of id: SourceID, total: Int64?) {
        state.withLock { state in
            state[id].finalURL = response.finalURL
            if state[id].response == nil {
                state[id].response = MatchingResponse(response: response.metadata, total: total)
            }
        }
    }

    func recordFailure(_ id: SourceID) {
        let now = time.elapsed
        state.withLock { $0.list.recordFailure(id, at: now) }
    }

    /// Records a refused connection. The count still includes this connection.
    func recordRefusal(_ id: SourceID, _ decision: ResponseDecision) {
        let now = time.elapsed
        state.withLock { state in
            let others = max(state.list[id].connections - 1, 0)
            state.list.recordRefusal(id, decision, others: others, at: now)
        }
    }

    /// Stops using a source whose only connection received almost nothing.
    func recordSlow(_ id: SourceID) {
        state.withLock { state in
            if state.list[id].connections <= 1 { state.list.leave(id, .slow) }
        }
    }

    func restart() {
        state.withLock { state in
            state.list.restart()
            for index in state.records.indices {
                state.records[index].response = nil
                state.records[index].hasContributed = false
            }
        }
    }

    /// Chooses the slowest connections to a host, to be closed. Connections already chosen count towards `count`, and
    /// at least one connection of the download is kept.
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

    // MARK: - Received bytes

    func begin(_ connection: ConnectionID, _ id: SourceID, at authority: String, _ exchange: Exchange) {
        let receipt = Receipt(source: id, authority: authority, exchange: exchange, began: time.elapsed)
        state.withLock { $0.receipts[connection] = receipt }
    }

    /// - Parameter hasBegun: Whether a byte was received.
    /// - Returns: Whether the connection was chosen to be closed.
    func end(_ connection: ConnectionID, hasBegun: Bool) -> Bool {
        measure()
        return state.withLock { state in
            guard let receipt = state.receipts.removeValue(forKey: connection) else { return false }
            if hasBegun { state.record(receipt.exchange.receivedBytes, from: receipt.source) }
            return receipt.isLeaving
        }
    }

    /// Records bytes that no connection has counted, because they were received in memory.
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

    /// The hosts that send response bodies now.
    var receivingAuthorities: [ConnectionID: String] { state.withLock { $0.receipts.mapValues(\.authority) } }

    /// The sources that supplied bytes of the current generation.
    var contributors: Set<SourceID> {
        state.withLock { state in Set(state.list.ids.filter { state[$0].hasContributed }) }
    }

    var readings: [SourceSnapshot] {
        state.withLock { state in
            state.list.ids.map { id in
                let inFlight = state.receipts.values.filter { $0.source == id }.map(\.exchange.receivedBytes)
                let received = inFlight.reduce(state[id].received, +)
                let entry = state.list[id]
                let isUsed = received > 0 && entry.state == .unused
                return SourceSnapshot(
                    url: entry.url,
                    state: isUsed ? .used : entry.state,
                    receivedBytes: received
                )
            }
        }
    }
}

extension SourceTable.State {
    fileprivate mutating func record(_ bytes: Int64, from id: SourceID) {
        self[id].received += bytes
        self[id].hasContributed = true
        if list[id].state.reason == nil { list.recordUsed(id) }
    }
}

/// The first accepted response of a source.
private struct MatchingResponse {
    let response: OriginResponse
    let total: Int64?

    /// The validator for later responses of the source. It is computed on demand, because few sources get a second
    /// request.
    var validator: Validator { Validator(response, total: total) }
}
