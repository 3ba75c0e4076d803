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
        /// A longer body is refused with 413.
        public var maxBodyBytes: Int = 1 << 20
        /// The same for the paths that have a limit of their own.
        public var maxBodyBytesOfPath: [String: Int] = [:]
        /// The memory for a request's head. A longer one is answered 431 by libmicrohttpd itself.
        public var maxHeaderBytes: Int = 32 << 10
        /// A longer request target is refused with 414. One that exceeds ``maxHeaderBytes`` never reaches us:
        /// libmicrohttpd answers it 414 itself.
        public var maxTargetBytes: Int = 16 << 10
        /// Connections over all threads, shared evenly among them; those beyond wait in the listen queue.
        public var maxConnections: Int = 4096
        /// Connections from one address; 0 sets no limit. Those beyond are closed as they arrive.
        public var maxConnectionsPerAddress: Int = 0
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

        func maxBodyBytes(of head: ServerRequest.Head) -> Int { maxBodyBytesOfPath[head.path] ?? maxBodyBytes }

        private static var processorCount: Int { max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) }
    }
}
