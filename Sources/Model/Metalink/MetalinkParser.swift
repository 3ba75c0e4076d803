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

    mutating func read(_ document: [UInt8]) throws(XMLFault) {
        var reader = try XMLReader(document)
        while let event = try reader.next() {
            switch event {
            case .start(let element): start(element)
            case .text(let piece): if element != nil { text += piece }
            case .end: end()
            }
        }
    }

    func metalink() throws(MetalinkFault) -> Metalink {
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

    /// Takes over what an element held that has no element in it.
    private mutating func end() {
        defer {
            element = nil
            text = ""
            _ = path.popLast()
        }
        // A digest of a piece stands one element deeper.
        guard let element, path.count == 3, path.starts(with: ["metalink", "file"]) else { return }
        let value = String(text.drop { $0.isWhitespace }.reversed().drop { $0.isWhitespace }.reversed())
        switch path[2] {
        case "size": takeSize(value)
        case "hash": takeDigest(value, type: element.attributes["type"] ?? "")
        case "url": takeURL(value, priority: element.attributes["priority"])
        default: break
        }
    }

    private mutating func takeSize(_ value: String) {
        guard value.utf8.allSatisfy(\.isASCIIDigit), let size = Int64(value), result.sizeBytes ?? size == size else {
            isReadable = false
            return
        }
        result.sizeBytes = size
    }

    /// The names are those of IANA's registry of hash function textual names.
    private mutating func takeDigest(_ value: String, type: String) {
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

    private mutating func takeURL(_ value: String, priority: String?) {
        let lowercased = value.lowercased()
        guard lowercased.hasPrefix("http://") || lowercased.hasPrefix("https://") else { return }
        guard locations.count < Self.maximumURLs else { return }
        let priority = priority.flatMap(Int.init).flatMap { (1...999_999).contains($0) ? $0 : nil } ?? 999_999
        locations.append(Location(text: value, priority: priority, order: locations.count))
    }
}
