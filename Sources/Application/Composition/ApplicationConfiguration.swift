public import API
public import Core
public import HTTPServer
public import Linux
public import Service
public import Store
public import Transfer

/// What the parts of an ``Application`` are to do: the settings of `serve`, or what a test wants.
public struct ApplicationConfiguration: Sendable {
    public var engine = EngineSettings()
    public var service = ServiceSettings()
    /// The rate limits until a client sets others.
    public var limits = ServiceLimits()
    public var streams = StreamSettings()
    public var api = API.Settings()
    public var server = HTTPServer.Configuration()
    public var webhooks: Webhooks
    public var shutdown: ShutdownBudget
    /// Threads for blocking file calls.
    public var fileThreads = 16
    /// Whether SIGTERM and SIGINT stop it.
    public var stopsOnSignals = true
    /// How many minutes local time is ahead of UTC at an instant.
    public var utcOffsetMinutes: @Sendable (Timestamp) -> Int
    /// False leaves every download where it is.
    public var runsScheduler = true
    /// Runs on the store before any part starts.
    public var prepare: @Sendable (Store) async throws -> Void = { _ in }

    public struct Webhooks: Sendable {
        /// The webhook of the settings; nil for none.
        public var url: DownloadURL?
        public var secret: WebhookSecret
        public var userAgent: String
        /// A file of certificates to trust instead of the system's.
        public var certificateAuthorityFile: String?
        /// How long a receiver may take to answer.
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

/// Where an ``Application`` keeps what it has.
public struct ApplicationFolder: Sendable {
    public var databasePath: String
    public var downloads: Directory
    public var parts: Directory
    /// The disk space that is released when the disk is full.
    public var reserve = StoreReserve.none
    /// Called if the database has no table yet. If it throws, no table is created.
    public var requireFirstStart: @Sendable () throws -> Void = {}
    /// The key that encrypts credentials. It is called after the database was opened: a key without a database means
    /// that the database was lost.
    public var key: @Sendable () throws -> [UInt8]

    public init(
        databasePath: String,
        downloads: Directory,
        parts: Directory,
        key: @escaping @Sendable () throws -> [UInt8]
    ) {
        self.databasePath = databasePath
        self.downloads = downloads
        self.parts = parts
        self.key = key
    }
}

/// The shares of the shutdown time for the parts that stop one after the other. Time that a part does not use goes to
/// the next one; no part can use the next one's share.
public struct ShutdownBudget: Sendable {
    /// For in-flight requests. One that takes longer is cut off.
    public var requests: Duration
    /// For deliveries in flight. One that takes longer is sent again after the restart.
    public var webhooks: Duration
    /// For all parts. Workers that have not recorded their last bytes by then are left to the next start. Transfers and
    /// store need a moment after them. Nil for no limit.
    public var services: Duration?

    public init(requests: Duration, webhooks: Duration, services: Duration?) {
        self.requests = requests
        self.webhooks = webhooks
        self.services = services
    }

    /// In-flight requests get 40 % of the time, deliveries 20 %.
    init(total: Duration) {
        self.init(requests: total * 2 / 5, webhooks: total / 5, services: total * 9 / 10)
    }
}
