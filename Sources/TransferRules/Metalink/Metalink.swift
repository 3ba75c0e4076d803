public import HTTPFields

/// What a Metalink document says of its one file (RFC 5854).
public struct Metalink: Hashable, Sendable {
    /// The name in the document, unchanged; it must not be trusted.
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
    public init(parsing document: [UInt8]) throws(MetalinkError) {
        guard document.count <= Self.maximumBytes else { throw .tooLarge }
        var parser = MetalinkParser()
        do throws(XMLParseError) {
            try parser.read(document)
        } catch {
            throw .notXML(error)
        }
        self = try parser.metalink()
    }
}

/// Why a Metalink document is of no use.
public enum MetalinkError: Error, Hashable, Sendable {
    case notXML(XMLParseError)
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
        case .notXML(.documentType): "The Metalink document has a document type declaration, which is not supported."
        case .notXML: "The Metalink document is not well-formed."
        case .tooLarge: "The Metalink document has more than \(Metalink.maximumBytes) bytes."
        case .otherDocument: "The document is not Metalink 4 (RFC 5854)."
        case .files(0): "The Metalink document describes no file."
        case .files(let count):
            "The Metalink document describes \(count) files. Create one download for each, with its URLs and digests."
        case .unreadableMember: "The Metalink document has an invalid size, or two digests of one algorithm."
        case .noURL: "The Metalink document names no http or https URL."
        }
    }
}

/// Gathers what is of use from the events of a Metalink document.
struct MetalinkParser {
    private struct Location {
        let text: String
        let priority: Int
        let order: Int
    }

    /// The names of the elements that are open; those of another namespace have none.
    private var path: [String] = []
    private var element: XMLElement?
    private var text = ""
    private var isMetalink = false
    private var fileCount = 0
    private var isReadable = true
    private var result = Metalink()
    private var locations: [Location] = []

    /// More URLs of one file are passed over.
    private static let maximumURLs = 1024

    mutating func read(_ document: [UInt8]) throws(XMLParseError) {
        var reader = try XMLReader(document)
        while let event = try reader.next() {
            switch event {
            case .start(let element): start(element)
            case .text(let piece): if element != nil { text += piece }
            case .end: end()
            }
        }
    }

    func metalink() throws(MetalinkError) -> Metalink {
        guard isMetalink else { throw .otherDocument }
        guard fileCount == 1 else { throw .files(fileCount) }
        guard isReadable else { throw .unreadableMember }
        var result = result
        result.urls = locations.sorted { ($0.priority, $0.order) < ($1.priority, $1.order) }.map(\.text)
        guard !result.urls.isEmpty else { throw .noURL }
        return result
    }

    private mutating func start(_ element: XMLElement) {
        path.append(element.namespace == Metalink.namespace ? element.name : "")
        self.element = element
        text = ""
        switch path {
        case ["metalink"]: isMetalink = true
        case ["metalink", "file"]:
            fileCount += 1
            result.name = element.attributes["name"]
        default: break
        }
    }

    /// Stores the text of an element without child elements.
    private mutating func end() {
        defer {
            element = nil
            text = ""
            _ = path.popLast()
        }
        // A digest of a piece is one element deeper.
        guard let element, path.count == 3, path.starts(with: ["metalink", "file"]) else { return }
        let value = String(text.drop { $0.isWhitespace }.reversed().drop { $0.isWhitespace }.reversed())
        switch path[2] {
        case "size": parseSize(value)
        case "hash": parseDigest(value, type: element.attributes["type"] ?? "")
        case "url": parseURL(value, priority: element.attributes["priority"])
        default: break
        }
    }

    private mutating func parseSize(_ value: String) {
        guard value.utf8.allSatisfy(\.isASCIIDigit), let size = Int64(value), result.sizeBytes ?? size == size else {
            isReadable = false
            return
        }
        result.sizeBytes = size
    }

    /// The names are those of IANA's registry of hash function textual names.
    private mutating func parseDigest(_ value: String, type: String) {
        guard let algorithm = DigestAlgorithm(rawValue: type.lowercased()) else { return }
        guard let digest = Digest(algorithm: algorithm, hex: value) else {
            result.hasUnreadableDigest = true
            return
        }
        guard ![digest].contradict(result.digests) else {
            isReadable = false
            return
        }
        result.digests = result.digests.filled(from: [digest])
    }

    private mutating func parseURL(_ value: String, priority: String?) {
        let lowercased = value.lowercased()
        guard lowercased.hasPrefix("http://") || lowercased.hasPrefix("https://") else { return }
        guard locations.count < Self.maximumURLs else { return }
        let priority = priority.flatMap(Int.init).flatMap { (1...999_999).contains($0) ? $0 : nil } ?? 999_999
        locations.append(Location(text: value, priority: priority, order: locations.count))
    }
}
