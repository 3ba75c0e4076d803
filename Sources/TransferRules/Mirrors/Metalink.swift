public import Core
public import HTTPFields

/// The contents of a Metalink document about one file (RFC 5854).
public struct Metalink: Hashable, Sendable {
    /// The name in the document, unvalidated: do not use it as a path.
    public var name: String?
    public var sizeBytes: Int64?
    /// The digests of the whole file, one for each algorithm.
    public var digests: [Digest]
    /// The http and https URLs, the most preferred first.
    public var urls: [String]
    /// Whether a digest of a known algorithm was invalid. It is ignored; the other digests stay valid.
    public var hasUnreadableDigest = false

    public init(name: String? = nil, sizeBytes: Int64? = nil, digests: [Digest] = [], urls: [String] = []) {
        self.name = name
        self.sizeBytes = sizeBytes
        self.digests = digests
        self.urls = urls
    }

    /// The largest accepted document, in bytes.
    public static let maximumBytes = 1 << 20

    static let namespace = "urn:ietf:params:xml:ns:metalink"

    /// Parses a document.
    public init(parsing document: [UInt8]) throws(MetalinkError) {
        self = try MetalinkParser.parse(document).metalink()
    }

    /// Parses a document that may describe several files.
    public static func files(parsing document: [UInt8]) throws(MetalinkError) -> [Metalink] {
        try MetalinkParser.parse(document).metalinks()
    }
}

/// Why a Metalink document cannot be used.
public enum MetalinkError: Error, Hashable, Sendable {
    case notXML(XMLParseError)
    case tooLarge
    /// The root element is not the `metalink` of RFC 5854.
    case otherDocument
    /// The document describes several files, or none.
    case files(Int)
    /// A size is invalid, or two sizes or digests of one algorithm differ.
    case unreadableMember
    /// The document has no http or https URL.
    case noURL

    /// A text for the user.
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

/// Builds a ``Metalink`` from the events of an XML document.
struct MetalinkParser {
    fileprivate struct Location {
        let text: String
        let priority: Int
        let order: Int
    }

    /// The names of the open elements; an empty name for an element of another namespace.
    private var path: [String] = []
    private var element: XMLElement?
    private var text = ""
    private var isMetalink = false
    private var files: [File] = []

    fileprivate struct File {
        var metalink: Metalink
        var isReadable = true
        var locations: [Location] = []
    }

    /// Further URLs of a file are ignored.
    fileprivate static let maximumURLs = 1024

    static func parse(_ document: [UInt8]) throws(MetalinkError) -> MetalinkParser {
        guard document.count <= Metalink.maximumBytes else { throw .tooLarge }
        var parser = MetalinkParser()
        do throws(XMLParseError) {
            try parser.read(document)
        } catch {
            throw .notXML(error)
        }
        return parser
    }

    private mutating func read(_ document: [UInt8]) throws(XMLParseError) {
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
        guard files.count == 1 else { throw .files(files.count) }
        return try metalinks()[0]
    }

    func metalinks() throws(MetalinkError) -> [Metalink] {
        guard isMetalink else { throw .otherDocument }
        guard !files.isEmpty else { throw .files(0) }
        var metalinks: [Metalink] = []
        for file in files {
            guard file.isReadable else { throw .unreadableMember }
            var metalink = file.metalink
            metalink.urls = file.locations.sorted { ($0.priority, $0.order) < ($1.priority, $1.order) }.map(\.text)
            guard !metalink.urls.isEmpty else { throw .noURL }
            metalinks.append(metalink)
        }
        return metalinks
    }

    private mutating func start(_ element: XMLElement) {
        path.append(element.namespace == Metalink.namespace ? element.name : "")
        self.element = element
        text = ""
        switch path {
        case ["metalink"]: isMetalink = true
        case ["metalink", "file"]:
            files.append(File(metalink: Metalink(name: element.attributes["name"])))
        default: break
        }
    }

    /// Stores the text of an element that has no child elements.
    private mutating func end() {
        defer {
            element = nil
            text = ""
            _ = path.popLast()
        }
        // The digest of a piece is an element one level deeper, so it is ignored.
        guard let element, path.count == 3, path.starts(with: ["metalink", "file"]), !files.isEmpty else { return }
        let value = String(text.drop { $0.isWhitespace }.reversed().drop { $0.isWhitespace }.reversed())
        switch path[2] {
        case "size": files[files.count - 1].parseSize(value)
        case "hash": files[files.count - 1].parseDigest(value, type: element.attributes["type"] ?? "")
        case "url": files[files.count - 1].parseURL(value, priority: element.attributes["priority"])
        default: break
        }
    }
}

extension MetalinkParser.File {
    fileprivate mutating func parseSize(_ value: String) {
        guard value.utf8.allSatisfy(\.isASCIIDigit), let size = Int64(value), metalink.sizeBytes ?? size == size else {
            isReadable = false
            return
        }
        metalink.sizeBytes = size
    }

    /// The algorithm names are from the IANA registry "Hash Function Textual Names".
    fileprivate mutating func parseDigest(_ value: String, type: String) {
        guard let algorithm = DigestAlgorithm(rawValue: type.lowercased()) else { return }
        guard let digest = Digest(algorithm: algorithm, hex: value) else {
            metalink.hasUnreadableDigest = true
            return
        }
        guard ![digest].contradict(metalink.digests) else {
            isReadable = false
            return
        }
        metalink.digests = metalink.digests.filled(from: [digest])
    }

    fileprivate mutating func parseURL(_ value: String, priority: String?) {
        let lowercased = value.lowercased()
        guard lowercased.hasPrefix("http://") || lowercased.hasPrefix("https://") else { return }
        guard locations.count < MetalinkParser.maximumURLs else { return }
        let priority = priority.flatMap(Int.init).flatMap { (1...999_999).contains($0) ? $0 : nil } ?? 999_999
        locations.append(MetalinkParser.Location(text: value, priority: priority, order: locations.count))
    }
}
