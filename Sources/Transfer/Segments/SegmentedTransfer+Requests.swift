import Core
import Curl
import Linux
import TransferRules

/// The requests of connections, and the writers for their responses.
extension SegmentedTransfer {
    /// The proof that another source has the same bytes.
    private var agreement: SourceAgreement {
        SourceAgreement(file.stored.validator, hasDigest: !file.digests.isEmpty)
    }

    /// The stored state for planning requests to a source and validating its responses.
    func state(of source: SourceID) -> StoredState {
        var state = file.stored
        state.apply(context.hosts.ifRange(of: sources.url(of: source).authority), at: context.time.now)
        return sources.state(of: source, state, from: file.representation, agreement)
    }

    /// The next share for an idle connection.
    func nextShare(for connection: ConnectionID, isOpen: Bool) -> ShareAssignment? {
        plan.nextShare(for: connection, isOpen: isOpen, minimum: settings.ramp.minimumShare, parts: file.ceiling)
    }

    /// The range request for a share, with a condition that the file has not changed.
    func request(for next: ShareAssignment, _ state: StoredState) -> SentRequest {
        let range =
            switch next {
            case .fetch(let share): share.start..<share.end
            case .split(let split): split.proposedEnd..<split.end
            }
        let plan = ResumePlan(resuming: state, at: range.lowerBound, through: range.upperBound - 1)
        return SentRequest(plan, segmentIndex: 1) ?? SentRequest(segmentIndex: 1)
    }

    /// Whether a validator or digest can prove that ranges of a source belong to the file.
    private func mayServe(_ source: SourceID) -> Bool {
        guard source == file.representation else { return agreement != .none }
        switch file.stored.validator?.strength {
        case .entityTag, .date: return !file.stored.hostHasNoRanges
        case .dateBesideWeakTag, .some(.none), nil: return false
        }
    }

    /// The maximum number of connections to all sources together. Sources of the same host share the host's limit.
    var hostConnectionLimit: Int {
        let sharing = Dictionary(grouping: sources.ids.filter { mayContinue(with: $0) }, by: sources.authorities)
        let limits = sharing.map { authorities, ids in
            min(
                connectionLimit(of: authorities),
                ids.reduce(0) { $0 + min(sources.limit(of: $1) ?? file.ceiling, file.ceiling) }
            )
        }
        return min(limits.reduce(0) { $0 + min($1, file.ceiling) }, file.ceiling)
    }

    private func connectionLimit(of source: SourceID) -> Int {
        min(connectionLimit(of: sources.authorities(of: source)), sources.limit(of: source) ?? .max)
    }

    private func connectionLimit(of authorities: Set<String>) -> Int {
        authorities.map { context.hosts.connectionLimit(of: $0, for: context.download.id, enough: file.ceiling) }.min()
            ?? .max
    }

    /// The connections that the host accepted last; nil if they are unknown, or if there are other sources.
    var cachedConnections: ProvenConnections? {
        guard sources.count == 1 else { return nil }
        let all = sources.authorities(of: file.lead).map { context.hosts.provenConnections(at: $0) }
        guard !all.contains(nil) else { return nil }
        return all.compactMap(\.self).min { $0.count < $1.count }
    }

    /// Remembers for later downloads how many connections were useful.
    func recordProven(_ proven: ProvenConnections) {
        guard sources.count == 1 else { return }
        for authority in sources.authorities(of: file.lead) { context.hosts.recordProven(proven, at: authority) }
    }

    /// Records with the hosts that their limits hold the download back.
    func recordDemand() {
        for source in sources.ids where mayContinue(with: source) {
            for authority in sources.authorities(of: source) {
                context.hosts.updateGovernor(authority) { $0.recordDemand(at: $1) }
            }
        }
    }

    /// Records with the hosts that the download needs `count` more connections than were admitted.
    func recordDemand(for count: Int) {
        for source in sources.ids where mayContinue(with: source) {
            guard sources.connections(of: source) < sources.limit(of: source) ?? .max else { continue }
            for authority in sources.authorities(of: source) {
                context.hosts.recordDemand(of: context.download.id, for: count, at: authority)
            }
        }
    }

    /// Closes connections for other downloads that wait for the same hosts.
    func yieldConnections() async {
        for authority in Set(sources.ids.flatMap(sources.authorities)) {
            let surplus = context.hosts.surplus(of: context.download.id, at: authority)
            for exchange in sources.chooseSlowest(surplus, at: authority) { await exchange.discard() }
        }
    }

    /// Whether no other source can be used.
    func isAlone(_ source: SourceID) -> Bool {
        !sources.ids.contains { $0 != source && mayContinue(with: $0) }
    }

    /// Chooses the sources of further connections, as many as their hosts admit.
    ///
    /// - Returns: At most `requested` sources, each counted as an open connection.
    func chooseSources(_ requested: Int) -> [SourceID] {
        var room: [String: Int] = [:]
        var taken: [SourceID] = []
        while taken.count < requested {
            let next = sources.choose { source in
                guard mayServe(source) else { return false }
                let authorities = sources.authorities(of: source)
                for authority in authorities where room[authority] == nil {
                    room[authority] = context.hosts.room(
                        for: requested - taken.count,
                        at: authority,
                        of: context.download.id
                    )
                }
                return authorities.allSatisfy { room[$0] ?? 0 > 0 }
                    && sources.connections(of: source) < connectionLimit(of: source)
            }
            guard let next else { break }
            for authority in sources.authorities(of: next) { room[authority, default: 0] -= 1 }
            taken.append(next)
        }
        return taken
    }

    func send(_ request: SentRequest, _ id: SourceID) async throws(AttemptInterruption) -> OriginClient.Response {
        let storedFrom = id == file.representation ? file.source.finalURL : sources.finalURL(of: id)
        return try await context.origin.send(sources.url(of: id), for: request, storedFrom: storedFrom)
    }

    /// Validates the response of a source, and compares its digests with the expected ones.
    func validate(
        _ response: OriginClient.Response,
        of id: SourceID,
        request: SentRequest,
        _ state: StoredState
    ) -> ResponseDecision {
        let decision = context.origin.validate(response, request: request, stored: state)
        guard case .accept = decision, id != file.representation, response.metadata.digests.contradict(file.digests)
        else {
            return decision
        }
        let refusal = ResponseDecision.restart(.etagChanged, withThisBody: nil)
        response.entry?.recordDecision(refusal)
        return refusal
    }

    /// Whether a connection may take another share from its source.
    func mayContinue(with source: SourceID) -> Bool { mayServe(source) && !sources.isLeft(source) }

    /// - Parameters:
    ///   - assignment: The bytes that the connection may write; nil for all up to `limit`.
    ///   - limit: The offset after the last byte of the response.
    ///   - throttle: nil for bytes that have already passed the rate limits.
    ///   - window: nil for a body that is recorded only at its end.
    func writer(
        for connection: ConnectionID,
        _ assignment: ShareAssignment? = nil,
        from start: Int64,
        limit: Int64,
        throttle: RateThrottle? = nil,
        window: FlushWindow? = nil
    ) -> SegmentWriter {
        let share = ConnectionShare(
            connection: connection,
            assignment: assignment,
            limit: limit,
            plan: plan,
            part: file.part,
            digester: file.digester,
            pool: context.partFolder.pool,
            meter: context.meter
        )
        let limits = SegmentWriter.Limits(
            maxBytes: settings.maxBytes(of: context.download.request),
            window: window,
            throttle: throttle,
            space: plan.isOpenEnded ? SpaceWindow(context.partFolder.space) : nil
        )
        let run = context.checkpointSink.storesBlocks ? plan.removeRun(from: start) : nil
        return SegmentWriter(file: file.part.file, from: start, share, limits, blockRun: run)
    }

    func flusher(_ window: FlushWindow?) -> Flusher {
        Flusher(
            storage: file.storage,
            time: context.time,
            plan: plan,
            window: window,
            checkpointSink: context.checkpointSink
        ) { [self] segments, blocks in
            Checkpoint(
                generation: file.generation,
                source: file.source,
                totalBytes: file.stored.total,
                segments: segments,
                blocks: blocks,
                isProgress: !file.isRefetching
            )
        }
    }
}
