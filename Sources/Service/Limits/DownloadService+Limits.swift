public import Core
import Curl
import Store
import Transfer

extension DownloadService {
    /// The rate limits of the service and of hosts. Sessions and downloads have limits of their own.
    public var limits: LimitsView { rates.view }

    /// Sets limits that replace settings, effective immediately. The limits of individual hosts are kept.
    public func changeLimits(
        _ edit: LimitsEdit,
        expectedRevision: Int64?
    ) async throws -> LimitsView {
        let now = time.now
        let change = try await store.changeLimits(edit, expectedRevision: expectedRevision, now: now)
        switch change {
        case .done(let stored):
            rates.adopt(stored)
            return rates.view
        case .unexpected(let revision): throw ServiceError.revisionMismatch(current: revision)
        }
    }

    /// Sets or removes a host's own limit, which replaces the common one, effective immediately.
    ///
    /// - Parameters:
    ///   - authority: `host:port`, in the form by which downloads are counted.
    ///   - bytesPerSecond: The limit for all downloads of the host together; nil for the common limit.
    /// - Throws: ``ServiceError/notFound`` if `authority` does not have this form.
    public func changeHost(
        _ authority: String,
        bytesPerSecond: DownloadEdit.Change<Int64>?
    ) async throws -> HostView {
        guard Self.isAuthority(authority) else { throw ServiceError.notFound }
        if let bytesPerSecond {
            let now = time.now
            rates.adopt(
                try await store.setRate(ofHost: authority, to: bytesPerSecond.value, now: now)
            )
        }
        return try await currentHost(authority)
    }

    /// Whether `text` is the authority of an http or https URL, as `host:port`.
    private static func isAuthority(_ text: String) -> Bool {
        ["http", "https"].contains { scheme in
            (try? GivenURL(parsing: "\(scheme)://\(text)/"))?.url.authority == text
        }
    }
}

extension DownloadService {
    /// The known hosts, ordered by authority; only those after `authority` if it is given.
    public func hosts(after authority: String?, limit: Int) async throws -> [HostView] {
        let (stored, current) = (try await storedHosts(), engine.hosts.snapshots)
        let authorities = Set(stored.keys).union(current.keys).filter { $0 > authority ?? "" }
        return authorities.sorted().prefix(limit).map { authority in
            view(authority, current[authority] ?? engine.hosts.snapshot(of: authority), stored[authority])
        }
    }

    /// The data about a host.
    ///
    /// - Throws: ``ServiceError/notFound`` if there is none.
    public func host(_ authority: String) async throws -> HostView {
        let stored = try await storedHosts()[authority]
        guard stored != nil || engine.hosts.knows(authority) else { throw ServiceError.notFound }
        return view(authority, engine.hosts.snapshot(of: authority), stored)
    }

    /// The data about a host, which may be empty.
    func currentHost(_ authority: String) async throws -> HostView {
        view(authority, engine.hosts.snapshot(of: authority), try await storedHosts()[authority])
    }

    private func storedHosts() async throws -> [String: StoredHost] {
        let now = time.now
        let hosts = try await store.hosts(now: now)
        return Dictionary(hosts.map { ($0.authority, $0) }) { $1 }
    }

    private func view(_ authority: String, _ snapshot: HostSnapshot, _ stored: StoredHost?) -> HostView {
        HostView(
            authority: authority,
            snapshot: snapshot,
            claimsDeferredUntil: stored?.heldUntil,
            refusesRangesUntil: stored?.refusesRangesUntil,
            bytesPerSecond: stored?.bytesPerSecond
        )
    }
}
