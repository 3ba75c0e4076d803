/// The filter of a webhook's events.
public struct WebhookFilter: Hashable, Sendable {
    /// nil for the default types.
    public var types: Set<EventType>?
    public var session: SessionFilter?
    public var labels: LabelFilter?

    public init(types: Set<EventType>? = nil, session: SessionFilter? = nil, labels: LabelFilter? = nil) {
        self.types = types
        self.session = session
        self.labels = labels
    }

    /// Whether it filters by sessions or labels.
    public var isNarrow: Bool { session != nil || labels != nil }

    /// Whether the webhook receives an event.
    ///
    /// With a session or label filter it receives only events of such a download or session, and events of what names
    /// it. A test event goes to its own webhook only.
    ///
    /// - Parameter isNamed: Whether the download or session that the event is of names the webhook.
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

/// A pattern of session names: one, or all that begin so (`com.example.*`).
public struct SessionFilter: Hashable, Sendable {
    public let text: String
    private let beginning: Substring?

    /// - Returns: nil if no session can have such a name.
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
