/// What a client asked for: the part of a download that it may set and, in part, change.
public struct DownloadRequest: Hashable, Sendable {
    public var url: SourceURL
    /// Further URLs of the same file, in the client's order, as ``SourceURL/text``.
    public var mirrors: [String]
    public var metalink: MetalinkMode
    /// Who is asked for another ``url`` when that one is refused, as ``SourceURL/text``; nil for nobody.
    public var refreshURL: String?
    public var session: SessionName?
    /// Below the downloads folder; nil for the folder itself.
    public var directory: RelativeDirectory?
    /// The client's own name for the file; nil lets the origin's or the URL's be taken.
    public var filename: FileName?
    public var onConflict: ConflictPolicy
    public var credentials: SealedCredentials?
    /// What of the credentials a client may see.
    public var outline: RequestOutline
    public var expected: Expected
    /// More bytes than this end the download; nil for no limit of its own.
    public var maxBytes: Int64?
    /// What its connections together may take, in bytes per second; nil for no limit of its own.
    public var rateBytesPerSecond: Int64?
    /// The most connections that fetch it at once, from its next attempt on; nil for what the service allows.
    public var connections: Int?
    /// Attempts without progress before the run fails; nil leaves it to the clock.
    public var maxAttempts: Int?
    public var deadline: Deadline
    /// The higher is claimed first.
    public var priority: Priority
    /// It is not queued before; nil for at once.
    public var notBefore: Timestamp?
    /// Takes a body whose end the origin does not prove.
    public var acceptsUnverifiedLength: Bool
    /// A small JSON object of texts, as canonical JSON; nil when empty.
    public var labels: JSONText?
    /// A JSON object of the client's own, as canonical JSON; nil when empty.
    public var metadata: JSONText?
    /// Returns the download that has it instead of making a second one.
    public var dedupeKey: String?
    /// Who is told when it has ended, as ``SourceURL/text``; nil for the webhooks alone.
    public var callbackURL: String?
    /// The same of those that asked for it later, by its ``dedupeKey``; each once.
    public var joinedCallbackURLs: [String] = []
    /// The webhooks that receive its events whatever their filters say of sessions and labels, each once.
    public var webhookIDs: [WebhookID]

    public init(
        url: SourceURL,
        mirrors: [String] = [],
        metalink: MetalinkMode = .follow,
        refreshURL: String? = nil,
        session: SessionName? = nil,
        directory: RelativeDirectory? = nil,
        filename: FileName? = nil,
        onConflict: ConflictPolicy = .rename,
        credentials: SealedCredentials? = nil,
        outline: RequestOutline = RequestOutline(),
        expected: Expected = Expected(),
        maxBytes: Int64? = nil,
        rateBytesPerSecond: Int64? = nil,
        connections: Int? = nil,
        maxAttempts: Int? = nil,
        deadline: Deadline = .serviceDefault,
        priority: Priority = .ordinary,
        notBefore: Timestamp? = nil,
        acceptsUnverifiedLength: Bool = false,
        labels: JSONText? = nil,
        metadata: JSONText? = nil,
        dedupeKey: String? = nil,
        callbackURL: String? = nil,
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
        self.outline = outline
        self.expected = expected
        self.maxBytes = maxBytes
        self.rateBytesPerSecond = rateBytesPerSecond
        self.connections = connections
        self.maxAttempts = maxAttempts
        self.deadline = deadline
        self.priority = priority
        self.notBefore = notBefore
        self.acceptsUnverifiedLength = acceptsUnverifiedLength
        self.labels = labels
        self.metadata = metadata
        self.dedupeKey = dedupeKey
        self.callbackURL = callbackURL
        self.webhookIDs = webhookIDs
    }

    /// How many callback URLs may join.
    public static let maximumJoined = 50

    /// Every callback URL that receives the last event.
    public var callbackURLs: [String] { (callbackURL.map { [$0] } ?? []) + joinedCallbackURLs }

    /// Adds the receivers that another request for the same file names.
    public mutating func join(_ other: DownloadRequest) {
        webhookIDs += other.webhookIDs.filter { !webhookIDs.contains($0) }
        for url in other.callbackURLs where !callbackURLs.contains(url) {
            if callbackURL == nil { callbackURL = url } else { joinedCallbackURLs.append(url) }
        }
    }
}

/// What becomes of a file whose name is taken.
public enum ConflictPolicy: String, CaseIterable, Hashable, Sendable {
    /// The new file takes the next free name: `a (1).iso`.
    case rename
    /// The new file takes the old one's place.
    case overwrite
    /// The download fails.
    case fail
}

/// When a run has to be done.
public enum Deadline: Hashable, Sendable {
    /// The service's default time from the beginning of the run; a pause is not counted.
    case serviceDefault
    /// An instant that the client chose.
    case at(Timestamp)

    /// The client's instant; nil for the service's default.
    public var chosen: Timestamp? {
        guard case .at(let deadline) = self else { return nil }
        return deadline
    }
}

/// What the client knows of the file beforehand.
public struct Expected: Hashable, Sendable {
    public var sizeBytes: Int64?
    public var digests: [Digest]

    public init(sizeBytes: Int64? = nil, digests: [Digest] = []) {
        self.sizeBytes = sizeBytes
        self.digests = digests
    }

    /// The first expected digest that a file does not have; nil where it has all of them.
    ///
    /// - Parameter found: The file's digests. What is expected and not among them counts as wrong.
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

/// Canonical JSON text, checked where it was made.
public struct JSONText: Hashable, Sendable {
    public let text: String

    public init(canonical text: String) {
        self.text = text
    }
}

/// Header values and user information of a download, encrypted; whoever holds the key can open them.
public struct SealedCredentials: Hashable, Sendable {
    public let bytes: [UInt8]

    public init(bytes: [UInt8]) {
        self.bytes = bytes
    }
}
