import CDocuments
import Core
public import HTTPServer
import HTTPTypes
public import Logging
public import Service
public import ServiceLifecycle

/// Serves the API until the service stops, then completes the in-flight requests.
public struct APIService: Service {
    private let server: HTTPServer
    private let hub: EventHub
    private let running: RunningDownloads
    private let shutdownTimeout: Duration
    private let logger: Logger

    /// - Parameter server: Must be listening already: a port in use then ends the program before any service starts.
    public init(
        server: HTTPServer,
        events hub: EventHub,
        running: RunningDownloads,
        shutdownTimeout: Duration,
        logger: Logger
    ) {
        self.server = server
        self.hub = hub
        self.running = running
        self.shutdownTimeout = shutdownTimeout
        self.logger = logger
    }

    /// Returns once every request has its response, or the shutdown timeout is over.
    public func run() async throws {
        // A program that reads this log line may stop the service at once: the signal handlers are installed by now.
        logger.notice(
            "listening",
            metadata: ["server.address": "\(server.address)", "server.port": "\(server.port)"]
        )
        try? await gracefulShutdown()
        running.beginDraining()
        // Streams never end on their own, so end them before the server waits for its connections.
        hub.shutdown()
        await server.shutdown(deadline: shutdownTimeout)
        logger.info("server stopped")
    }
}

/// Documents that are built into the program, so they need no files beside it.
enum Documents {
    @Sendable static func description(_ context: RequestContext) throws(Problem) -> ServerResponse {
        _ = try Query(context.request.query)
        return ServerResponse(
            status: .ok,
            headerFields: [.contentType: "application/yaml; charset=utf-8"],
            body: .bytes(openAPIBytes)
        )
    }

    private static let openAPIBytes: [UInt8] = unsafe Array(
        UnsafeBufferPointer(start: cormorant_openapi, count: cormorant_openapi_length)
    )

    /// The page that explains a problem type.
    @Sendable static func explanation(_ type: ProblemType, _ context: RequestContext) throws(Problem) -> ServerResponse
    {
        _ = try Query(context.request.query)
        return .text(type.page)
    }
}
