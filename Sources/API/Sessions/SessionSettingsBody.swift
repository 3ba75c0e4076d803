public import Core
import Service

/// The body of `PUT /sessions/{name}`. A member that is null counts as absent.
public struct SessionSettingsBody: Hashable, Sendable {
    public var settings: SessionSettings

    public init(parsing bytes: [UInt8]) throws(BodyError) {
        var list = ViolationList()
        var reader = try ObjectReader(body: bytes)
        settings = SessionSettings()
        if var limits = reader.object("limits", &list) {
            settings.rateBytesPerSecond = limits.rate(&list)
            settings.maxConcurrent = limits.maxConcurrent(&list)
            settings.maxBytes = limits.maxBytes(&list)
            limits.finish(&list)
        }
        settings.retention = reader.retention(&list)
        settings.description = reader.plainDescription(&list)
        settings.labels = reader.clientObject(.labels, &list)
        settings.callbackURL = reader.url("callback_url", of: .receiver, &list)
        settings.webhookIDs = reader.webhookIDs(&list) ?? []
        try reader.close(&list)
    }
}
