public import Core

/// An operation as the API and its event show it.
public struct OperationBody: Resource {
    public static let usualLength = 512

    let operation: BulkOperation

    public init(_ operation: BulkOperation) {
        self.operation = operation
    }

    public func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writeMembers(to: &writer, explaining: true)
            writer.member("links") { $0.member("self", "/operations/\(operation.id)") }
        }
    }

    /// - Parameter explaining: Whether each failure has a sentence. A hundred would make an event too long.
    func writeMembers(to writer: inout JSONWriter, explaining: Bool) {
        let request = operation.request
        writer.member("id", operation.id.text)
        writer.member("action", request.action.rawValue)
        writer.member("state", operation.state.rawValue)
        writer.member("dry_run", request.isDryRun)
        writer.member("keep_partial", request.keepsPartial)
        writer.member("force", request.forces)
        writer.member("delete_file", request.removesFile)
        writer.member("filter") { request.filter.write(to: &$0) }
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

extension DownloadFilter {
    /// Only the members that filter.
    fileprivate func write(to writer: inout JSONWriter) {
        if !states.isEmpty {
            writer.name("state")
            writer.array(states) { $0.string($1.rawValue) }
        }
        if let session { writer.member("session", session.text) }
        if !ids.isEmpty {
            writer.name("id")
            writer.array(ids) { $0.string($1.text) }
        }
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
            reader.refuse(["keep_partial"], unless: action == .cancel, is: "cancel", &list)
            reader.refuse(["force", "delete_file"], unless: action == .delete, is: "delete", &list)
        }
        filter = reader.bulkFilter(&list)
        try reader.close(&list)
    }
}

extension ObjectReader {
    fileprivate mutating func refuse(
        _ names: [String],
        unless isAllowed: Bool,
        is action: String,
        _ list: inout ViolationList
    ) {
        for name in names where !isAllowed && present(name) != nil {
            list.add(pointer.appending(name), .forbidden, "Only with \"action\": \"\(action)\".")
        }
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
        filter.ids = downloadIDs("ids", &list)
        guard var members = object("filter", &list) else { return filter }
        // A filter that was lost on its way must not become all downloads.
        members.refuseNull(["state", "session", "id"], &list)
        filter.states = members.states(&list)
        filter.session = members.session(&list)
        filter.ids += members.downloadIDs("id", &list)
        members.finish(&list)
        return filter
    }

    private mutating func states(_ list: inout ViolationList) -> [DownloadState] {
        guard let items = array("state", "states", &list) else { return [] }
        let states = items.compactMap { item, _ -> DownloadState? in
            guard case .string(let text) = item else { return nil }
            return DownloadState(rawValue: text)
        }
        guard states.count == items.count, Set(states).count == states.count, !states.isEmpty else {
            let words = DownloadState.allCases.map(\.rawValue).joined(separator: ", ")
            list.add(pointer.appending("state"), .unknownWord, "Expected one or more of: \(words); none twice.")
            return []
        }
        return states
    }

    private mutating func downloadIDs(_ name: String, _ list: inout ViolationList) -> [DownloadID] {
        guard let items = array(name, atMost: BulkRequest.maximumIDs, "ids", &list) else { return [] }
        if items.isEmpty { list.add(pointer.appending(name), .outOfRange, "Expected at least one id.") }
        var ids: [DownloadID] = []
        for (item, pointer) in items {
            guard case .string(let text) = item, let id = DownloadID(text) else {
                list.add(pointer, .malformed, "Expected the id of a download.")
                continue
            }
            if ids.contains(id) { list.add(pointer, .malformed, "An id occurs twice.") }
            ids.append(id)
        }
        return ids
    }
}
