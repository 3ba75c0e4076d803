internal import Glibc

extension HTTPServer {
    /// Where a server listens and what it bears from its clients.
    public struct Configuration: Sendable {
        /// An IPv4 or IPv6 literal, without brackets. An IPv6 address does not take IPv4 connections.
        public var address: String = "127.0.0.1"
        /// 0 takes a free port: read it from ``HTTPServer/port``.
        public var port: UInt16 = 8080
        /// libmicrohttpd's threads, each with its own epoll set; at least 1.
        public var threads: Int = Self.processorCount
        /// What the bodies of all requests together may hold, until they are answered. A request whose body has no room
        /// is refused with 503.
        public var maxBufferedBytes: Int = 64 << 20
        /// The paths that are answered although every connection is busy.
        public var vitalPaths: Set<String> = []
        /// The memory for a request's head. A longer one is answered 431 by libmicrohttpd itself.
        public var maxHeaderBytes: Int = 32 << 10
        /// A longer request target is refused with 414. One that exceeds ``maxHeaderBytes`` never reaches us:
        /// libmicrohttpd answers it 414 itself.
        public var maxTargetBytes: Int = 16 << 10
        /// Connections over all threads. One more takes the place of the one that has been idle longest. Where all are
        /// busy it is answered 503, unless it asks for one of the ``vitalPaths``.
        public var maxConnections: Int = 4096
        /// The same for the connections from one address (IPv6: one /64); nil sets no limit for those of this machine,
        /// and ``maxConnectionsPerRemoteAddress`` for others.
        public var maxConnectionsPerAddress: Int?
        /// How long a connection may stay silent between and within requests; rounded up to whole seconds.
        public var idleTimeout: Duration = .seconds(30)
        /// How long a head may take, from the opening of the connection to the empty line.
        ///
        /// On a kept-alive connection the next head is complete within ``idleTimeout`` plus this from the
        /// previous answer, and within this from its request line.
        public var headerDeadline: Duration = .seconds(10)
        /// How long a body may take, from the complete head to the last byte.
        public var bodyDeadline: Duration = .seconds(60)

        public init() {}

        /// The limit for each address of another machine, where none is set.
        public static let maxConnectionsPerRemoteAddress = 256

        private static var processorCount: Int { max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) }
    }
}
