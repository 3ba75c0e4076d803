public import Core

/// The JSON of an operation, in responses and in its event.
public struct OperationBody: Resource {
    public static let usualLength = 512

    let operation: BulkOperation
    let waitingReason: String?

    /// - Parameter waitingReason: Why the operation waits; nil if it does not.
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
