public import Core

/// The JSON of the rate limits.
public struct LimitsBody: Resource {
    public static let usualLength = 512

    let view: LimitsView

    public init(_ view: LimitsView) {
        self.view = view
    }

    public func write(to writer: inout JSONWriter) {
        writer.object { writer in
            let (limits, replacements) = (view.limits, view.stored.replacements)
            writer.member("paused", limits.isPaused)
            writer.member("rate_bytes_per_second", limits.bytesPerSecond, replacedBy: replacements.bytesPerSecond)
            writer.member(
                "rate_bytes_per_second_per_host",
                limits.bytesPerSecondPerHost,
                replacedBy: replacements.bytesPerSecondPerHost
            )
            writer.name("rate_schedule")
            writer.array(limits.schedule.windows) { writer, window in
                writer.object { $0.members(of: window) }
            }
            writer.name("replaced")
            writer.array(replacements.names) { $0.string($1) }
            writer.member("now") { writer in
                writer.member("paused", view.isPausedNow)
                writer.member("rate_bytes_per_second", view.bytesPerSecondNow)
                writer.member("source", view.window == nil ? "limit" : "schedule")
                writer.member("since_at", view.window?.since)
                writer.member("until_at", view.window?.until)
                writer.member("utc_offset_minutes", view.utcOffsetMinutes)
            }
            writer.member("counters") { $0.member("revision", view.stored.revision) }
            writer.member("updated_at", view.stored.changedAt)
            writer.member("links") { $0.member("self", "/limits") }
        }
    }

    /// The strong ETag: it changes with everything that the resource shows.
    public var etag: String {
        var digest = XXH64()
        // Safe: a `UInt8` has no padding bytes.
        unsafe digest.update(encoded().span.bytes)
        return "\"\(view.stored.revision).\(String(digest.value, radix: 16))\""
    }
}

extension JSONWriter {
    fileprivate mutating func members(of window: RateWindow) {
        name("days")
        array(Weekday.allCases.filter(window.days.contains)) { $0.string($1.rawValue) }
        member("from", window.from.description)
        member("to", window.to.description)
        member("rate_bytes_per_second", window.limit == .paused ? nil : window.limit.bytesPerSecond ?? 0)
        member("paused", window.limit == .paused)
    }

    /// A limit, as a request would set it: 0 where a client removed that of the settings.
    fileprivate mutating func member(_ name: String, _ rate: Int64?, replacedBy limit: RateLimit?) {
        member(name, limit == .unlimited ? 0 : rate)
    }
}

extension ServiceLimits.Replacements {
    /// The members that replace settings.
    fileprivate var names: [String] {
        [
            isPaused.map { _ in "paused" },
            bytesPerSecond.map { _ in "rate_bytes_per_second" },
            bytesPerSecondPerHost.map { _ in "rate_bytes_per_second_per_host" },
            schedule.map { _ in "rate_schedule" },
        ].compactMap(\.self)
    }
}

/// The body of `PUT /limits`: limits that replace settings. An absent member means the setting, 0 no limit.
public struct LimitsSettingsBody: Hashable, Sendable {
    public var replacements: ServiceLimits.Replacements

    public init(parsing bytes: [UInt8]) throws(BodyError) {
        var reader = try ObjectReader(body: bytes)
        replacements = reader.limitsPatch().applied(to: ServiceLimits.Replacements())
        try reader.close()
    }
}

/// The body of `PATCH /limits`: an absent member keeps its value, null restores the setting, 0 means no limit.
public struct PatchLimitsBody: Hashable, Sendable {
    public var limits = LimitsPatch()
    public var expectedRevision: Int64?

    public init(parsing bytes: [UInt8]) throws(BodyError) {
        var reader = try ObjectReader(body: bytes)
        reader.requireChange()
        expectedRevision = reader.expectedRevision(from: 0)
        limits = reader.limitsPatch()
        try reader.close()
    }
}

/// The rate limits of the whole service.
extension ObjectReader {
    mutating func limitsPatch() -> LimitsPatch {
        LimitsPatch(
            isPaused: change("paused") { $0.bool("paused") },
            bytesPerSecond: change("rate_bytes_per_second") { $0.rateLimit("rate_bytes_per_second") },
            bytesPerSecondPerHost: change("rate_bytes_per_second_per_host") {
                $0.rateLimit("rate_bytes_per_second_per_host")
            },
            schedule: change("rate_schedule") { $0.rateSchedule() }
        )
    }

    /// A rate, or 0 for no limit. Null only clears a member.
    private mutating func rateLimit(_ name: String) -> RateLimit? {
        guard let rate = integer(name, in: 0...JSONValue.maximumInteger) else { return nil }
        let least = JSONFormat<Int64>.leastRate
        guard rate == 0 || rate >= least else {
            refuse(name, .outOfRange, "Expected 0 for no limit, or a whole number from \(least).")
            return nil
        }
        return rate == 0 ? .unlimited : .bytesPerSecond(rate)
    }

    /// No useful schedule has more windows.
    private static let maximumWindows = 64

    private mutating func rateSchedule() -> RateSchedule? {
        guard let items = items("rate_schedule", atMost: Self.maximumWindows, "windows") else { return nil }
        return RateSchedule(windows: items.compactMap { $0.object { $0.rateWindow() } ?? nil })
    }

    private mutating func rateWindow() -> RateWindow? {
        for name in ["days", "from", "to"] { require(name) }
        let days = days()
        let (from, to) = (timeOfDay("from"), timeOfDay("to"))
        if let from, from.minutes == MinuteOfWeek.minutesPerDay {
            refuse("from", .outOfRange, "Expected a time before 24:00.")
        }
        guard let limit = windowLimit(), let days, let from, let to else { return nil }
        return RateWindow(days: days, from: from, to: to, limit: limit)
    }

    private mutating func windowLimit() -> RateLimit? {
        if bool("paused") == true {
            guard present("rate_bytes_per_second") == nil else {
                refuse("rate_bytes_per_second", .forbidden, "A paused window has no rate.")
                return nil
            }
            return .paused
        }
        // "No limit" must be an explicit 0: a forgotten member would otherwise remove the limit.
        if present("rate_bytes_per_second") == nil {
            refuse("rate_bytes_per_second", .required, "\"rate_bytes_per_second\" is required; 0 is no limit.")
        }
        return rateLimit("rate_bytes_per_second")
    }

    private mutating func days() -> Set<Weekday>? {
        guard let items = items("days", "days") else { return nil }
        let days = items.compactMap { item -> Weekday? in
            guard case .string(let text) = item.value else { return nil }
            return Weekday(rawValue: text)
        }
        guard days.count == items.count, Set(days).count == days.count, !days.isEmpty else {
            let words = Weekday.allCases.map(\.rawValue).joined(separator: ", ")
            refuse("days", .unknownWord, "Expected one or more of: \(words); none twice.")
            return nil
        }
        return Set(days)
    }

    private mutating func timeOfDay(_ name: String) -> TimeOfDay? {
        present(name)?.parsed({ TimeOfDay($0) }, expected: "a time from 00:00 to 24:00")
    }
}
