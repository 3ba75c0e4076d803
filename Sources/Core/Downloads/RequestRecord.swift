/// An entry of the request log: a request of a download and its result.
public struct RequestRecord: Hashable, Sendable {
    /// The number of the request within the download, from 1.
    public var number: Int
    /// The run of the download, and the attempt within the run.
    public var run: Int
    public var attempt: Int
    public var at: Timestamp
    public var method: RequestMethod
    /// The URL that responded, after redirects; without a response, the last requested one.
    public var url: String
    public var redirects = 0
    /// The offset of the first requested byte; nil for the whole file.
    public var first: Int64?
    /// The offset of the last requested byte; nil for an open end.
    public var last: Int64?
    /// The header of the response; nil if there is none yet.
    public var response: Response?
    public var decision: Decision?
    /// The end of the request; nil while it is in progress.
    public var end: End?

    public init(number: Int, run: Int, attempt: Int, at: Timestamp, method: RequestMethod, url: String) {
        self.number = number
        self.run = run
        self.attempt = attempt
        self.at = at
        self.method = method
        self.url = url
    }

    /// The header of a response. Its field values are as received.
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

    /// The decision on a response after its header arrived.
    public struct Decision: Hashable, Sendable {
        public var kind: DecisionKind
        /// The reason: the API name of a restart reason, of a range rejection, or of an error.
        public var reason: String?

        public init(_ kind: DecisionKind, reason: String? = nil) {
            self.kind = kind
            self.reason = reason
        }
    }

    public enum DecisionKind: String, CaseIterable, Hashable, Sendable {
        case accept
        case restart
        case requestWithoutRange = "ask_plain"
        case requestWithOtherCondition = "ask_otherwise"
        case singleStream = "single_stream"
        case alreadyComplete = "already_complete"
        /// The file is of the version that was downloaded before.
        case notModified = "not_modified"
        case retry
        case suspect
        case waitForCredentials = "wait_for_credentials"
        /// `refresh_url` returned another URL.
        case newURL = "new_link"
        case fail
    }

    /// How a request ended.
    public struct End: Hashable, Sendable {
        /// The number of received body bytes, whether used or not.
        public var receivedBytes: Int64
        /// The time from the request to the end of the response.
        public var duration: Duration
        /// Why there was no response, or why its body ended early; nil after a complete response.
        public var error: String?
        /// libcurl's `CURLcode`; nil if the transport did not fail.
        public var curlCode: Int?

        public init(receivedBytes: Int64, duration: Duration, error: String? = nil, curlCode: Int? = nil) {
            self.receivedBytes = receivedBytes
            self.duration = duration
            self.error = error
            self.curlCode = curlCode
        }
    }

    /// The error of a request that the service itself ended, because it was slow or the download was stopped.
    public static let givenUp = "given_up"

    /// The maximum number of stored requests of a download. Older ones are removed.
    public static let maxStored = 100

    /// Whether the whole file was requested and accepted without a redirect or an error. The download's own fields then
    /// contain the same information.
    public var isPlain: Bool {
        first == nil && redirects == 0 && decision?.kind == .accept && end.map { $0.error == nil } == true
    }
}
