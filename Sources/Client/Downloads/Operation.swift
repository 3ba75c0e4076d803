public import FoundationEssentials

/// An action on many downloads. The service carries it out in steps, also across restarts.
public struct Operation: Hashable, Sendable, Decodable {
    /// A download on which the action failed.
    public struct Failure: Hashable, Sendable, Decodable {
        public var id: String
        public var code: String
        public var detail: String?
    }

    /// `op_…`
    public var id: String
    public var action: String
    /// `finished` once it has ended.
    public var state: String
    public var dryRun: Bool?
    public var keepPartial: Bool?
    public var force: Bool?
    public var deleteFile: Bool?
    /// As it was requested.
    public var filter: JSONValue?
    /// How many downloads were examined so far and matched: changed, unchanged and failed together.
    public var matched: Int
    public var changed: Int
    public var unchanged: Int
    public var failed: Int
    /// The first hundred.
    public var failures: [Failure]?
    /// Why it waits; nil if it does not.
    public var waitingReason: String?
    public var createdAt: Date?
    public var startedAt: Date?
    public var finishedAt: Date?
    public var links: JSONValue?

    public var isFinished: Bool { state == "finished" }
}

/// Actions on many downloads.
extension CormorantClient {
    /// Starts an action on many downloads.
    public func act(_ action: BulkAction, key: String? = nil) async throws(ClientError) -> Operation {
        try await send("POST", "/downloads/actions", action, key: key)
    }

    public func operation(_ id: String) async throws(ClientError) -> Operation {
        try await get(APIRequest.path("operations", id))
    }

    /// Carries an action out and waits for its end.
    ///
    /// - Parameter progress: Called with each reading of the counts, five times a second.
    public func finish(
        _ action: BulkAction,
        progress: (Operation) async -> Void = { _ in }
    ) async throws(ClientError) -> Operation {
        var operation = try await act(action)
        while !operation.isFinished {
            await progress(operation)
            // The service sends the end only to event streams, so the operation is read again after a pause.
            do { try await Task.sleep(for: .milliseconds(operation.matched == 0 ? 20 : 200)) } catch {
                throw .cancelled
            }
            operation = try await self.operation(operation.id)
        }
        return operation
    }
}
