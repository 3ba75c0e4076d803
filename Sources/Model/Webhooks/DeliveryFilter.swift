/// Which deliveries of a webhook a list shows.
public struct DeliveryFilter: Hashable, Sendable {
    /// In any of these; empty for all.
    public var states: [DeliveryState]
    /// Of events of these types; nil for all.
    public var types: Set<EventType>?
    /// Of events from this instant on.
    public var since: Timestamp?
    /// Of events before this instant.
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
