/// What a Metalink document says of its one file (RFC 5854).
public struct Metalink: Hashable, Sendable {
    /// The name as it stands there; it is not to be trusted.
    public var name: String?
    public var sizeBytes: Int64?
    /// Those of the whole file, each of another algorithm.
    public var digests: [Digest]
    /// Of http and https, the most preferred first.
    public var urls: [String]
    /// Whether a digest of an algorithm that is known could not be read. It is passed over: the others hold.
    public var hasUnreadableDigest = false

    public init(name: String? = nil, sizeBytes: Int64? = nil, digests: [Digest] = [], urls: [String] = []) {
        self.name = name
        self.sizeBytes = sizeBytes
        self.digests = digests
        self.urls = urls
    }

    /// The largest document that is read.
    public static let maximumBytes = 1 << 20

    static let namespace = "urn:ietf:params:xml:ns:metalink"

    /// Reads a document.
    public init(parsing document: [UInt8]) throws(MetalinkFault) {
        guard document.count <= Self.maximumBytes else { throw .tooLarge }
        var parser = MetalinkParser()
        do throws(XMLFault) {
            try parser.read(document)
        } catch {
            throw .notXML(error)
        }
        self = try parser.metalink()
    }
}

/// Why a Metalink document is of no use.
public enum MetalinkFault: Error, Hashable, Sendable {
    case notXML(XMLFault)
    case tooLarge
    /// Its root is no `metalink` of RFC 5854.
    case otherDocument
    /// It describes several files, or none.
    case files(Int)
    /// The size of its file cannot be read, or two sizes or digests contradict each other.
    case unreadableMember
    /// It names no http or https URL.
    case noURL

    /// For a person.
    public var explanation: String {
        switch self {
        case .notXML(.documentType): "The Metalink document has a document type declaration, which is not read."
        case .notXML: "The Metalink document is not well-formed."
        case .tooLarge: "The Metalink document has more than \(Metalink.maximumBytes) bytes."
        case .otherDocument: "The document is no Metalink of version 4 (RFC 5854)."
        case .files(0): "The Metalink document describes no file."
        case .files(let count):
            "The Metalink document describes \(count) files: make one download for each, with its URLs and digests."
        case .unreadableMember: "The Metalink document states a size that cannot be read, or two digests."
        case .noURL: "The Metalink document names no http or https URL."
        }
    }
}
