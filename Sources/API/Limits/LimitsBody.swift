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
            writer.member("paused", view.limits.isPaused)
            writer.member("rate_bytes_per_second", view.limits.bytesPerSecond)
            writer.member("rate_bytes_per_second_per_host", view.limits.bytesPerSecondPerHost)
            writer.name("rate_schedule")
            writer.array(view.limits.schedule.windows) { writer, window in
                writer.object { $0.members(of: window) }
            }
            writer.name("replaced")
            writer.array(view.stored.replacements.names) { $0.string($1) }
            writer.member("now") { writer in
                writer.member("paused", view.isPausedNow)
                writer.member("rate_bytes_per_second", view.bytesPerSecondNow)
                writer.member("source", view.window == nil ? "limit" : "schedule")
                writer.member("since_at", view.window?.since)
                writer.member("until_at", view.window?.until)
            }
            writer.member("revision", view.stored.revision)
            writer.member("changed_at", view.stored.changedAt)
            writer.member("links") { $0.member("self", "/limits") }
        }
    }

    /// The strong entity tag: it changes with everything that the resource shows.
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
        member("rate_bytes_per_second", window.limit.bytesPerSecond)
        member("paused", window.limit == .paused)
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

/// The body of `PUT /limits`: limits that replace settings. An absent member means the setting, null no limit.
public struct LimitsSettingsBody: Hashable, Sendable {
    public var replacements: ServiceLimits.Replacements

    public init(parsing bytes: [UInt8]) throws(BodyError) {
        var list = ViolationList()
        var reader = try ObjectReader(body: bytes)
        replacements = reader.serviceLimits(&list)
        try reader.close(&list)
    }
}

/// The body of `PATCH /limits`, merged as in RFC 7396: an absent member keeps its value, null means no limit.
public struct PatchLimitsBody: Hashable, Sendable {
    public var replacements = ServiceLimits.Replacements()
    public var expectedRevision: Int64?

    /// - Parameter format: Only the JSON format has `expected_revision`.
    public init(parsing bytes: [UInt8], as format: PatchFormat) throws(BodyError) {
        var list = ViolationList()
        var reader = try ObjectReader(body: bytes)
        if format == .json {
            reader.requireChange(&list)
            expectedRevision = reader.expectedRevision(from: 0, &list)
        }
        replacements = reader.serviceLimits(&list)
        try reader.close(&list)
    }
}

/// The rate limits of the whole service.
extension ObjectReader {
    /// The given limits. Null means no limit, or an empty schedule.
    mutating func serviceLimits(_ list: inout ViolationList) -> ServiceLimits.Replacements {
        // A pause has no third value that null could mean.
        refuseNull(["paused"], &list)
        return ServiceLimits.Replacements(
            isPaused: bool("paused", &list),
            bytesPerSecond: change("rate_bytes_per_second") { $0.rate(&list) },
            bytesPerSecondPerHost: change("rate_bytes_per_second_per_host") {
                $0.rate("rate_bytes_per_second_per_host", &list)
            },
            schedule: rateSchedule(&list)
        )
    }

    /// No useful schedule has more windows.
    private static let maximumWindows = 64

    private mutating func rateSchedule(_ list: inout ViolationList) -> RateSchedule? {
        if value("rate_schedule") == .null { return RateSchedule.none }
        guard let items = array("rate_schedule", atMost: Self.maximumWindows, "windows", &list) else { return nil }
        var windows: [RateWindow] = []
        for (item, pointer) in items {
            guard var reader = ObjectReader(item, at: pointer, &list) else { continue }
            if let window = reader.rateWindow(&list) { windows.append(window) }
            reader.finish(&list)
        }
        return RateSchedule(windows: windows)
    }

    private mutating func rateWindow(_ list: inout ViolationList) -> RateWindow? {
        for name in ["days", "from", "to"] { require(name, &list) }
        let days = days(&list)
        let (from, to) = (timeOfDay("from", &list), timeOfDay("to", &list))
        if let from, from.minutes == MinuteOfWeek.minutesPerDay {
            list.add(pointer.appending("from"), .outOfRange, "Expected a time before 24:00.")
        }
        let isPaused = bool("paused", &list) ?? false
        // "No limit" must be an explicit null: a forgotten member would otherwise remove the limit.
        let isSaid = isPaused || value("rate_bytes_per_second") != nil
        if !isSaid {
            let detail = "\"rate_bytes_per_second\" is required; null is no limit."
            list.add(pointer.appending("rate_bytes_per_second"), .required, detail)
        }
        let rate = rate(&list)
        if isPaused, rate != nil {
            list.add(pointer.appending("rate_bytes_per_second"), .forbidden, "A paused window has no rate.")
        }
        guard let days, let from, let to, isSaid else { return nil }
        let limit = isPaused ? .paused : RateLimit(bytesPerSecond: rate)
        return RateWindow(days: days, from: from, to: to, limit: limit)
    }

    private mutating func days(_ list: inout ViolationList) -> Set<Weekday>? {
        guard let items = array("days", "days", &list) else { return nil }
        let days = items.compactMap { item, _ -> Weekday? in
            guard case .string(let text) = item else { return nil }
            return Weekday(rawValue: text)
        }
        guard days.count == items.count, Set(days).count == days.count, !days.isEmpty else {
            let words = Weekday.allCases.map(\.rawValue).joined(separator: ", ")
            list.add(
                pointer.appending("days"),
                .unknownWord,
                "Expected one or more of: \(words); none twice."
            )
            return nil
        }
        return Set(days)
    }

    private mutating func timeOfDay(_ name: String, _ list: inout ViolationList) -> TimeOfDay? {
        guard let text = string(name, &list) else { return nil }
        if let time = TimeOfDay(text) { return time }
        list.add(pointer.appending(name), .malformed, "Expected a time from 00:00 to 24:00.")
        return nil
    }
}
