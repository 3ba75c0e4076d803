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
    private let announce: (@Sendable (UInt16) -> Void)?
    private let logger: Logger

    /// - Parameters:
    ///   - server: Must be listening already: a port in use then ends the program before any service starts.
    ///   - announce: Tells a person that the service takes requests on this port. The log then says so to developers
    ///     only.
    public init(
        server: HTTPServer,
        events hub: EventHub,
        running: RunningDownloads,
        shutdownTimeout: Duration,
        announce: (@Sendable (UInt16) -> Void)? = nil,
        logger: Logger
    ) {
        self.server = server
        self.hub = hub
        self.running = running
        self.shutdownTimeout = shutdownTimeout
        self.announce = announce
        self.logger = logger
    }

    /// Returns once every request has its response, or the shutdown timeout is over.
    public func run() async throws {
        // A program that reads this log line may stop the service at once: the signal handlers are installed by now.
        announce?(server.port)
        logger.log(
            level: announce == nil ? .notice : .debug,
            "listening",
            metadata: ["server.address": "\(server.address)", "server.port": "\(server.port)"]
        )
        try? await gracefulShutdown()
        running.beginShutdown()
        // Streams never end on their own, so end them before the server waits for its connections.
        hub.shutdown()
        await server.shutdown(deadline: shutdownTimeout)
        logger.info("server stopped")
    }
}
