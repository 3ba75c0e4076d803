public import Model

/// The body of `PUT /sessions/{name}`. A member that is null counts as absent. Its callback URL is still text.
public struct SessionSettingsBody: Hashable, Sendable {
    public var settings: SessionSettings

    public init(parsing bytes: [UInt8]) throws(BodyFault) {
        var list = ViolationList()
        var reader = try ObjectReader(body: bytes)
        settings = SessionSettings()
        if var limits = reader.object("limits", &list) {
            settings.rateBytesPerSecond = limits.rate(&list)
            settings.maxConcurrent = limits.maxConcurrent(&list)
            settings.maxBytes = limits.maxBytes(&list)
            limits.finish(&list)
        }
        settings.labels = reader.clientObject(.labels, &list)
        settings.callbackURL = reader.url("callback_url", &list)
        settings.webhookIDs = reader.webhookIDs(&list) ?? []
        try reader.close(&list)
    }
}

extension ObjectReader {
    mutating func maxConcurrent(_ list: inout ViolationList) -> Int? {
        integer("max_concurrent", in: 1...1_000_000, &list).map { Int($0) }
    }
}
