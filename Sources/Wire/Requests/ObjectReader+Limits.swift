import Model

/// The limits on the rate of the service as a whole.
extension ObjectReader {
    /// What of the limits is said: null is no limit, and no window.
    mutating func serviceLimits(_ list: inout ViolationList) -> ServiceLimits.Replacements {
        ServiceLimits.Replacements(
            bytesPerSecond: change("rate_bytes_per_second") { $0.rate(&list) },
            bytesPerSecondPerHost: change("rate_bytes_per_second_per_host") {
                $0.rate("rate_bytes_per_second_per_host", &list)
            },
            schedule: rateSchedule(&list)
        )
    }

    /// More would be no schedule that anybody reads.
    private static let maximumWindows = 64

    private mutating func rateSchedule(_ list: inout ViolationList) -> RateSchedule? {
        guard let value = value("rate_schedule") else { return nil }
        if value == .null { return RateSchedule.none }
        let pointer = pointer.appending("rate_schedule")
        guard case .array(let items) = value else {
            list.addWrongType(pointer, expected: "an array", found: value)
            return nil
        }
        if items.count > Self.maximumWindows {
            list.add(pointer, .tooMany, "At most \(Self.maximumWindows) windows.")
            return nil
        }
        var windows: [RateWindow] = []
        for (index, item) in items.enumerated() {
            guard var reader = ObjectReader(item, at: pointer.appending("\(index)"), &list) else { continue }
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
            list.add(pointer.appending("from"), .outOfRange, "A window begins at 23:59 at the latest.")
        }
        // No limit has to be said: who forgets the member would lift it.
        let isSaid = value("rate_bytes_per_second") != nil
        if !isSaid {
            let detail = "\"rate_bytes_per_second\" is required; null is no limit."
            list.add(pointer.appending("rate_bytes_per_second"), .required, detail)
        }
        let rate = rate(&list)
        guard let days, let from, let to, isSaid else { return nil }
        return RateWindow(days: days, from: from, to: to, limit: RateLimit(bytesPerSecond: rate))
    }

    private mutating func days(_ list: inout ViolationList) -> Set<Weekday>? {
        guard let value = present("days") else { return nil }
        let pointer = pointer.appending("days")
        guard case .array(let items) = value else {
            list.addWrongType(pointer, expected: "an array", found: value)
            return nil
        }
        let days = items.compactMap { item -> Weekday? in
            guard case .string(let text) = item else { return nil }
            return Weekday(rawValue: text)
        }
        guard days.count == items.count, Set(days).count == days.count, !days.isEmpty else {
            let words = Weekday.allCases.map(\.rawValue).joined(separator: ", ")
            list.add(pointer, .unknownWord, "Expected one or more of: \(words); none of them twice.")
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
