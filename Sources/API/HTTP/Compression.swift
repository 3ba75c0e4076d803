import HTTPServer
import HTTPTypes

/// Compression of responses (RFC 9110, section 8.4). Only JSON is compressed, never a file or an event stream.
extension ServerResponse {
    /// Shorter bodies fit into one packet without compression.
    private static let shortestCompressed = 1024

    private static let compressedTypes = ["application/json", "application/problem+json"]

    /// Compresses a long JSON body with gzip, if the client accepts that.
    ///
    /// Both forms of a resource have strong tags, so the tags differ (section 8.8.3.3). Clients send the tag of either
    /// form in preconditions.
    mutating func compress(for request: HTTPFields?) {
        guard case .bytes(let bytes) = body, bytes.count > Self.shortestCompressed, isJSON else { return }
        headerFields.addVary("Accept-Encoding")
        guard Accept.allowsGzip(request?[.acceptEncoding]), let compressed = Gzip.compress(bytes) else { return }
        body = .bytes(compressed)
        headerFields[.contentEncoding] = "gzip"
        headerFields[.eTag] = headerFields[.eTag].map(ETags.gzipped)
    }

    private var isJSON: Bool {
        headerFields.contains { $0.name == .contentType && Self.compressedTypes.contains($0.value) }
    }
}

extension Accept {
    /// Whether a client accepts gzip, and does not prefer the content as it is. Without the field, nothing is
    /// compressed.
    ///
    /// - Parameter field: The value of `Accept-Encoding` (RFC 9110, section 12.5.3).
    static func allowsGzip(_ field: String?) -> Bool {
        guard let field else { return false }
        let codings = Accept(field)
        let weights = ["gzip", "x-gzip", "*"].compactMap { codings.weight(of: $0) }
        guard let weight = weights.first else { return false }
        return weight > 0 && weight >= codings.weight(of: "identity") ?? 0
    }
}

extension HTTPFields {
    /// Adds a field name to `Vary`.
    mutating func addVary(_ name: String) {
        guard contains(.vary) else { return append(HTTPField(name: .vary, value: name)) }
        self[.vary] = self[.vary].map { "\($0), \(name)" }
    }
}

extension ETags {
    private static let gzipSuffix = ".gzip\""

    /// The tag of the compressed form.
    static func gzipped(_ tag: String) -> String { "\(tag.dropLast())\(gzipSuffix)" }

    /// The tag of the form that is not compressed.
    static func plain(_ tag: String) -> String {
        tag.hasSuffix(gzipSuffix) ? "\(tag.dropLast(gzipSuffix.utf8.count))\"" : tag
    }
}
