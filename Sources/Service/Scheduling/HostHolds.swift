import Core
import Synchronization
import Transfer

/// Until when the claims of hosts are deferred, as recorded in the store by this process or an earlier one.
final class HostHolds: Sendable {
    private struct Hold {
        var until: Timestamp
        /// Whether an earlier process recorded it. Its reason is not known any more.
        let isRecalled: Bool
    }

    private let holds = Mutex<[String: Hold]>([:])

    /// Records a deferral of this process. An earlier end is ignored, as in the store.
    func record(_ authority: String, until: Timestamp) {
        holds.withLock { holds in
            let longest = max(holds[authority]?.until ?? until, until)
            holds[authority] = Hold(until: longest, isRecalled: false)
        }
    }

    /// Takes over the deferrals of an earlier process.
    func recall(_ recalled: [(authority: String, until: Timestamp)]) {
        holds.withLock { holds in
            for (authority, until) in recalled where holds[authority] == nil {
                holds[authority] = Hold(until: until, isRecalled: true)
            }
        }
    }

    /// The end of a host's deferral; nil if there is none.
    func end(of authority: String, now: Timestamp) -> Timestamp? {
        holds.withLock { holds in
            guard let until = holds[authority]?.until, until > now else { return nil }
            return until
        }
    }

    /// Removes the deferrals that have ended, and those of this process for hosts that may be asked again.
    ///
    /// - Returns: The hosts whose deferral must be removed from the store.
    func removeEnded(now: Timestamp, _ hosts: HostTable) -> [String] {
        holds.withLock { holds in
            holds = holds.filter { $0.value.until > now }
            let lifted = holds.filter { !$0.value.isRecalled && hosts.snapshot(of: $0.key).heldUntil == nil }
            for authority in lifted.keys { holds[authority] = nil }
            return Array(lifted.keys)
        }
    }
}
