import Core

/// The body of `POST /downloads/actions`.
extension BulkRequest {
    init(parsing bytes: [UInt8]) throws(BodyError) {
        var list = ViolationList()
        var reader = try ObjectReader(body: bytes)
        reader.require("action", &list)
        let action: BulkAction? = reader.word("action", &list)
        self.init(action: action ?? .pause)
        isDryRun = reader.bool("dry_run", &list) ?? false
        keepsPartial = reader.bool("keep_partial", &list) ?? false
        forces = reader.bool("force", &list) ?? false
        removesFile = reader.bool("delete_file", &list) ?? true
        if let action {
            // Generated clients send a member that was not set with its default, which changes nothing.
            if keepsPartial { reader.refuse("keep_partial", unless: [.cancel], having: action, &list) }
            if forces { reader.refuse("force", unless: [.delete, .retry], having: action, &list) }
            if !removesFile { reader.refuse("delete_file", unless: [.delete], having: action, &list) }
        }
        filter = reader.bulkFilter(&list)
        try reader.close(&list)
    }
}

extension ObjectReader {
    fileprivate func refuse(
        _ name: String,
        unless allowed: [BulkAction],
        having action: BulkAction,
        _ list: inout ViolationList
    ) {
        let words = allowed.map { "\"\($0.rawValue)\"" }.joined(separator: " or ")
        guard !allowed.contains(action) else { return }
        list.add(pointer.appending(name), .forbidden, "Only with \"action\": \(words).")
    }

    /// `filter` or `ids`: exactly one.
    fileprivate mutating func bulkFilter(_ list: inout ViolationList) -> DownloadFilter {
        let (hasFilter, hasIDs) = (present("filter") != nil, present("ids") != nil)
        if hasFilter, hasIDs {
            list.add(pointer.appending("ids"), .forbidden, "Expected \"filter\" or \"ids\", not both.")
        } else if !hasFilter, !hasIDs {
            let detail = "Expected \"filter\" or \"ids\"; \"filter\": {} is all downloads."
            list.add(pointer.appending("filter"), .required, detail)
        }
        var filter = DownloadFilter()
        if var members = object("filter", &list) {
            filter = DownloadFilter(&members, &list)
            members.finish(&list)
        }
        filter.read(.id, from: "ids", of: &self, &list)
        return filter
    }
}
