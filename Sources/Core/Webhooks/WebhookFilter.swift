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
