import HTTPFields

/// The filter of a list of a webhook's deliveries.
public struct DeliveryFilter: Hashable, Sendable {
    /// The states to include; empty means all.
    public var states: [DeliveryState]
    /// The event types to include; nil means all.
    public var types: Set<EventType>?
    /// Include only events at or after this instant.
    public var since: Timestamp?
    /// Include only events before this instant.
    public var until: Timestamp?

    public init(
        states: [DeliveryState] = [],
        types: Set<EventType>? = nil,
        since: Timestamp? = nil,
        until: Timestamp? = nil
    ) {
        self.states = states
        self.types = types
        self.since = since
        self.until = until
    }
}
