import Core
import Curl
import HTTPFields
import TransferRules

extension OriginResponse {
    /// The fields of the head that the rules use. A field that must be single counts as missing if it has several
    /// values.
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
        contentDisposition = head.single("Content-Disposition")
        contentEncoding = head.values(of: "Content-Encoding").joined(separator: ", ")
        transferEncoding = head.values(of: "Transfer-Encoding").joined(separator: ", ")
        location = head.single("Location")
        retryAfter = head.single("Retry-After")
        challenges = head.values(of: "WWW-Authenticate")
        reprDigest = head.values(of: "Repr-Digest").joined(separator: ", ")
        digest = head.values(of: "Digest").joined(separator: ", ")
        contentMD5 = head.single("Content-MD5")
        file = FileResponse(head, receivedAt: receivedAt)
        self.redirectedToNewHost = redirectedToNewHost
    }
}

extension FileResponse {
    /// The file properties of an FTP or SFTP response; nil for an HTTP response.
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
    /// The record of a response whose body was accepted.
    ///
    /// - Parameter earlier: The record of an earlier response with the same bytes. A 206 response need not repeat its
    ///   fields (RFC 9110, section 15.3.7).
    init(_ response: OriginClient.Response, validator: Validator, continuing earlier: Self?) {
        let metadata = response.metadata
        let head = response.exchange.head
        self.init()
        finalURL = response.finalURL
        redirects = response.redirects
        httpVersion = head.version.text
        status = metadata.status
        etag = validator.etag?.fieldValue
        lastModified = validator.lastModified?.fieldValue
        isLastModifiedStrong = validator.isLastModifiedStrong
        contentType =
            earlier?.contentType
            ?? (metadata.contentType.flatMap(MediaType.init) == nil ? nil : metadata.contentType)
        contentEncoding = validator.contentEncoding
        suggestedName =
            earlier?.suggestedName
            ?? metadata.contentDisposition.flatMap { FileName.suggested(byContentDisposition: $0)?.value }
        remoteAddress = head.remoteAddress?.host
        digests = (earlier?.digests ?? []).filled(from: metadata.digests)
    }

    /// The validator that was recorded with the bytes.
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

extension ResponseHead.Version {
    var text: String? {
        switch self {
        case .http1_0: "1.0"
        case .http1_1: "1.1"
        case .http2: "2"
        case .http3: "3"
        case .other: nil
        }
    }
}
