public import Core

/// The JSON of an operation, in responses and in its event.
public struct OperationBody: Resource {
    public static let usualLength = 512

    let operation: BulkOperation
    let waitingReason: String?

    /// - Parameter waitingReason: Why the operation does not go on; nil if it does.
    public init(_ operation: BulkOperation, waitingReason: String? = nil) {
        self.operation = operation
        self.waitingReason = waitingReason
    }

    public func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writeMembers(to: &writer, explaining: true)
            writer.member("waiting_reason", waitingReason)
            writer.member("links") { $0.member("self", "/operations/\(operation.id)") }
        }
    }

    /// - Parameter explaining: Whether each failure has a text. In an event, a hundred texts would be too long.
    func writeMembers(to writer: inout JSONWriter, explaining: Bool) {
        let request = operation.request
        writer.member("id", operation.id.text)
        writer.member("action", request.action.rawValue)
        writer.member("state", operation.state.rawValue)
        writer.member("dry_run", request.isDryRun)
        writer.member("keep_partial", request.keepsPartial)
        writer.member("force", request.forces)
        writer.member("delete_file", request.removesFile)
        writer.member("filter") { request.filter.writeMembers(to: &$0) }
        writer.member("matched", operation.counts.matched)
        writer.member("changed", operation.counts.changed)
        writer.member("unchanged", operation.counts.unchanged)
        writer.member("failed", operation.counts.failed)
        writer.name("failures")
        writer.array(operation.failures) { writer, failure in
            writer.object { writer in
                writer.member("id", failure.download.text)
                writer.member("code", failure.reason.rawValue)
                if explaining { writer.member("detail", failure.reason.detail) }
            }
        }
        writer.member("created_at", operation.createdAt)
        writer.member("started_at", operation.startedAt)
        writer.member("finished_at", operation.finishedAt)
    }
}

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
