public import Model
import Store
import Transfers

extension DownloadService {
    /// The hosts of which something is known, in the order of their authorities, those after `authority` if one is
    /// given.
    public func hosts(after authority: String?, limit: Int) async throws(JobError) -> [HostView] {
        let (stored, live) = (try await storedHosts(), engine.hosts.snapshots)
        let authorities = Set(stored.keys).union(live.keys).filter { $0 > authority ?? "" }
        return authorities.sorted().prefix(limit).map { authority in
            view(authority, live[authority] ?? engine.hosts.snapshot(of: authority), stored[authority])
        }
    }

    /// What is known of a host.
    ///
    /// - Throws: ``JobError/notFound`` where nothing is.
    public func host(_ authority: String) async throws(JobError) -> HostView {
        let stored = try await storedHosts()[authority]
        guard stored != nil || engine.hosts.knows(authority) else { throw .notFound }
        return view(authority, engine.hosts.snapshot(of: authority), stored)
    }

    /// The same, also where nothing is known of it.
    func currentHost(_ authority: String) async throws(JobError) -> HostView {
        view(authority, engine.hosts.snapshot(of: authority), try await storedHosts()[authority])
    }

    private func storedHosts() async throws(JobError) -> [String: StoredHost] {
        let now = time.now
        let hosts = try await stored { try await store.hosts(now: now) }
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
