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
        var rate: RateThrottle?
    }

    private var lanes: [WebhookID: Lane] = [:]
    private(set) var inFlight = 0

    /// The free slots for a claim.
    ///
    /// - Parameter elapsed: The elapsed time of the monotonic clock.
    mutating func slots(now: Timestamp, elapsed: Duration) -> DeliverySlots {
        var slots = DeliverySlots(free: Self.limit - inFlight, perWebhook: Self.limitPerWebhook)
        var inFlightToSlow = 0
        for (id, var lane) in lanes {
            let longest = Self.slowPeriod + Self.slack
            if lane.slowUntil?.isAhead(of: now, within: longest) == false { lane.slowUntil = nil }
            lane.rate?.refill(at: elapsed)
            guard lane.inFlight > 0 || lane.slowUntil != nil || lane.rate?.isFull == false else {
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
            slots.remaining[id] = max(min(left, lane.rate?.credit ?? left), 0)
        }
        slots.freeForSlow = max(Self.limitForSlow - inFlightToSlow, 0)
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

    /// - Parameter isSlow: Whether the receiver gets one delivery at a time for a while.
    mutating func end(_ webhook: WebhookID, isSlow: Bool, now: Timestamp) {
        inFlight -= 1
        lanes[webhook]?.inFlight -= 1
        if isSlow { lanes[webhook]?.slowUntil = now + Self.slowPeriod }
    }

    /// The time until the rate limit of one of the webhooks allows another delivery; nil if none has to wait.
    func wait(for webhooks: Set<WebhookID>) -> Duration? {
        webhooks.compactMap { lanes[$0]?.rate?.wait }.filter { $0 > .zero }.min()
    }
}

/// A token bucket: `limit` deliveries per second, and as many at once.
private struct RateThrottle {
    let limit: Int
    private var tokens: Double
    private var updated: Duration

    init(limit: Int, at elapsed: Duration) {
        self.limit = limit
        tokens = Double(limit)
        updated = elapsed
    }

    /// How many deliveries may be sent now.
    var credit: Int { max(Int(tokens), 0) }

    var isFull: Bool { tokens >= Double(limit) }

    /// The time until the next delivery.
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
