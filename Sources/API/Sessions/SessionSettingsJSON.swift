import Core
import Service

/// The body of `PATCH /sessions/{name}`.
extension SessionPatch {
    init(parsing bytes: [UInt8]) throws(BodyError) {
        self.init()
        var reader = try ObjectReader(body: bytes)
        reader.requireChange()
        reader.refuseNull("action", "keep_partial")
        action = reader.word("action")
        keepsPartial = reader.bool("keep_partial") ?? false
        if keepsPartial { reader.require("action") }
        expectedRevision = reader.expectedRevision(from: 1)
        reader.refuseNull("sealed")
        isSealed = reader.bool("sealed")
        if reader.isNull("limits") {
            (rateBytesPerSecond, maxConcurrent, maxBytes) = (.clear, .clear, .clear)
        } else {
            _ = reader.object("limits") { limits in
                rateBytesPerSecond = limits.change("rate_bytes_per_second", .rate)
                maxConcurrent = limits.change("max_concurrent", .maxConcurrent)
                maxBytes = limits.change("max_bytes", .maxBytes)
            }
        }
        retention = reader.retentionChanges()
        description = reader.change("description", .description().withoutControls)
        labels = reader.objectPatch(.labels)
        callbackURL = reader.change("callback_url", .url(.receiver))
        webhookIDs = reader.change("webhook_ids", .webhookIDs)
        try reader.close()
    }
}

extension JSONFormat<Int> {
    static var maxConcurrent: Self { integer(1...1_000_000) }
}
