@testable import Core
@testable import HTTPFields
@testable import TransferRules

/// What tests look at and the service has no need of.
extension SegmentPlan {
    /// The bytes that would survive the loss of power.
    var durableBytes: Int64 { planned.reduce(0) { $0 + $1.durableEnd - $1.start } }

    /// Whether every byte would survive the loss of power.
    var isDurable: Bool { planned.allSatisfy { $0.durableEnd == $0.end } }

    /// Whether bytes are missing that no connection fetches.
    var hasGap: Bool { firstGap != nil }

    /// The bytes that the connection has left; nil where it has no share.
    func remaining(of connection: ConnectionID) -> Int64? {
        place(of: connection).map { planned[$0].remaining }
    }
}
