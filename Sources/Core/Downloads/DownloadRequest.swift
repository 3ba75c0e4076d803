public import HTTPFields

/// The request of a client: the part of a download that it may set and, in part, change.
public struct DownloadRequest: Hashable, Sendable {
    public var url: DownloadURL
    /// Further URLs of the same file, in the client's order.
    public var mirrors: [DownloadURL]
    /// The most ``mirrors`` that a client may name.
    public static let maximumMirrors = 32
    public var metalink: MetalinkMode
    /// The URL that gives another ``url`` when that is refused; nil for none.
    public var refreshURL: DownloadURL?
    public var session: SessionName?
    /// Below the downloads folder; nil for the folder itself.
    public var directory: RelativeDirectory?
    /// The client's name for the file; nil for the name of the origin or the URL.
    public var filename: FileName?
    public var onConflict: ConflictPolicy
    public var credentials: SealedCredentials?
    /// The visible part of the credentials.
    public var summary: RequestSummary
    public var expected: Expected
    /// The largest size in bytes; nil for no limit of its own.
    public var maxBytes: Int64?
    /// Bytes per second of all its connections; nil for no limit of its own.
    public var rateBytesPerSecond: Int64?
    /// The maximum of connections, from its next attempt on; nil for the service's setting.
    public var connections: Int?
    /// Attempts without progress before the run fails; nil if only time decides.
    public var maxAttempts: Int?
    public var deadline: Deadline
    /// Higher values are claimed first.
    public var priority: Priority
    /// It is queued no earlier; nil for at once.
    public var notBefore: Timestamp?
    /// Accepts a body whose end the origin does not prove.
    public var acceptsUnverifiedLength: Bool
    /// The client's description.
    public var description: String?
    /// A small JSON object of texts, as canonical JSON; nil when empty.
    public var labels: JSONText?
    /// A JSON object of the client's own, as canonical JSON; nil when empty.
    public var metadata: JSONText?
    /// A second request with it returns this download instead of creating one.
    public var dedupeKey: String?
    /// The URL that receives its end; nil for webhooks only.
    public var callbackURL: DownloadURL?
    /// The callback URLs of requests that joined by ``dedupeKey``; each once.
    public var joinedCallbackURLs: [DownloadURL] = []
    /// The webhooks that receive its events whatever their filters say of sessions and labels, each once.
    public var webhookIDs: [WebhookID]

    public init(
        url: DownloadURL,
        mirrors: [DownloadURL] = [],
        metalink: MetalinkMode = .follow,
        refreshURL: DownloadURL? = nil,
        session: SessionName? = nil,
        directory: RelativeDirectory? = nil,
        filename: FileName? = nil,
        onConflict: ConflictPolicy = .rename,
        credentials: SealedCredentials? = nil,
        summary: RequestSummary = RequestSummary(),
        expected: Expected = Expected(),
        maxBytes: Int64? = nil,
        rateBytesPerSecond: Int64? = nil,
        connections: Int? = nil,
        maxAttempts: Int? = nil,
        deadline: Deadline = .serviceDefault,
        priority: Priority = .ordinary,
        notBefore: Timestamp? = nil,
        acceptsUnverifiedLength: Bool = false,
        description: String? = nil,
        labels: JSONText? = nil,
        metadata: JSONText? = nil,
        dedupeKey: String? = nil,
        callbackURL: DownloadURL? = nil,
        webhookIDs: [WebhookID] = []
    ) {
        self.url = url
        self.mirrors = mirrors
        self.metalink = metalink
        self.refreshURL = refreshURL
        self.session = session
        self.directory = directory
        self.filename = filename
        self.onConflict = onConflict
        self.credentials = credentials
        self.summary = summary
        self.expected = expected
        self.maxBytes = maxBytes
        self.rateBytesPerSecond = rateBytesPerSecond
        self.connections = connections
        self.maxAttempts = maxAttempts
        self.deadline = deadline
        self.priority = priority
        self.notBefore = notBefore
        self.acceptsUnverifiedLength = acceptsUnverifiedLength
        self.description = description
        self.labels = labels
        self.metadata = metadata
        self.dedupeKey = dedupeKey
        self.callbackURL = callbackURL
        self.webhookIDs = webhookIDs
    }

    /// The maximum of callback URLs that join.
    public static let maximumJoined = 50

    /// Every callback URL that receives the last event.
    public var callbackURLs: [DownloadURL] { (callbackURL.map { [$0] } ?? []) + joinedCallbackURLs }

    /// Adds the receivers that another request for the same file names.
    public mutating func join(_ other: DownloadRequest) {
        webhookIDs += other.webhookIDs.filter { !webhookIDs.contains($0) }
        for url in other.callbackURLs where !callbackURLs.contains(url) {
            if callbackURL == nil { callbackURL = url } else { joinedCallbackURLs.append(url) }
        }
    }
}

/// What happens if the file's name is taken.
public enum ConflictPolicy: String, CaseIterable, Hashable, Sendable {
    /// The new file gets the next free name: `a (1).iso`.
    case rename
    /// The new file replaces the old one.
    case overwrite
    /// The download fails.
    case fail
}

/// The deadline of a run.
public enum Deadline: Hashable, Sendable {
    /// The service's default, from the start of the run; pauses are not counted.
    case serviceDefault
    /// An instant that the client chose.
    case at(Timestamp)

    /// The client's instant; nil for the service's default.
    public var chosen: Timestamp? {
        guard case .at(let deadline) = self else { return nil }
        return deadline
    }
}

/// What the client expects of the file.
public struct Expected: Hashable, Sendable {
    public var sizeBytes: Int64?
    public var digests: [Digest]

    public init(sizeBytes: Int64? = nil, digests: [Digest] = []) {
        self.sizeBytes = sizeBytes
        self.digests = digests
    }

    /// The first expected digest that a file does not match; nil if it matches all.
    ///
    /// - Parameter found: The file's digests. An expected one that is not among them counts as wrong.
    public func mismatch(_ found: [Digest]) -> DownloadError? {
        for expected in digests {
            let other = found.first { $0.algorithm == expected.algorithm }
            guard other != expected else { continue }
            return DownloadError(
                .checksumMismatch,
                message: "The file's \(expected.algorithm.rawValue) is \(other?.hex ?? "unknown"), not \(expected.hex)."
            )
        }
        return nil
    }
}

/// Canonical JSON text, validated where it was created.
public struct JSONText: Hashable, Sendable {
    public let text: String

    public init(canonical text: String) {
        self.text = text
    }
}

/// Encrypted header values and user information of a download.
public struct SealedCredentials: Hashable, Sendable {
    public let bytes: [UInt8]

    public init(bytes: [UInt8]) {
        self.bytes = bytes
    }
}

/// How a Metalink document (RFC 5854) is handled.
public enum MetalinkMode: String, CaseIterable, Hashable, Sendable {
    /// The described file is downloaded, from the URLs of the document.
    case follow
    /// The document itself is the file.
    case keep
}

/// How urgent a download is, from -100 to 100.
public struct Priority: Hashable, Comparable, Sendable {
    public let value: Int

    public static let range = -100...100
    public static let ordinary = Self(clamping: 0)

    /// nil outside of ``range``.
    public init?(_ value: Int) {
        guard Self.range.contains(value) else { return nil }
        self.value = value
    }

    public init(clamping value: Int) {
        self.value = min(max(value, Self.range.lowerBound), Self.range.upperBound)
    }

    public static func < (left: Self, right: Self) -> Bool { left.value < right.value }
}
