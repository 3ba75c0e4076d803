public import Core
import Store
import Transfer

extension DownloadService {
    /// The limits on the rate that are not those of one session or download.
    public var limits: LimitsView { rates.view }

    /// Sets limits that replace settings. They apply at once; the limits of single hosts stay.
    public func changeLimits(
        _ edit: LimitsEdit,
        expectedRevision: Int64?
    ) async throws(ServiceError) -> LimitsView {
        let now = time.now
        let change = try await mappingStoreErrors {
            try await store.changeLimits(edit, expectedRevision: expectedRevision, now: now)
        }
        switch change {
        case .done(let stored):
            rates.adopt(stored)
            return rates.view
        case .unexpected(let revision): throw .revisionMismatch(current: revision)
        }
    }

    /// Gives a host a limit of its own in place of the common one, or takes it away. It holds at once.
    ///
    /// - Parameters:
    ///   - authority: `host:port`, in the form that downloads are counted by.
    ///   - bytesPerSecond: What its downloads together may take; nil for the common limit.
    /// - Throws: ``ServiceError/notFound`` for what is no such authority.
    public func changeHost(
        _ authority: String,
        bytesPerSecond: DownloadEdit.Change<Int64>?
    ) async throws(ServiceError) -> HostView {
        guard Self.isAuthority(authority) else { throw .notFound }
        if let bytesPerSecond {
            let now = time.now
            rates.adopt(
                try await mappingStoreErrors {
                    try await store.setRate(ofHost: authority, to: bytesPerSecond.value, now: now)
                }
            )
        }
        return try await currentHost(authority)
    }

    /// Whether an http or https URL has exactly this authority, written as `host:port`.
    private static func isAuthority(_ text: String) -> Bool {
        ["http", "https"].contains { scheme in
            (try? GivenURL(parsing: "\(scheme)://\(text)/"))?.url.authority == text
        }
    }
}

extension DownloadService {
    /// The hosts of which something is known, in the order of their authorities, those after `authority` if one is
    /// given.
    public func hosts(after authority: String?, limit: Int) async throws(ServiceError) -> [HostView] {
        let (stored, current) = (try await storedHosts(), engine.hosts.snapshots)
        let authorities = Set(stored.keys).union(current.keys).filter { $0 > authority ?? "" }
        return authorities.sorted().prefix(limit).map { authority in
            view(authority, current[authority] ?? engine.hosts.snapshot(of: authority), stored[authority])
        }
    }

    /// What is known of a host.
    ///
    /// - Throws: ``ServiceError/notFound`` where nothing is.
    public func host(_ authority: String) async throws(ServiceError) -> HostView {
        let stored = try await storedHosts()[authority]
        guard stored != nil || engine.hosts.knows(authority) else { throw .notFound }
        return view(authority, engine.hosts.snapshot(of: authority), stored)
    }

    /// The same, also where nothing is known of it.
    func currentHost(_ authority: String) async throws(ServiceError) -> HostView {
        view(authority, engine.hosts.snapshot(of: authority), try await storedHosts()[authority])
    }

    private func storedHosts() async throws(ServiceError) -> [String: StoredHost] {
        let now = time.now
        let hosts = try await mappingStoreErrors { try await store.hosts(now: now) }
        return Dictionary(hosts.map { ($0.authority, $0) }) { $1 }
    }

    private func view(_ authority: String, _ snapshot: HostSnapshot, _ stored: StoredHost?) -> HostView {
        HostView(
            authority: authority,
            snapshot: snapshot,
            claimsHeldUntil: stored?.heldUntil,
            refusesRangesUntil: stored?.refusesRangesUntil,
            bytesPerSecond: stored?.bytesPerSecond
        )
    }
}
