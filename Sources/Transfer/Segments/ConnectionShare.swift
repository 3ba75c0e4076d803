import Core
import Linux
import TransferRules

/// The share of a file that a connection fetches.
struct ConnectionShare: WriterShare {
    let connection: ConnectionID
    /// The assigned bytes; nil if they are all up to ``limit``.
    let assignment: ShareAssignment?
    /// The offset after the last byte of the response. The writer continues up to it if no other connection fetches the
    /// bytes.
    let limit: Int64
    let plan: SharedPlan
    let part: PartFile
    let digester: Digester?
    let pool: BlockingPool
    let meter: ProgressMeter

    func begin(_ setEnd: (Int64) -> Void) {
        guard let assignment else { return setEnd(limit) }
        plan.begin(assignment) { setEnd(min($0, limit)) }
    }

    func extend(_ setEnd: (Int64) -> Void) { plan.extend(connection, upTo: limit, setEnd) }

    func advance(to position: Int64, _ digests: [BlockDigest]) {
        let written = plan.advance(connection, to: position, digests)
        digester?.advance(to: written.contiguousEnd)
        meter.advance(to: written.bytes, connections: written.connections)
    }

    func startWriteback(_ range: Range<Int64>) {
        pool.submit { [part] in
            part.startWriteback(offset: range.lowerBound, length: range.upperBound - range.lowerBound)
        }
    }
}
