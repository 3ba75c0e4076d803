import CDocuments
import Core
public import HTTPServer
import HTTPTypes
public import Logging
public import Service
public import ServiceLifecycle

/// Serves the API until the service stops, then answers the in-flight requests.
public struct APIService: Service {
    private let server: HTTPServer
    private let hub: EventHub
    private let running: RunningDownloads
    private let shutdownTimeout: Duration
    private let logger: Logger

    /// - Parameter server: It listens already, so that a port in use ends the program before any part starts.
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

    /// Ends once every request is answered, or the time for that is over.
    public func run() async throws {
        // A reader of this line may stop the service at once: the signal handlers are installed by now.
        logger.notice(
            "listening",
            metadata: ["server.address": "\(server.address)", "server.port": "\(server.port)"]
        )
        try? await gracefulShutdown()
        running.beginDraining()
        // Before the server waits for its connections: a stream does not end by itself.
        hub.shutdown()
        await server.shutdown(deadline: shutdownTimeout)
        logger.info("server stopped")
    }
}

/// What the service serves to be read: built into the program, so that it is there wherever the program is.
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

    /// The page of a type of problem.
    @Sendable static func explanation(_ type: ProblemType, _ context: RequestContext) throws(Problem) -> ServerResponse
    {
        _ = try Query(context.request.query)
        return .text(type.page)
    }
}
