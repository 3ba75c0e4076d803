public import Core
import Service

/// The body of `PUT /sessions/{name}`. A member that is null counts as absent.
public struct SessionSettingsBody: Hashable, Sendable {
    public var settings: SessionSettings

    public init(parsing bytes: [UInt8]) throws(BodyError) {
        var reader = try ObjectReader(body: bytes)
        settings = SessionSettings()
        _ = reader.object("limits") { limits in
            settings.rateBytesPerSecond = limits.read("rate_bytes_per_second", .rate)
            settings.maxConcurrent = limits.read("max_concurrent", .maxConcurrent)
            settings.maxBytes = limits.read("max_bytes", .maxBytes)
        }
        settings.retention = reader.retention()
        settings.description = reader.read("description", .description().withoutControls)
        settings.labels = reader.clientObject(.labels)
        settings.callbackURL = reader.read("callback_url", .url(.receiver))
        settings.webhookIDs = reader.read("webhook_ids", .webhookIDs) ?? []
        try reader.close()
    }
}
