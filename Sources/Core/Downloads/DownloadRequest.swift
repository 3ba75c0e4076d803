import HTTPFields

/// A client's request for a download: the members that a client sets. Some of them can be changed later.
public struct DownloadRequest: Hashable, Sendable {
    public var url: DownloadURL
    /// Further URLs of the same file, in the client's order.
    public var mirrors: [DownloadURL] = []
    /// The maximum number of ``mirrors``.
    public static let maximumMirrors = 32
    public var metalink = MetalinkMode.follow
    /// The URL that provides a new ``url`` after that is refused; nil for none.
    public var refreshURL: DownloadURL?
    public var session: SessionName?
    /// The root that the file is placed below.
    public var root = RootName.downloads
    /// The folder below the root; nil for the root itself.
    public var directory: RelativeDirectory?
    /// The file name that the client requires; nil for the name from the origin or the URL.
    public var filename: FileName?
    public var onConflict = ConflictPolicy.rename
    public var credentials: SealedCredentials?
    /// The part of the credentials that may be shown.
    public var summary = RequestSummary()
    public var expected = Expected()
    /// The maximum size in bytes; nil for no limit of this download.
    public var maxBytes: Int64?
    /// The limit for all its connections together, in bytes per second; nil for no limit of this download.
    public var rateBytesPerSecond: Int64?
    /// The maximum number of connections, from the next attempt on; nil for the service's setting.
    public var connections: Int?
    /// The maximum number of attempts without progress; nil for a time limit only.
    public var maxAttempts: Int?
    /// Its own time limits and retry rules.
    public var retry = RetryChoices()
    public var deadline = Deadline.serviceDefault
    /// Higher values are claimed first.
    public var priority = Priority.ordinary
    /// The earliest time at which it is queued; nil for immediately.
    public var notBefore: Timestamp?
    /// How long the finished file is kept; nil for the setting.
    public var retention: FileRetention?
    /// Whether to accept a body whose end cannot be proved.
    public var acceptsUnverifiedLength = false
    /// Whether the file gets the modification time that the origin states; nil for the service's setting.
    public var preservesModificationTime: Bool?
    /// Whether to accept a web page whatever the name and the expected type of the file.
    public var acceptsHTML = false
    /// A text by the client.
    public var description: String?
    /// A JSON object whose values are strings, as canonical JSON; nil if empty.
    public var labels: JSONText?
    /// A JSON object of any content, as canonical JSON; nil if empty.
    public var metadata: JSONText?
    /// A further request with the same key returns this download instead of creating another.
    public var dedupeKey: String?
    /// The URL that receives the terminal event; nil for none.
    public var callbackURL: DownloadURL?
    /// The callback URLs of requests that joined through ``dedupeKey``, without duplicates.
    public var joinedCallbackURLs: [DownloadURL] = []
    /// The webhooks that receive its events even if their session and label filters do not match, without duplicates.
    public var webhookIDs: [WebhookID] = []

    public init(url: DownloadURL) {
        self.url = url
    }

    /// The maximum number of ``joinedCallbackURLs``.
    public static let maximumJoined = 50

    /// All callback URLs that receive the terminal event.
    public var callbackURLs: [DownloadURL] { (callbackURL.map { [$0] } ?? []) + joinedCallbackURLs }

    /// Adds the webhooks and callback URLs of another request for the same file.
    public mutating func join(_ other: DownloadRequest) {
        webhookIDs += other.webhookIDs.filter { !webhookIDs.contains($0) }
        for url in other.callbackURLs where !callbackURLs.contains(url) {
            if callbackURL == nil { callbackURL = url } else { joinedCallbackURLs.append(url) }
        }
    }
}

/// The deadline of a run.
public enum Deadline: Hashable, Sendable {
    /// The service's default, relative to the start of the run. Pauses do not count.
    case serviceDefault
    /// An instant that the client set.
    case at(Timestamp)

    /// The client's instant; nil for the service's default.
    public var chosen: Timestamp? {
        guard case .at(let deadline) = self else { return nil }
        return deadline
    }
}

/// Canonical JSON text. Its creator has validated it.
public struct JSONText: Hashable, Sendable {
    public let text: String

    public init(canonical text: String) {
        self.text = text
    }
}

/// The encrypted credentials of a download.
public struct SealedCredentials: Hashable, Sendable {
    public let bytes: [UInt8]

    public init(bytes: [UInt8]) {
        self.bytes = bytes
    }
}

/// How to handle a Metalink document (RFC 5854).
public enum MetalinkMode: String, CaseIterable, Hashable, Sendable {
    /// Download the file that the document describes, from the URLs in it.
    case follow
    /// Treat the document as the file.
    case keep
}

/// The priority of a download, from -100 to 100.
public struct Priority: Hashable, Comparable, Sendable {
    public let value: Int

    public static let range = -100...100
    public static let ordinary = Self(clamping: 0)

    /// Returns nil outside ``range``.
    public init?(_ value: Int) {
        guard Self.range.contains(value) else { return nil }
        self.value = value
    }

    public init(clamping value: Int) {
        self.value = min(max(value, Self.range.lowerBound), Self.range.upperBound)
    }

    public static func < (left: Self, right: Self) -> Bool { left.value < right.value }
}
