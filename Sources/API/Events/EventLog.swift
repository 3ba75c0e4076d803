import Core
import HTTPServer
import HTTPTypes
import Service

/// `/events` and `/downloads/{id}/events`: the log of events, in pages and as a stream.
struct EventLog: Sendable {
    static let stream = "text/event-stream"

    let service: DownloadService
    let hub: EventHub

    // MARK: - GET

    func get(_ context: RequestContext) async throws -> ServerResponse {
        let query = try EventQuery(context, acceptsSubjects: true)
        if context.acceptsStream { return try await stream(query, of: nil, context) }
        return try await page(query)
    }

    func get(of id: DownloadID, _ context: RequestContext) async throws -> ServerResponse {
        var query = try EventQuery(context, acceptsSubjects: false)
        if context.acceptsStream { return try await stream(query, of: id, context) }
        _ = try await service.download(id)
        query.filter.download = id
        return try await page(query)
    }

    private func page(_ query: EventQuery) async throws -> ServerResponse {
        let page = try await service.events(query.filter, after: query.after, limit: query.limit)
        if let after = query.after, !page.window.holdsAll(after: after) {
            throw Problem(
                .eventsExpired,
                "The log no longer has the event after this number, or does not have it yet.",
                extras: [.oldestSequence(page.window.oldest)]
            )
        }
        return .json(.ok, EventPageBody(page).encoded())
    }

    private func stream(
        _ query: EventQuery,
        of subject: DownloadID?,
        _ context: RequestContext
    ) async throws -> ServerResponse {
        // Proxies that buffer responses would delay events. nginx does not buffer a response with this field.
        let fields: HTTPFields = [.contentType: "\(Self.stream); charset=utf-8", .accelBuffering: "no"]
        let request = query.stream(of: subject, caller: context.limitedCaller)
        if context.request.method == .head { return try await head(of: request, fields) }
        let opened = try await hub.open(request)
        // Status 204 makes a browser stop reconnecting (WHATWG HTML, section 9.2.3).
        guard let stream = opened else { return ServerResponse(status: .noContent) }
        let body = ResponseStream {
            switch stream.next() {
            case .bytes(let bytes): .bytes(bytes)
            case .nothingYet: .nothingYet
            case .end: .end
            }
        } ended: {
            stream.close()
        }
        // The body retains the stream. The server frees the body.
        stream.attach { [weak body] in body?.wake() }
        return ServerResponse(status: .ok, headerFields: fields, body: .stream(body))
    }

    /// The head of a stream's response. No stream is opened, because a `HEAD` response has no body.
    private func head(of request: StreamRequest, _ fields: HTTPFields) async throws -> ServerResponse {
        let hasMore = try await hub.hasMore(request)
        guard hasMore else { return ServerResponse(status: .noContent) }
        let body = ResponseStream {
            .end
        } ended: {
        }
        return ServerResponse(status: .ok, headerFields: fields, body: .stream(body))
    }
}

extension RequestContext {
    fileprivate var acceptsStream: Bool {
        let accept = Accept(fields[.accept])
        if accept.prefers(EventLog.stream, to: "application/json") { return true }
        return accept.allows(EventLog.stream) && !accept.allows("application/json")
    }
}
