import HTTPFields

/// The payload and format of the events that a webhook receives.
public struct EventForm: Hashable, Sendable {
    public var payload: Payload
    public var format: Format

    public enum Payload: String, CaseIterable, Hashable, Sendable {
        /// The whole subject, in its state immediately after the event.
        case snapshot
        /// Only the identifiers of the subject.
        case thin
    }

    public enum Format: String, CaseIterable, Hashable, Sendable {
        /// `{"type", "timestamp", "data"}`, as in Standard Webhooks 1.0.0.
        case standard
        /// The structured mode of CloudEvents 1.0.
        case cloudEvents = "cloudevents"
    }

    public init(payload: Payload, format: Format) {
        self.payload = payload
        self.format = format
    }

    /// The form of the event log. Most webhooks use it.
    public static let standard = Self(payload: .snapshot, format: .standard)
}
