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
        let value: JSONValue
        do throws(JSONFault) { value = try JSONValue(parsing: bytes) } catch { throw .json(error) }
        var list = ViolationList()
        guard var reader = ObjectReader(value, at: .root, &list) else { throw .violations(list.violations) }
        grace = .seconds(reader.grace(&list) ?? Self.usualGrace)
        secret = reader.secret(&list)
        isForced = reader.bool("force", &list) ?? false
        reader.finish(&list)
        try list.throwIfAny()
    }
}

/// The body of `POST /webhooks/{id}/recover`.
public struct RecoverBody: Hashable, Sendable {
    /// When the events happened: from this instant on, and before the other.
    public var since: Timestamp
    public var until: Timestamp?
    public var states: [DeliveryState]

    /// In which states a delivery has ended without being taken.
    static let recoverable: [DeliveryState] = [.failed, .disabled, .aborted]

    public init(parsing bytes: [UInt8]) throws(BodyFault) {
        let value: JSONValue
        do throws(JSONFault) { value = try JSONValue(parsing: bytes) } catch { throw .json(error) }
        var list = ViolationList()
        guard var reader = ObjectReader(value, at: .root, &list) else { throw .violations(list.violations) }
        reader.require("since", &list)
        since = reader.instant("since", &list) ?? Timestamp(milliseconds: 0)
        until = reader.instant("until", &list)
        states = reader.recoverableStates(&list) ?? [.failed, .disabled]
        reader.finish(&list)
        try list.throwIfAny()
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
        guard let value = present("states") else { return nil }
        let pointer = pointer.appending("states")
        guard case .array(let items) = value else {
            list.addWrongType(pointer, expected: "an array", found: value)
            return nil
        }
        if items.isEmpty { list.add(pointer, .required, "Name a state.") }
        if items.count > RecoverBody.recoverable.count {
            list.add(pointer, .tooMany, "At most \(RecoverBody.recoverable.count) states.")
        }
        return items.prefix(RecoverBody.recoverable.count).enumerated().compactMap { index, item in
            let place = pointer.appending("\(index)")
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
