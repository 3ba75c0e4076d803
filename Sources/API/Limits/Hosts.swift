import Core
import HTTPServer
import HTTPTypes
import Service

/// `/hosts` and `/hosts/{authority}`.
struct Hosts: Sendable {
    let service: DownloadService
    let cursors: CursorSealer

    func get(_ authority: String, _ context: RequestContext) async throws -> ServerResponse {
        _ = try Query(context.request.query)
        let host = try await service.host(authority)
        return .json(.ok, HostBody(host).encoded())
    }

    func patch(_ authority: String, _ context: RequestContext) async throws -> ServerResponse {
        try await context.patching { try await change(authority, context) }
    }

    private func change(_ authority: String, _ context: RequestContext) async throws -> ServerResponse {
        _ = try Query(context.request.query)
        let bytes = context.body
        let patch = try PatchHostBody(parsing: bytes)
        // A host has no ETag that a condition could match.
        guard Preconditions(context.fields).allowsChange(of: "") else {
            throw Problem(.preconditionFailed, "A host has no ETag.")
        }
        do {
            let host = try await service.changeHost(authority, bytesPerSecond: patch.rateBytesPerSecond)
            return .json(.ok, HostBody(host).encoded(), [.acceptPatch: RequestContext.acceptPatch])
        } catch ServiceError.notFound {
            throw Problem(.notFound, "Unknown host. Expected lower case and a port, such as example.com:443.")
        }
    }

    func list(_ context: RequestContext) async throws -> ServerResponse {
        let query = try Query(context.request.query, allowed: ["limit", "cursor"], problem: .invalidFilter)
        let paging = try Paging(query, path: "/hosts", list: "hosts", cursors) { $0 }
        let hosts = try await service.hosts(after: paging.after, limit: paging.fetchLimit)
        return paging.response(hosts, key: \.authority, item: HostBody.init)
    }
}
