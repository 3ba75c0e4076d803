import Core

/// The body of `POST /downloads/actions`.
extension BulkRequest {
    init(parsing bytes: [UInt8]) throws(BodyError) {
        var reader = try ObjectReader(body: bytes)
        reader.require("action")
        let action: BulkAction? = reader.word("action")
        self.init(action: action ?? .pause)
        isDryRun = reader.bool("dry_run") ?? false
        keepsPartial = reader.bool("keep_partial") ?? false
        forces = reader.bool("force") ?? false
        removesFile = reader.bool("delete_file") ?? true
        if let action {
            // Generated clients send a member that was not set with its default, which changes nothing.
            if keepsPartial { reader.refuse("keep_partial", unless: [.cancel], having: action) }
            if forces { reader.refuse("force", unless: [.delete, .retry], having: action) }
            if !removesFile { reader.refuse("delete_file", unless: [.delete], having: action) }
        }
        filter = reader.bulkFilter()
        try reader.close()
    }
}

extension ObjectReader {
    fileprivate func refuse(
        _ name: String,
        unless allowed: [BulkAction],
        having action: BulkAction
    ) {
        let words = allowed.map { "\"\($0.rawValue)\"" }.joined(separator: " or ")
        guard !allowed.contains(action) else { return }
        refuse(name, .forbidden, "Only with \"action\": \(words).")
    }

    /// `filter` or `ids`: exactly one.
    fileprivate mutating func bulkFilter() -> DownloadFilter {
        let (hasFilter, hasIDs) = (present("filter") != nil, present("ids") != nil)
        if hasFilter, hasIDs {
            refuse("ids", .forbidden, "Expected \"filter\" or \"ids\", not both.")
        } else if !hasFilter, !hasIDs {
            let detail = "Expected \"filter\" or \"ids\"; \"filter\": {} is all downloads."
            refuse("filter", .required, detail)
        }
        var filter = object("filter") { DownloadFilter(&$0) } ?? DownloadFilter()
        filter.read(.id, from: "ids", of: &self)
        return filter
    }
}
