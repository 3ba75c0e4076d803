import CDocuments
import Core
import Crypto
import HTTPServer
import HTTPTypes

/// The page for browsers. Its files are embedded and open to all: they hold no data. What the page shows it requests
/// from the API, with the token that its user gives it.
struct Page: Sendable {
    let isOn: Bool

    /// `GET /`. Nothing is there for a client that refuses HTML.
    ///
    /// The page reads its query, so any is accepted.
    func index(_ context: RequestContext) throws(Problem) -> ServerResponse {
        guard isOn, Accept(context.fields[.accept]).allows("text/html") else { throw Self.missing }
        // The page names its files by their version, so it alone is asked for each time.
        return PageFile.index.response(to: context, caching: "no-cache")
    }

    /// A file that the page names. Those of another version are not kept by browsers.
    func file(_ path: PagePath, _ context: RequestContext) throws(Problem) -> ServerResponse {
        guard isOn else { throw Self.missing }
        let isCurrent = path.version == PageFile.version
        return path.file.response(to: context, caching: isCurrent ? "public, max-age=31536000, immutable" : "no-cache")
    }

    private static let missing = Problem(.notFound, "No resource has this path.")
}

/// The path parameters of a file of the page.
struct PagePath: Sendable {
    let version: String
    let file: PageFile

    init?(_ parameters: [String]) {
        guard parameters.count == 2, let file = PageFile.all[parameters[1]] else { return nil }
        version = parameters[0]
        self.file = file
    }
}

/// A file of the page in both forms in which it is sent.
struct PageFile: Sendable {
    let mediaType: String
    let bytes: [UInt8]
    let compressed: [UInt8]?
    let etag: String

    init(name: String, _ bytes: [UInt8]) {
        mediaType = Self.mediaTypes[name.split(separator: ".").last ?? ""] ?? "application/octet-stream"
        self.bytes = bytes
        compressed = Gzip.compress(bytes)
        etag = "\"\(Self.digest(of: bytes))\""
    }

    func response(to context: RequestContext, caching: String) -> ServerResponse {
        var fields: HTTPFields = [.cacheControl: caching, .vary: "Accept-Encoding", .eTag: etag]
        fields[.contentSecurityPolicy] = Self.policy
        let sent = Accept.allowsGzip(context.fields[.acceptEncoding]) ? compressed : nil
        if sent != nil {
            fields[.eTag] = ETags.gzipped(etag)
            fields[.contentEncoding] = "gzip"
        }
        guard !Preconditions(context.fields).isNotModified(etag) else {
            fields[.contentEncoding] = nil
            let length = Int64((sent ?? bytes).count)
            return ServerResponse(status: .notModified, headerFields: fields, body: .omitted(length: length))
        }
        fields[.contentType] = mediaType
        return ServerResponse(status: .ok, headerFields: fields, body: .bytes(sent ?? bytes))
    }

    /// Only files of this service are run, shown and asked (Content Security Policy Level 3).
    static let policy = [
        "default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'", "img-src 'self' data:",
        "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'",
    ].joined(separator: "; ")

    private static let mediaTypes: [Substring: String] = [
        "html": "text/html; charset=utf-8", "js": "text/javascript; charset=utf-8",
        "css": "text/css; charset=utf-8", "svg": "image/svg+xml",
    ]

    private static func digest(of bytes: [UInt8]) -> String {
        SHA256.hash(data: bytes).prefix(8).map { byte in
            String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
        }.joined()
    }
}

extension PageFile {
    private static let indexName = "index.html"

    /// The embedded bytes of each file, by name.
    static let embedded: [String: [UInt8]] = {
        let files = unsafe UnsafeBufferPointer(start: cormorant_page_files, count: cormorant_page_file_count)
        return unsafe Dictionary(
            uniqueKeysWithValues: files.map { file in
                unsafe (String(cString: file.name), Array(UnsafeBufferPointer(start: file.bytes, count: file.length)))
            }
        )
    }()

    /// The digest of all files. It is a part of their paths: browsers keep them until one of them changes.
    static let version: String = digest(
        of: embedded.sorted { $0.key < $1.key }.flatMap { Array($0.key.utf8) + $0.value }
    )

    /// The files that the page names, compressed at the first request.
    static let all: [String: PageFile] = Dictionary(
        uniqueKeysWithValues: embedded.filter { $0.key != indexName }.map { ($0.key, PageFile(name: $0.key, $0.value)) }
    )

    /// The page itself, which names the version of its files.
    static let index = PageFile(
        name: indexName,
        Array(
            String(decoding: embedded[indexName] ?? [], as: UTF8.self)
                .split(separator: "{version}", omittingEmptySubsequences: false).joined(separator: version).utf8
        )
    )
}
