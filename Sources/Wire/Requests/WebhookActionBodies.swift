public import Model

/// The body of `POST /webhooks/{id}/rotate-secret`; without one, all of it is left to the service.
public struct RotateSecretBody: Hashable, Sendable {
    /// For how long the secret before signs too.
    public var grace: Duration
    /// The new secret; nil has one made.
    public var secret: String?
    /// Whether the secret before may go although it has not expired.
    public var isForced: Bool

    static let usualGrace: Int64 = 86_400
    static let longestGrace: Int64 = 7 * 86_400

    public init(parsing bytes: [UInt8]) throws(BodyFault) {
        var list = ViolationList()
        var reader = try ObjectReader(body: bytes)
        grace = .seconds(reader.grace(&list) ?? Self.usualGrace)
        secret = reader.secret(&list)
        isForced = reader.bool("force", &list) ?? false
        try reader.close(&list)
    }
}

/// The body of `POST /webhooks/{id}/recover`.
public struct RecoverBody: Hashable, Sendable {
    /// When the events happened: from this instant on, and before the other.
    public var since: Timestamp
    public var until: Timestamp?
    public var states: [DeliveryState]

    /// In which states a delivery was not taken, or not yet.
    static let recoverable: [DeliveryState] = [.failed, .disabled, .aborted, .pending]

    public init(parsing bytes: [UInt8]) throws(BodyFault) {
        var list = ViolationList()
        var reader = try ObjectReader(body: bytes)
        reader.require("since", &list)
        since = reader.instant("since", &list) ?? Timestamp(milliseconds: 0)
        until = reader.instant("until", &list)
        states = reader.recoverableStates(&list) ?? [.failed, .disabled, .pending]
        try reader.close(&list)
    }
}

extension ObjectReader {
    fileprivate mutating func grace(_ list: inout ViolationList) -> Int64? {
        guard let text = string("grace", &list) else { return nil }
        guard let seconds = ISODuration.seconds(text) else {
            list.add(pointer.appending("grace"), .malformed, "Expected a duration such as PT24H.")
            return nil
        }
        guard seconds <= RotateSecretBody.longestGrace else {
            list.add(pointer.appending("grace"), .outOfRange, "Expected P7D at the most.")
            return nil
        }
        return seconds
    }

    fileprivate mutating func recoverableStates(_ list: inout ViolationList) -> [DeliveryState]? {
        guard let items = array("states", atMost: RecoverBody.recoverable.count, "states", &list) else { return nil }
        if items.isEmpty { list.add(pointer.appending("states"), .required, "Name a state.") }
        return items.compactMap { item, place in
            guard case .string(let text) = item else {
                list.addWrongType(place, expected: "a string", found: item)
                return nil
            }
            if let state = RecoverBody.recoverable.first(where: { $0.rawValue == text }) { return state }
            let words = RecoverBody.recoverable.map(\.rawValue).joined(separator: ", ")
            list.add(place, .unknownWord, "Expected one of: \(words).")
            return nil
        }
    }
}
