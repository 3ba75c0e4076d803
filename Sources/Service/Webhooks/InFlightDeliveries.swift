import Core

/// The deliveries in flight by webhook, and the limits on further ones.
///
/// A slow or unresponsive receiver gets one delivery at a time. All such receivers together use at most half of the
/// slots, so that the others always have some.
struct InFlightDeliveries {
    /// The limits on deliveries in flight, in total and per webhook.
    private static let limit = 32
    private static let limitPerWebhook = 4
    /// The limit for all slow receivers together.
    private static let limitForSlow = 16
    private static let slowPeriod = Duration.seconds(60)
    /// Tolerance: an instant further ahead than the period plus this was set before the clock was set back.
    private static let slack = Duration.seconds(60)

    private struct Lane {
        var inFlight = 0
        var slowUntil: Timestamp?
    }

    private var lanes: [WebhookID: Lane] = [:]
    private(set) var inFlight = 0

    /// The free slots for a claim.
    mutating func slots(now: Timestamp) -> DeliverySlots {
        var slots = DeliverySlots(free: Self.limit - inFlight, perWebhook: Self.limitPerWebhook)
        var inFlightToSlow = 0
        for (id, var lane) in lanes {
            let longest = Self.slowPeriod + Self.slack
            if lane.slowUntil?.isAhead(of: now, within: longest) == false { lane.slowUntil = nil }
            guard lane.inFlight > 0 || lane.slowUntil != nil else {
                lanes[id] = nil
                continue
            }
            lanes[id] = lane
            var left = Self.limitPerWebhook - lane.inFlight
            if lane.slowUntil != nil {
                slots.slow.insert(id)
                inFlightToSlow += lane.inFlight
                left = 1 - lane.inFlight
            }
            slots.remaining[id] = max(left, 0)
        }
        slots.freeForSlow = max(Self.limitForSlow - inFlightToSlow, 0)
        return slots
    }

    mutating func begin(_ webhook: WebhookID) {
        inFlight += 1
        lanes[webhook, default: Lane()].inFlight += 1
    }

    /// - Parameter isSlow: Whether the receiver gets one delivery at a time for a while.
    mutating func end(_ webhook: WebhookID, isSlow: Bool, now: Timestamp) {
        inFlight -= 1
        lanes[webhook]?.inFlight -= 1
        if isSlow { lanes[webhook]?.slowUntil = now + Self.slowPeriod }
    }
}
