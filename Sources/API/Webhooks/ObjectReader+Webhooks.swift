public import Core

/// The members of webhooks.
extension ObjectReader {
    private static let maximumDescriptionLength = 256
    private static let maximumPatterns = 32
    private static let maximumIDs = 16
    static let highestRate: Int64 = 1000

    mutating func webhookDescription(_ list: inout ViolationList) -> String? {
        guard let text = string("description", &list) else { return nil }
        if text.unicodeScalars.count > Self.maximumDescriptionLength {
            let detail = "Expected at most \(Self.maximumDescriptionLength) characters."
            list.add(pointer.appending("description"), .tooLong, detail)
        }
        return text
    }

    mutating func eventTypes(_ list: inout ViolationList) -> [EventPattern]? {
        guard let items = array("types", atMost: Self.maximumPatterns, "patterns", &list) else { return nil }
        if items.isEmpty {
            list.add(
                pointer.appending("types"),
                .required,
                "Expected at least one event type, or null for the default types."
            )
        }
        return items.compactMap { item, place in
            guard case .string(let text) = item else {
                list.addWrongType(place, expected: "a string", found: item)
                return nil
            }
            if let pattern = EventPattern(text), !pattern.types.isEmpty { return pattern }
            let detail =
                text == EventPattern.progress
                ? "Only streams report progress. Name another event type."
                : "Expected a type, such as download.completed, or download.*"
            list.add(place, .unknownWord, detail)
            return nil
        }
    }

    /// The member `webhook_ids`.
    mutating func webhookIDs(_ list: inout ViolationList) -> [WebhookID]? {
        guard let items = array("webhook_ids", atMost: Self.maximumIDs, "webhooks", &list) else { return nil }
        var ids: [WebhookID] = []
        for (item, place) in items {
            guard case .string(let text) = item else {
                list.addWrongType(place, expected: "a string", found: item)
                continue
            }
            guard let id = WebhookID(text) else {
                list.add(place, .malformed, "Expected the id of a webhook.")
                continue
            }
            if ids.contains(id) { list.add(place, .malformed, "The list has this id twice.") }
            ids.append(id)
        }
        return ids
    }

    mutating func sessionFilter(_ list: inout ViolationList) -> SessionFilter? {
        guard let text = string("session_filter", &list) else { return nil }
        if let filter = SessionFilter(text) { return filter }
        let detail = "Expected the name of a session, or the beginning of names and '*'."
        list.add(pointer.appending("session_filter"), .malformed, detail)
        return nil
    }

    mutating func labelsFilter(_ list: inout ViolationList) -> JSONText? {
        guard let value = present("labels_filter") else { return nil }
        let pointer = pointer.appending("labels_filter")
        guard case .object(let members) = value else {
            list.addWrongType(pointer, expected: "an object", found: value)
            return nil
        }
        return ClientObject.labels.text(of: members, at: pointer, &list)
    }

    mutating func deliveryRate(_ list: inout ViolationList) -> Int? {
        integer("rate_limit_per_second", in: 1...Self.highestRate, &list).map { Int($0) }
    }

    /// - Parameter allowsNull: Whether the value of a field may be null.
    mutating func webhookHeaders(allowsNull: Bool, _ list: inout ViolationList) -> [HeaderPatch.Change] {
        guard let value = present("request_headers") else { return [] }
        let pointer = pointer.appending("request_headers")
        let fields = RequestHeaderRules.read(value, allowsNull: allowsNull, at: pointer, &list) ?? []
        for field in fields where WebhookRules.isReserved(field.name) {
            list.add(
                pointer.appending(field.name),
                .forbidden,
                "The service sets this header field itself. Leave it out."
            )
        }
        return fields.map { HeaderPatch.Change(name: $0.name, value: $0.value) }
    }

    /// The secret as text, with or without its prefix. The service validates it.
    mutating func secret(_ list: inout ViolationList) -> String? {
        string("secret", &list)
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
        var list = ViolationList()
        var reader = try ObjectReader(body: bytes)
        reader.require("created_after", &list)
        since = reader.instant("created_after", &list) ?? Timestamp(milliseconds: 0)
        until = reader.instant("created_before", &list)
        states = reader.recoverableStates(&list) ?? [.failed, .disabled, .pending]
        try reader.close(&list)
    }
}

extension ObjectReader {
    fileprivate mutating func recoverableStates(_ list: inout ViolationList) -> [DeliveryState]? {
        guard let items = array("state", atMost: RecoverBody.recoverable.count, "states", &list) else { return nil }
        if items.isEmpty { list.add(pointer.appending("state"), .required, "Expected at least one state.") }
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
