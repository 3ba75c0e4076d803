public import Model

/// The limits on the rate as the API shows them.
public struct LimitsBody: Resource {
    public static let usualLength = 512

    let view: LimitsView

    public init(_ view: LimitsView) {
        self.view = view
    }

    public func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("rate_bytes_per_second", view.limits.bytesPerSecond)
            writer.member("rate_bytes_per_second_per_host", view.limits.bytesPerSecondPerHost)
            writer.name("rate_schedule")
            writer.array(view.limits.schedule.windows) { writer, window in
                writer.object { $0.members(of: window) }
            }
            writer.name("replaced")
            writer.array(view.kept.replacements.names) { $0.string($1) }
            writer.member("now") { writer in
                writer.member("rate_bytes_per_second", view.bytesPerSecondNow)
                writer.member("source", view.window == nil ? "limit" : "schedule")
                writer.member("since_at", view.window?.since)
                writer.member("until_at", view.window?.until)
            }
            writer.member("revision", view.kept.revision)
            writer.member("changed_at", view.kept.changedAt)
            writer.member("links") { $0.member("self", "/limits") }
        }
    }

    /// Its entity tag, which is strong: it changes with whatever is shown.
    public var etag: String {
        var digest = XXH64()
        // A byte has no padding that could be read.
        unsafe digest.update(encoded().span.bytes)
        return "\"\(view.kept.revision).\(String(digest.value, radix: 16))\""
    }
}

extension JSONWriter {
    fileprivate mutating func members(of window: RateWindow) {
        name("days")
        array(Weekday.allCases.filter(window.days.contains)) { $0.string($1.rawValue) }
        member("from", window.from.description)
        member("to", window.to.description)
        member("rate_bytes_per_second", window.limit.bytesPerSecond)
    }
}

extension ServiceLimits.Replacements {
    /// The members that stand in the place of a setting.
    fileprivate var names: [String] {
        [
            bytesPerSecond.map { _ in "rate_bytes_per_second" },
            bytesPerSecondPerHost.map { _ in "rate_bytes_per_second_per_host" },
            schedule.map { _ in "rate_schedule" },
        ].compactMap(\.self)
    }
}
