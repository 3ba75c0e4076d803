import Application
import ArgumentParser
import Client

/// `cormorant stats`
struct StatsCommand: ServiceCommand {
    static let configuration = CommandConfiguration(
        commandName: "stats",
        abstract: "Show counts, speed, disk space and backlog of the service."
    )

    @OptionGroup(title: "Service") var connection: ServerOptions
    @OptionGroup var output: OutputOptions

    func run(_ client: CormorantClient) async throws {
        let (stats, raw): (Stats, [UInt8]) = try await client.raw("/stats")
        try Printer(output.output).item(raw, name: client.server) { _ in Self.fields(stats).compactMap(\.self) }
    }

    static func fields(_ stats: Stats) -> [Field?] {
        let counts = ["running", "waiting", "queued", "paused", "completed", "failed", "cancelled"].compactMap { word in
            stats.counts[word].map { "\($0) \(word)" }
        }
        let backlog = stats.webhooks?.pendingDeliveries.map { count in
            "\(count)\(stats.webhooks?.pendingDeliveriesIsLowerBound == true ? " or more" : "")"
        }
        return [
            Field("downloads", counts.joined(separator: ", ")), Field("speed", Shown.rate(stats.bytesPerSecond)),
            Field("connections", stats.connections.map { "\($0)" }),
            Field("received", Shown.size(stats.receivedBytesSinceStart).map { "\($0) since the start" }),
            Field("oldest queued", Shown.instantAndAge(stats.oldestQueuedAt)),
            Field("disk free", Shown.size(stats.disk?.freeBytes)),
            Field("disk reserved", Shown.size(stats.disk?.reservedBytes)),
            Field("deliveries pending", backlog),
            Field("up for", stats.uptimeSeconds.map { Shown.span(Double($0)) }),
        ]
    }
}
