import API
import Application
import ArgumentParser
import Core
import FoundationEssentials

/// An instant of the past: RFC 3339 (`2026-01-02T03:04:05Z`), a date (`2026-01-02`, UTC), or a duration before now.
struct PastTime: ExpressibleByArgument, Hashable {
    let date: Date

    init?(argument: String) {
        guard let date = TimeText.date(argument, isFuture: false) else { return nil }
        self.date = date
    }
}

/// An instant of the future: as ``PastTime``, or a duration from now.
struct FutureTime: ExpressibleByArgument, Hashable {
    let date: Date

    init?(argument: String) {
        guard let date = TimeText.date(argument, isFuture: true) else { return nil }
        self.date = date
    }
}

enum TimeText {
    static func date(_ text: String, isFuture: Bool, now: Date = Date()) -> Date? {
        if let time = Instant.parse(text) ?? Instant.parse(text + "T00:00:00Z") {
            return Date(timeIntervalSince1970: Double(time.milliseconds) / 1000)
        }
        guard let span = DurationText.parse(text) else { return nil }
        let seconds = Double(span.components.seconds)
        return now.addingTimeInterval(isFuture ? seconds : -seconds)
    }
}
