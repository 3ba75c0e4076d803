public import FoundationEssentials

/// The rate limits of the service.
public struct Limits: Hashable, Sendable, Decodable {
    /// What applies now.
    public struct Now: Hashable, Sendable, Decodable {
        public var paused: Bool?
        /// Nil if there is no limit.
        public var rateBytesPerSecond: Int64?
        /// `limit` or `schedule`.
        public var source: String?
        public var sinceAt: Date?
        public var untilAt: Date?
        /// The service's local time, in which windows are, minus UTC.
        public var utcOffsetMinutes: Int?
    }

    /// A window of the week with a rate of its own.
    public struct Window: Hashable, Sendable, Codable {
        /// `mon`, `tue`, …; nil for every day.
        public var days: [String]?
        /// `08:00`
        public var from: String
        public var to: String
        /// 0 is no limit. Nil with ``paused``.
        public var rateBytesPerSecond: Int64?
        public var paused: Bool?

        public init(days: [String]? = nil, from: String, to: String, rateBytesPerSecond: Int64?, paused: Bool? = nil) {
            self.days = days
            self.from = from
            self.to = to
            self.rateBytesPerSecond = rateBytesPerSecond
            self.paused = paused
        }
    }

    public struct Counters: Hashable, Sendable, Decodable { public var revision: Int64? }

    /// Whether all downloads are paused.
    public var paused: Bool?
    /// Nil or 0 if there is none.
    public var rateBytesPerSecond: Int64?
    public var rateBytesPerSecondPerHost: Int64?
    /// The members that replace a setting.
    public var replaced: [String]?
    public var rateSchedule: [Window]?
    public var now: Now?
    public var counters: Counters?
    public var updatedAt: Date?
    public var links: JSONValue?
}

/// What a `PATCH` changes. `clear` restores the setting, and a rate of 0 is no limit.
public struct LimitsPatch: Hashable, Sendable, Encodable {
    public var paused: Change<Bool>?
    public var rateBytesPerSecond: Change<Int64>?
    public var rateBytesPerSecondPerHost: Change<Int64>?
    public var rateSchedule: Change<[Limits.Window]>?
    public var expectedRevision: Int64?

    public init() {}
}

/// What a `PUT` sets. Properties that are nil are those of the settings.
public struct LimitsSettings: Hashable, Sendable, Encodable {
    public var paused: Bool?
    public var rateBytesPerSecond: Int64?
    public var rateBytesPerSecondPerHost: Int64?
    public var rateSchedule: [Limits.Window]?

    public init() {}
}

/// Limits and hosts.
extension CormorantClient {
    public func limits() async throws(ClientError) -> Limits { try await get("/limits") }

    public func changeLimits(_ patch: LimitsPatch) async throws(ClientError) -> Limits {
        try await send("PATCH", "/limits", patch)
    }

    /// Replaces the limits of the settings.
    public func putLimits(_ settings: LimitsSettings) async throws(ClientError) -> Limits {
        try await send("PUT", "/limits", settings)
    }

    public func hosts() -> Pages<Host> { Pages(client: self, path: "/hosts", query: []) }

    /// - Parameter authority: Host and port, such as `example.com:443`.
    public func host(_ authority: String) async throws(ClientError) -> Host {
        try await get(APIRequest.path("hosts", authority))
    }

    /// Limits the rate of a host; `clear` removes the limit.
    public func changeHost(
        _ authority: String,
        rateBytesPerSecond rate: Change<Int64>
    ) async throws(ClientError) -> Host {
        struct Patch: Encodable {
            struct Limits: Encodable { let rateBytesPerSecond: Change<Int64> }
            let limits: Limits
        }
        let patch = Patch(limits: Patch.Limits(rateBytesPerSecond: rate))
        return try await send("PATCH", APIRequest.path("hosts", authority), patch)
    }
}
