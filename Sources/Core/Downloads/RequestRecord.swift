/// A request that was made for a download, and what came of it: an entry of the download's account.
public struct RequestRecord: Hashable, Sendable {
    /// Counts the requests of a download, from 1 on.
    public var number: Int
    /// The run of the download, and its attempt in it.
    public var run: Int
    public var attempt: Int
    public var at: Timestamp
    public var method: RequestMethod
    /// The address that answered, or that was asked last: where redirects led to.
    public var url: String
    public var redirects = 0
    /// The first byte that was asked for; nil for the whole file.
    public var first: Int64?
    /// The last byte that was asked for; nil for an open end.
    public var last: Int64?
    /// Of the answer; nil where none came, or none has come yet.
    public var answer: Answer?
    public var verdict: Verdict?
    /// How it ended; nil as long as it is under way.
    public var end: End?

    public init(number: Int, run: Int, attempt: Int, at: Timestamp, method: RequestMethod, url: String) {
        self.number = number
        self.run = run
        self.attempt = attempt
        self.at = at
        self.method = method
        self.url = url
    }

    /// What the head of an answer says. Its fields are as they came.
    public struct Answer: Hashable, Sendable {
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

    /// What was decided on an answer by its head.
    public struct Verdict: Hashable, Sendable {
        public var decision: Decision
        /// Why: the word of a restart, of a plain repetition, or of an error.
        public var reason: String?

        public init(_ decision: Decision, reason: String? = nil) {
            self.decision = decision
            self.reason = reason
        }
    }

    /// What can be decided on an answer.
    public enum Decision: String, CaseIterable, Hashable, Sendable {
        case accept
        case restart
        case requestWithoutRange = "ask_plain"
        case requestWithOtherCondition = "ask_otherwise"
        case singleStream = "single_stream"
        case alreadyComplete = "already_complete"
        case retry
        case suspect
        case waitForCredentials = "wait_for_credentials"
        /// Who gives links gave another one.
        case newLink = "new_link"
        case fail
    }

    /// How a request ended.
    public struct End: Hashable, Sendable {
        /// Bytes of the body that came, taken or not.
        public var receivedBytes: Int64
        /// From the request to the end of its answer.
        public var duration: Duration
        /// Why no answer came, or why its body broke off; nil where it ended as it should.
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

    /// The error of a transfer that the service ended: for being slow, or since the download was stopped.
    public static let givenUp = "given_up"

    /// How many are kept of a download; older ones go.
    public static let kept = 100

    /// Whether it was asked for the whole file and got it, from the URL itself: what the download tells by itself.
    public var isPlain: Bool {
        first == nil && redirects == 0 && verdict?.decision == .accept && end.map { $0.error == nil } == true
    }
}
