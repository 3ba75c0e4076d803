public import API
import Core
public import Service
public import Store
public import Transfer

extension TestService {
    /// What a test wants otherwise than usual.
    public struct Options: Sendable {
        public var token: String?
        public var hosts: [String]? = ["localhost", "127.0.0.1", "::1"]
        public var corsOrigins: [String] = []
        public var maxBodyBytes = 1 << 20
        /// What credentials are sealed with.
        public var key = [UInt8](repeating: 7, count: 32)
        public var jobs = JobSettings()
        public var streams = StreamSettings()
        public var engine = EngineSettings(minFreeBytes: 0, flushBytes: 256 << 10)
        public var webhookURL: String?
        /// So long that no busy machine makes a receiver late.
        public var webhookTimeout = Duration.seconds(600)
        /// Nor a client that reads.
        public var idleTimeout = Duration.seconds(600)
        /// False leaves every download where it is, for tests that move it by hand.
        public var runsScheduler = true
        /// Done to the store before anything begins.
        public var prepare: @Sendable (Store) async throws -> Void = { _ in }

        /// The limits on the rate that the engine's settings name.
        var limits: ServiceLimits {
            ServiceLimits(bytesPerSecond: engine.rateLimit, bytesPerSecondPerHost: engine.rateLimitPerHost)
        }

        public init() {}

        /// Those of most tests, but for what `change` changes.
        public static func with(_ change: (inout Options) -> Void) -> Options {
            var options = Options()
            change(&options)
            return options
        }
    }
}
