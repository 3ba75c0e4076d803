public import API
public import Core
public import Curl
public import HTTPServer
public import Service
public import Store
public import Transfer
public import UnixSignals

/// The configuration of an ``Application``: from the settings of `serve`, or set by a test.
public struct ApplicationConfiguration: Sendable {
    public var engine = EngineSettings()
    public var service = ServiceSettings()
    /// The rate limits that apply until a client sets others.
    public var limits = ServiceLimits()
    public var streams = StreamSettings()
    public var api = API.Settings()
    public var server = HTTPServer.Configuration()
    public var webhooks: Webhooks
    public var shutdown: ShutdownBudget
    /// The number of threads for blocking file calls.
    public var fileThreads = 16
    /// What downloads and webhooks reach other machines by.
    public var network = Network.system
    /// The signals that stop the application, even one that came before it ran; nil for none.
    public var signals: UnixSignalsSequence?
    /// The offset of local time from UTC at an instant, in minutes.
    public var utcOffsetMinutes: @Sendable (Timestamp) -> Int
    /// Whether downloads are scheduled. If false, no download changes its state.
    public var runsScheduler = true
    /// Tells a person where the service takes requests; nil to log it.
    public var announce: (@Sendable (HTTPServer) -> Void)?
    /// Runs on the store before any component starts.
    public var prepare: @Sendable (Store) async throws -> Void = { _ in }

    public struct Webhooks: Sendable {
        /// The webhook of the settings; nil for none.
        public var url: DownloadURL?
        public var secret: WebhookSecret
        public var userAgent: String
        /// A file of certificates to trust instead of the system's.
        public var certificateAuthorityFile: String?
        /// The time limit for a receiver's response.
        public var timeout = Duration.seconds(15)
        public var schedule = DeliverySchedule.standard

        public init(secret: WebhookSecret, userAgent: String) {
            self.secret = secret
            self.userAgent = userAgent
        }
    }

    public init(
        webhooks: Webhooks,
        shutdown: ShutdownBudget,
        utcOffsetMinutes: @escaping @Sendable (Timestamp) -> Int
    ) {
        self.webhooks = webhooks
        self.shutdown = shutdown
        self.utcOffsetMinutes = utcOffsetMinutes
    }
}
