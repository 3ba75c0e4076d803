public import Core

extension JSONFormat<String> {
    static var webhookDescription: Self { description(atMost: 256) }
}

extension JSONFormat<Int> {
    /// Deliveries per second.
    static var deliveryRate: Self { integer(1...1000) }
}

extension JSONFormat<SessionFilter> {
    static var sessionFilter: Self {
        parsed(SessionFilter.init, expected: "the name of a session, or the beginning of names and '*'")
    }
}

/// The members of webhooks.
extension ObjectReader {
    private static let maximumPatterns = 32

    mutating func eventTypes() -> [EventPattern]? {
        guard let items = items("types", atMost: Self.maximumPatterns, "patterns") else { return nil }
        if items.isEmpty {
            refuse("types", .required, "Expected at least one event type, or null for the default types.")
        }
        return items.compactMap { $0.eventPattern() }
    }

    mutating func labelsFilter() -> JSONText? { clientObject("labels_filter", .labels) }

    /// - Parameter allowsNull: Whether the value of a field may be null.
    mutating func webhookHeaders(allowsNull: Bool) -> [HeaderPatch.Change] {
        guard let value = present("request_headers") else { return [] }
        let fields = RequestHeaderRules.read(value, allowsNull: allowsNull) ?? []
        for field in fields where WebhookRules.isReserved(field.name) {
            let place = value.pointer.appending(field.name)
            value.violations.add(Violation(place, .forbidden, RequestHeaderRules.reserved))
        }
        return fields.map { HeaderPatch.Change(name: $0.name, value: $0.value) }
    }
}

extension ValueReader {
    fileprivate func eventPattern() -> EventPattern? {
        guard let text = string() else { return nil }
        if let pattern = EventPattern(text), !pattern.types.isEmpty { return pattern }
        let detail =
            text == EventPattern.progress
            ? "Only streams report progress. Name another event type."
            : "Expected a type, such as download.completed, or download.*"
        refuse(.unknownWord, detail)
        return nil
    }
}

/// The rules for the header fields of deliveries.
enum WebhookRules {
    private static let reserved: Set<String> = ["content-type", "user-agent"]

    /// Whether every delivery has this field already. Case is ignored.
    static func isReserved(_ name: String) -> Bool {
        let name = name.lowercased()
        return reserved.contains(name) || name.hasPrefix("webhook-")
    }
}

/// The body of `POST /webhooks/{id}/recover`.
public struct RecoverBody: Hashable, Sendable {
    /// The time range of the events: from `since`, before `until`.
    public var since: Timestamp
    public var until: Timestamp?
    public var states: [DeliveryState]

    /// The states of deliveries that no receiver has accepted.
    static let recoverable: [DeliveryState] = [.failed, .disabled, .aborted, .pending]

    public init(parsing bytes: [UInt8]) throws(BodyError) {
        var reader = try ObjectReader(body: bytes)
        reader.require("created_after")
        since = reader.instant("created_after") ?? Timestamp(milliseconds: 0)
        until = reader.instant("created_before")
        states = reader.recoverableStates() ?? [.failed, .disabled, .pending]
        try reader.close()
    }
}

extension ObjectReader {
    fileprivate mutating func recoverableStates() -> [DeliveryState]? {
        guard let items = items("state", atMost: RecoverBody.recoverable.count, "states") else { return nil }
        if items.isEmpty { refuse("state", .required, "Expected at least one state.") }
        return items.compactMap { item in
            guard let text = item.string() else { return nil }
            if let state = RecoverBody.recoverable.first(where: { $0.rawValue == text }) { return state }
            let words = RecoverBody.recoverable.map(\.rawValue).joined(separator: ", ")
            item.refuse(.unknownWord, "Expected one of: \(words).")
            return nil
        }
    }
}
