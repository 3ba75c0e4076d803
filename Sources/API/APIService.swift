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
    private let announce: (@Sendable (HTTPServer) -> Void)?
    private let logger: Logger

    /// - Parameters:
    ///   - server: Must be listening already: a port in use then ends the program before any service starts.
    ///   - announce: Tells a person where the service takes requests. The log then says so to developers only.
    public init(
        server: HTTPServer,
        events hub: EventHub,
        running: RunningDownloads,
        shutdownTimeout: Duration,
        announce: (@Sendable (HTTPServer) -> Void)? = nil,
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
        announce?(server)
        for address in server.addresses {
            Self.logListening(on: address, logger, announce == nil ? .notice : .debug)
        }
        for address in server.awaitedAddresses {
            logger.warning(
                "no interface has this address yet; it is tried each second",
                metadata: ["server.address": "\(address.host)", "server.port": .stringConvertible(address.port)]
            )
        }
        try? await gracefulShutdown()
        running.beginShutdown()
        // Streams never end on their own, so end them before the server waits for its connections.
        hub.shutdown()
        await server.shutdown(deadline: shutdownTimeout)
        logger.info("server stopped")
    }

    /// Logs that the service takes requests at an address.
    public static func logListening(on address: ServerAddress, _ logger: Logger, _ level: Logger.Level) {
        logger.log(
            level: level,
            "listening",
            metadata: ["server.address": "\(address.host)", "server.port": .stringConvertible(address.port)]
        )
    }
}
