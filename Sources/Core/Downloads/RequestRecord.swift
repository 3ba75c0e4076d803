/// A request of a download and its result: an entry of the request log.
public struct RequestRecord: Hashable, Sendable {
    /// Counts the requests of a download, from 1 on.
    public var number: Int
    /// The run of the download, and its attempt in it.
    public var run: Int
    public var attempt: Int
    public var at: Timestamp
    public var method: RequestMethod
    /// The address that answered, or the last one requested: after redirects.
    public var url: String
    public var redirects = 0
    /// The first requested byte; nil for the whole file.
    public var first: Int64?
    /// The last requested byte; nil for an open end.
    public var last: Int64?
    /// The status; nil without a response so far.
    public var response: Response?
    public var decision: Decision?
    /// Its end; nil while it is in flight.
    public var end: End?

    public init(number: Int, run: Int, attempt: Int, at: Timestamp, method: RequestMethod, url: String) {
        self.number = number
        self.run = run
        self.attempt = attempt
        self.at = at
        self.method = method
        self.url = url
    }

    /// The head of a response. Its fields are as received.
    public struct Response: Hashable, Sendable {
        public var status: Int
        public var httpVersion: String?
        public var etag: String?
        public var lastModified: String?
        public var contentRange: String?
        public var contentLength: Int64?
        public var remoteAddress: String?

        public init(
            status: Int,
            httpVersion: String? = nil,
            etag: String? = nil,
            lastModified: String? = nil,
            contentRange: String? = nil,
            contentLength: Int64? = nil,
            remoteAddress: String? = nil
        ) {
            self.status = status
            self.httpVersion = httpVersion
            self.etag = etag
            self.lastModified = lastModified
            self.contentRange = contentRange
            self.contentLength = contentLength
            self.remoteAddress = remoteAddress
        }
    }

    /// The decision on a response by its head.
    public struct Decision: Hashable, Sendable {
        public var kind: DecisionKind
        /// The reason: the word of a restart, of a repeated request, or of an error.
        public var reason: String?

        public init(_ kind: DecisionKind, reason: String? = nil) {
            self.kind = kind
            self.reason = reason
        }
    }

    /// The possible decisions on a response.
    public enum DecisionKind: String, CaseIterable, Hashable, Sendable {
        case accept
        case restart
        case requestWithoutRange = "ask_plain"
        case requestWithOtherCondition = "ask_otherwise"
        case singleStream = "single_stream"
        case alreadyComplete = "already_complete"
        case retry
        case suspect
        case waitForCredentials = "wait_for_credentials"
        /// `refresh_url` gave another URL.
        case newURL = "new_link"
        case fail
    }

    /// How a request ended.
    public struct End: Hashable, Sendable {
        /// Received bytes of the body, used or not.
        public var receivedBytes: Int64
        /// From the request to the end of the response.
        public var duration: Duration
        /// Why no response came, or its body broke off; nil after a complete response.
        public var error: String?
        /// libcurl's `CURLcode`, where the transport failed.
        public var transportCode: Int?

        public init(receivedBytes: Int64, duration: Duration, error: String? = nil, transportCode: Int? = nil) {
            self.receivedBytes = receivedBytes
            self.duration = duration
            self.error = error
            self.transportCode = transportCode
        }
    }

    /// The error of a transfer that the service itself ended, because it was slow or the download was stopped.
    public static let givenUp = "given_up"

    /// The number of stored requests of a download; older ones are removed.
    public static let maxStored = 100

    /// Whether it requested the whole file and got it, without a redirect: the download itself says as much.
    public var isPlain: Bool {
        first == nil && redirects == 0 && decision?.kind == .accept && end.map { $0.error == nil } == true
    }
}
