import Core
import Synchronization
import Transfer

/// Until when the claims of hosts are deferred, as recorded in the store by this process or an earlier one.
final class HostDeferrals: Sendable {
    private struct Entry {
        var until: Timestamp
        /// Whether an earlier process recorded it. Its reason is not known any more.
        let isRecalled: Bool
    }

    private let entries = Mutex<[String: Entry]>([:])

    /// Records a deferral of this process. An earlier end is ignored, as in the store.
    func record(_ authority: String, until: Timestamp) {
        entries.withLock { entries in
            let longest = max(entries[authority]?.until ?? until, until)
            entries[authority] = Entry(until: longest, isRecalled: false)
        }
    }

    /// Takes over the deferrals of an earlier process.
    func recall(_ recalled: [(authority: String, until: Timestamp)]) {
        entries.withLock { entries in
            for (authority, until) in recalled where entries[authority] == nil {
                entries[authority] = Entry(until: until, isRecalled: true)
            }
        }
    }

    /// The end of a host's deferral; nil if there is none.
    func end(of authority: String, now: Timestamp) -> Timestamp? {
        entries.withLock { entries in
            guard let until = entries[authority]?.until, until > now else { return nil }
            return until
        }
    }

    /// Removes the deferrals that have ended, and those of this process for hosts that may be asked again.
    ///
    /// - Returns: The hosts whose deferral must be removed from the store.
    func removeEnded(now: Timestamp, _ hosts: HostTable) -> [String] {
        entries.withLock { entries in
            entries = entries.filter { $0.value.until > now }
            let lifted = entries.filter { !$0.value.isRecalled && hosts.snapshot(of: $0.key).heldUntil == nil }
            for authority in lifted.keys { entries[authority] = nil }
            return Array(lifted.keys)
        }
    }
}
