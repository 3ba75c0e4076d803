import Model

/// The members of webhooks.
extension ObjectReader {
    private static let maximumDescriptionLength = 256
    private static let maximumPatterns = 32
    private static let maximumIDs = 16
    static let highestRate: Int64 = 1000

    mutating func webhookDescription(_ list: inout ViolationList) -> String? {
        guard let text = string("description", &list) else { return nil }
        if text.unicodeScalars.count > Self.maximumDescriptionLength {
            let detail = "A description has at most \(Self.maximumDescriptionLength) characters."
            list.add(pointer.appending("description"), .tooLong, detail)
        }
        return text
    }

    mutating func eventTypes(_ list: inout ViolationList) -> [EventPattern]? {
        guard let items = array("event_types", atMost: Self.maximumPatterns, "patterns", &list) else { return nil }
        if items.isEmpty {
            list.add(pointer.appending("event_types"), .required, "Name a type, or null for those of the default.")
        }
        return items.compactMap { item, place in
            guard case .string(let text) = item else {
                list.addWrongType(place, expected: "a string", found: item)
                return nil
            }
            if let pattern = EventPattern(text), !pattern.types.isEmpty { return pattern }
            let detail =
                text == EventPattern.progress
                ? "Progress is told to streams alone." : "Expected a type, such as download.completed, or download.*"
            list.add(place, .unknownWord, detail)
            return nil
        }
    }

    /// The webhooks that something names.
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
            if ids.contains(id) { list.add(place, .malformed, "It is named already.") }
            ids.append(id)
        }
        return ids
    }

    mutating func sessionFilter(_ list: inout ViolationList) -> SessionFilter? {
        guard let text = string("session_filter", &list) else { return nil }
        if let filter = SessionFilter(text) { return filter }
        let detail = "Expected a session's name, or the beginning of names and an asterisk."
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

    /// - Parameter allowsNull: Whether null may stand in place of a value.
    mutating func webhookHeaders(allowsNull: Bool, _ list: inout ViolationList) -> [HeaderPatch.Change] {
        guard let value = present("headers") else { return [] }
        let pointer = pointer.appending("headers")
        let fields = RequestHeaderRules.read(value, allowsNull: allowsNull, at: pointer, &list) ?? []
        for field in fields where WebhookRules.isReserved(field.name) {
            list.add(pointer.appending(field.name), .forbidden, "The service sets this header field by itself.")
        }
        return fields.map { HeaderPatch.Change(name: $0.name, value: $0.value) }
    }

    /// A secret as text, with or without its prefix: whether it is one is for those to say who know how it is used.
    mutating func secret(_ list: inout ViolationList) -> String? {
        string("secret", &list)
    }
}

/// The form of what a webhook's deliveries carry.
enum WebhookRules {
    private static let reserved: Set<String> = ["content-type", "user-agent"]

    /// Whether a delivery has this field already. Case does not matter.
    static func isReserved(_ name: String) -> Bool {
        let name = name.lowercased()
        return reserved.contains(name) || name.hasPrefix("webhook-")
    }
}
