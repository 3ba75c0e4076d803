import Core
import Service

/// The body of `PATCH /sessions/{name}`.
extension SessionPatch {
    init(parsing bytes: [UInt8]) throws(BodyError) {
        self.init()
        var list = ViolationList()
        var reader = try ObjectReader(body: bytes)
        reader.requireChange(&list)
        reader.refuseNull(["action", "keep_partial"], &list)
        action = reader.word("action", &list)
        keepsPartial = reader.bool("keep_partial", &list) ?? false
        if keepsPartial { reader.require("action", &list) }
        expectedRevision = reader.expectedRevision(from: 1, &list)
        reader.refuseNull(["sealed"], &list)
        isSealed = reader.bool("sealed", &list)
        if reader.value("limits") == .null {
            (rateBytesPerSecond, maxConcurrent, maxBytes) = (.clear, .clear, .clear)
        } else if var limits = reader.object("limits", &list) {
            rateBytesPerSecond = limits.change("rate_bytes_per_second") { $0.rate(&list) }
            maxConcurrent = limits.change("max_concurrent") { $0.maxConcurrent(&list) }
            maxBytes = limits.change("max_bytes") { $0.maxBytes(&list) }
            limits.finish(&list)
        }
        retention = reader.retentionChanges(&list)
        description = reader.change("description") { $0.plainDescription(&list) }
        labels = reader.objectPatch(.labels, &list)
        callbackURL = reader.change("callback_url") { $0.url("callback_url", of: .receiver, &list) }
        webhookIDs = reader.change("webhook_ids") { $0.webhookIDs(&list) }
        try reader.close(&list)
    }
}

extension ObjectReader {
    mutating func maxConcurrent(_ list: inout ViolationList) -> Int? {
        integer("max_concurrent", in: 1...1_000_000, &list).map { Int($0) }
    }
}
