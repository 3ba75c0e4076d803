/// The filter for the events that a webhook receives.
public struct WebhookFilter: Hashable, Sendable {
    /// The event types to include; nil for the default types (``EventType/isDefault``).
    public var types: Set<EventType>?
    public var session: SessionFilter?
    public var labels: LabelFilter?

    public init(types: Set<EventType>? = nil, session: SessionFilter? = nil, labels: LabelFilter? = nil) {
        self.types = types
        self.session = session
        self.labels = labels
    }

    /// Whether it filters by session or label.
    public var isNarrow: Bool { session != nil || labels != nil }

    /// Whether the webhook receives the event.
    ///
    /// With a session or label filter, the webhook receives only the events of matching downloads and sessions, and of
    /// those that name the webhook. A test event is sent only to the tested webhook.
    ///
    /// - Parameter isNamed: Whether the event's download or session names the webhook.
    public func matches(_ event: Event, isNamed: Bool = false) -> Bool {
        guard event.type != .webhookPing else { return false }
        guard types?.contains(event.type) ?? event.type.isDefault else { return false }
        return isNamed || isMet(by: event.subject)
    }

    private func isMet(by subject: Event.Subject) -> Bool {
        if let session {
            guard let name = subject.session, session.includes(name) else { return false }
        }
        guard let labels else { return true }
        return subject.labels.map { labels.isMet(by: $0) } ?? false
    }
}

/// A pattern of session names: one name, or a prefix with an asterisk (`com.example.*`).
public struct SessionFilter: Hashable, Sendable {
    public let text: String
    private let beginning: Substring?

    /// - Returns: nil if no valid session name can match.
    public init?(_ text: String) {
        self.text = text
        beginning = text.hasSuffix("*") ? text.dropLast() : nil
        if let beginning {
            guard beginning.isEmpty || SessionName(String(beginning)) != nil else { return nil }
        } else {
            guard SessionName(text) != nil else { return nil }
        }
    }

    public func includes(_ name: SessionName) -> Bool {
        beginning.map { name.text.hasPrefix($0) } ?? (name.text == text)
    }
}

/// Required labels with their values.
public struct LabelFilter: Hashable, Sendable {
    private let wanted: [Label]

    /// A name and its value, in the form of canonical JSON.
    private struct Label: Hashable {
        let name: ArraySlice<UInt8>
        let value: ArraySlice<UInt8>
    }

    /// - Parameter labels: A JSON object whose values are strings, as canonical JSON.
    public init(_ labels: JSONText) {
        wanted = Self.labels(of: labels)
    }

    /// Whether `labels` contains all required labels. Further labels do not matter.
    ///
    /// - Parameter labels: A JSON object whose values are strings, as canonical JSON.
    public func isMet(by labels: JSONText) -> Bool {
        let found = Self.labels(of: labels)
        return wanted.allSatisfy(found.contains)
    }

    /// Splits canonical JSON into names and values. Each string has exactly one canonical form, so strings are compared
    /// without decoding. They are separated by a colon or a comma, without white space.
    private static func labels(of object: JSONText) -> [Label] {
        let bytes = Array(object.text.utf8)
        var texts: [ArraySlice<UInt8>] = []
        var rest = bytes[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "\"") else { continue }
            let start = rest.startIndex
            while let byte = rest.popFirst(), byte != UInt8(ascii: "\"") {
                if byte == UInt8(ascii: "\\") { rest = rest.dropFirst() }
            }
            texts.append(bytes[start..<rest.startIndex])
        }
        return stride(from: 0, to: texts.count - 1, by: 2).map { Label(name: texts[$0], value: texts[$0 + 1]) }
    }
}
