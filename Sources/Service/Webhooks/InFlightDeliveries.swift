import Core

/// What is under way to each webhook, and how much more may be.
///
/// A slow or silent receiver gets one delivery at a time, and all such receivers together at most half of the places,
/// so that there is always room for the others.
struct InFlightDeliveries {
    /// Deliveries in flight at once, in all and to one webhook.
    private static let limit = 32
    private static let limitPerWebhook = 4
    /// Those to all webhooks that are spared.
    private static let limitToSpared = 16
    private static let sparePeriod = Duration.seconds(60)
    /// What lies further ahead than the period and this is from before the clock was set back.
    private static let slack = Duration.seconds(60)

    private struct Lane {
        var inFlight = 0
        var sparedUntil: Timestamp?
        var rate: RateThrottle?
    }

    private var lanes: [WebhookID: Lane] = [:]
    private(set) var inFlight = 0

    /// How many may be claimed now.
    ///
    /// - Parameter elapsed: On the monotonic clock.
    mutating func slots(now: Timestamp, elapsed: Duration) -> DeliverySlots {
        var slots = DeliverySlots(free: Self.limit - inFlight, perWebhook: Self.limitPerWebhook)
        var inFlightToSpared = 0
        for (id, var lane) in lanes {
            let longest = Self.sparePeriod + Self.slack
            if lane.sparedUntil?.isAhead(of: now, within: longest) == false { lane.sparedUntil = nil }
            lane.rate?.refill(at: elapsed)
            guard lane.inFlight > 0 || lane.sparedUntil != nil || lane.rate?.isFull == false else {
                lanes[id] = nil
                continue
            }
            lanes[id] = lane
            var left = Self.limitPerWebhook - lane.inFlight
            if lane.sparedUntil != nil {
                slots.spared.insert(id)
                inFlightToSpared += lane.inFlight
                left = 1 - lane.inFlight
            }
            slots.left[id] = max(min(left, lane.rate?.credit ?? left), 0)
        }
        slots.freeToSpared = max(Self.limitToSpared - inFlightToSpared, 0)
        return slots
    }

    mutating func begin(_ webhook: Webhook, elapsed: Duration) {
        inFlight += 1
        var lane = lanes[webhook.id] ?? Lane()
        lane.inFlight += 1
        if let limit = webhook.settings.rateLimitPerSecond {
            var rate = lane.rate?.limit == limit ? lane.rate : nil
            rate = rate ?? RateThrottle(limit: limit, at: elapsed)
            rate?.consume(at: elapsed)
            lane.rate = rate
        } else {
            lane.rate = nil
        }
        lanes[webhook.id] = lane
    }

    /// - Parameter isSpared: Whether it gets one at a time for a while.
    mutating func end(_ webhook: WebhookID, isSpared: Bool, now: Timestamp) {
        inFlight -= 1
        lanes[webhook]?.inFlight -= 1
        if isSpared { lanes[webhook]?.sparedUntil = now + Self.sparePeriod }
    }

    /// How long until one of these may be sent another one by its rate; nil where none waits for that.
    func wait(for webhooks: Set<WebhookID>) -> Duration? {
        webhooks.compactMap { lanes[$0]?.rate?.wait }.filter { $0 > .zero }.min()
    }
}

/// How many deliveries in a second: as many as that at once, and then one after the other.
private struct RateThrottle {
    let limit: Int
    private var tokens: Double
    private var updated: Duration

    init(limit: Int, at elapsed: Duration) {
        self.limit = limit
        tokens = Double(limit)
        updated = elapsed
    }

    /// How many may be sent at once.
    var credit: Int { max(Int(tokens), 0) }

    var isFull: Bool { tokens >= Double(limit) }

    /// Until the next one.
    var wait: Duration { tokens >= 1 ? .zero : .seconds((1 - tokens) / Double(limit)) }

    mutating func refill(at elapsed: Duration) {
        guard elapsed > updated else { return }
        tokens = min(tokens + Double(limit) * (elapsed - updated).inSeconds, Double(limit))
        updated = elapsed
    }

    mutating func consume(at elapsed: Duration) {
        refill(at: elapsed)
        tokens -= 1
    }
}
