import Core
import Curl
import HTTPFields
import TransferRules

extension OriginResponse {
    /// The fields of a response's head that the rules use. A field that occurs twice counts as unreadable.
    init(_ head: ResponseHead, redirectedToNewHost: Bool, receivedAt: HTTPDate) {
        self.init(status: head.status, receivedAt: receivedAt)
        contentLength = head.contentLength
        contentRange = head.single("Content-Range")
        etag = head.single("ETag")
        lastModified =
            head.file == nil
            ? head.single("Last-Modified")
            : head.file?.modifiedSeconds.map { HTTPDate(secondsSinceEpoch: $0).fieldValue }
        date = head.single("Date")
        contentType = head.single("Content-Type")
        contentEncoding = head.values(of: "Content-Encoding").joined(separator: ", ")
        transferEncoding = head.values(of: "Transfer-Encoding").joined(separator: ", ")
        location = head.single("Location")
        retryAfter = head.single("Retry-After")
        reprDigest = head.values(of: "Repr-Digest").joined(separator: ", ")
        digest = head.values(of: "Digest").joined(separator: ", ")
        contentMD5 = head.single("Content-MD5")
        file = FileResponse(head, receivedAt: receivedAt)
        self.redirectedToNewHost = redirectedToNewHost
    }
}

extension FileResponse {
    /// Nil for a head of HTTP.
    init?(_ head: ResponseHead, receivedAt: HTTPDate) {
        guard let file = head.file else { return nil }
        self.init(
            size: file.size,
            modifiedAt: file.modifiedSeconds.map(HTTPDate.init(secondsSinceEpoch:)),
            receivedAt: receivedAt,
            isEndProvable: file.isEndSeen
        )
    }
}

extension Download.Source {
    /// What is kept of an answer whose body was accepted.
    ///
    /// - Parameter earlier: The description of the same bytes by an earlier response. A range need not repeat it (RFC
    ///   9110, section 15.3.7).
    init(_ response: OriginClient.Response, validator: Validator, continuing earlier: Self?) {
        let metadata = response.metadata
        let head = response.exchange.head
        self.init(
            finalURL: response.finalURL,
            redirects: response.redirects,
            httpVersion: head.version.text,
            status: metadata.status,
            etag: validator.etag?.fieldValue,
            lastModified: validator.lastModified?.fieldValue,
            isLastModifiedStrong: validator.isLastModifiedStrong,
            contentType: earlier?.contentType
                ?? (metadata.contentType.flatMap(MediaType.init) == nil ? nil : metadata.contentType),
            contentEncoding: validator.contentEncoding,
            suggestedName: earlier?.suggestedName
                ?? head.single("Content-Disposition").flatMap { FileName.suggested(byContentDisposition: $0)?.value },
            remoteAddress: head.remoteAddress?.host,
            digests: (earlier?.digests ?? []).filled(from: metadata.digests)
        )
    }

    /// The validator that was stored with the bytes.
    func validator(total: Int64?, now: Timestamp) -> Validator? {
        guard status != nil else { return nil }
        return Validator(
            etag: etag.flatMap(EntityTag.init),
            lastModified: lastModified.flatMap { HTTPDate($0, now: HTTPDate(secondsSinceEpoch: now.seconds)) },
            isLastModifiedStrong: isLastModifiedStrong,
            total: total,
            contentEncoding: contentEncoding,
            contentType: contentType.flatMap { MediaType($0)?.essence }
        )
    }
}

extension ResponseHead {
    /// Whether every length that the head states is a number, and the same one (RFC 9110, section 8.6): libcurl reads
    /// the digits that it begins with, and the last of several.
    var isLengthReadable: Bool {
        let lengths = values(of: "Content-Length").flatMap { field in
            field.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false).map { Array($0.trimmed) }
        }
        let areNumbers = lengths.allSatisfy { length in
            !length.isEmpty && length.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        }
        return areNumbers && Set(lengths).count <= 1
    }
}

extension ResponseHead.Version {
    var text: String? {
        switch self {
        case .http1_0: "1.0"
        case .http1_1: "1.1"
        case .http2: "2"
        case .other: nil
        }
    }
}

extension Substring.UTF8View {
    /// Without spaces and tabs at the ends.
    fileprivate var trimmed: Self {
        let isSpace = { (byte: UInt8) in byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
        let rest = drop(while: isSpace)
        return rest.dropLast(rest.reversed().prefix(while: isSpace).count)
    }
}
