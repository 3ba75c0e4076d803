import Core
import FoundationEssentials
import HTTPFields
import HTTPServer
import HTTPTypes
import Service

/// `/downloads/{id}/file`: the finished file, whole or as one range, so that clients can resume.
///
/// The content of the file is untrusted. Header fields prevent a browser from running it in the service's origin.
struct Files: Sendable {
    let service: DownloadService

    func get(_ id: DownloadID, _ context: RequestContext) async throws -> ServerResponse {
        _ = try Query(context.request.query, allowed: ["ticket"])
        let opened = try await service.file(of: id)
        let download = opened.download
        let etag = ETags.file(id: id, generation: download.generation)
        let date = HTTPDate(secondsSinceEpoch: opened.modifiedAt.seconds)
        let lastModified = date.fieldValue
        var fields = Self.fields(opened)
        fields[.eTag] = etag
        fields[.lastModified] = lastModified

        let preconditions = Preconditions(context.fields)
        guard preconditions.allowsChange(of: etag, lastModified: date) else {
            throw Problem(.preconditionFailed, "The file has changed: its ETag is another one.")
        }
        if preconditions.isNotModified(etag, lastModified: date) {
            fields[.contentType] = nil
            return ServerResponse(
                status: .notModified,
                headerFields: fields,
                body: .omitted(length: opened.sizeBytes)
            )
        }
        // A range is defined for GET only, so HEAD has none (RFC 9110, section 14.2).
        let range = context.request.method == .get ? range(context.fields, etag, lastModified) : nil
        return try response(opened, range: range, fields)
    }

    /// The range to serve; nil if `If-Range` names another version (RFC 9110, section 13.1.5).
    private func range(_ fields: HTTPFields, _ etag: String, _ lastModified: String) -> String? {
        if let condition = fields[.ifRange], condition != etag, condition != lastModified { return nil }
        return fields[.range]
    }

    private func response(
        _ opened: FinishedFile,
        range: String?,
        _ fields: HTTPFields
    ) throws(Problem) -> ServerResponse {
        let size = opened.sizeBytes
        switch RangeRequest(range, size: size) {
        case .whole:
            return try Self.send(opened, .ok, from: 0, length: size, fields)
        case .part(let part):
            var fields = fields
            fields[.contentRange] = "bytes \(part.first)-\(part.last)/\(size)"
            return try Self.send(opened, .partialContent, from: part.first, length: part.length, fields)
        case .unsatisfiable:
            throw Problem(.rangeNotSatisfiable, "The file has \(size) bytes.").with(.contentRange, "bytes */\(size)")
        }
    }

    private static func send(
        _ opened: FinishedFile,
        _ status: HTTPResponse.Status,
        from offset: Int64,
        length: Int64,
        _ fields: HTTPFields
    ) throws(Problem) -> ServerResponse {
        guard let opened = opened.body() else {
            throw Problem(.overloaded, "The process has no free file descriptor.").retryAfter(1)
                .because("no file descriptor is free")
        }
        let body: ServerResponse.Body =
            switch opened {
            case .file(let descriptor): .file(OpenFile(owning: descriptor), offset: offset, length: length)
            }
        return ServerResponse(status: status, headerFields: fields, body: body)
    }

    private static func fields(_ opened: FinishedFile) -> HTTPFields {
        let download = opened.download
        var fields: HTTPFields = [
            .acceptRanges: "bytes",
            .cacheControl: "private, no-cache",
            .contentDisposition: ContentDisposition.attachment(filename: opened.name),
            .contentSecurityPolicy: "sandbox; default-src 'none'",
            .contentType: inertType(download.source.contentType),
        ]
        if let digest = download.file?.digests.first(where: { $0.algorithm == .sha256 }) {
            fields[.reprDigest] = "sha-256=:\(Data(digest.bytes).base64EncodedString()):"
        }
        return fields
    }

    /// The origin's media type if browsers do not execute such content, otherwise `application/octet-stream`.
    private static func inertType(_ type: String?) -> String {
        guard let type, let essence = MediaType(type)?.essence, inertTypes.contains(essence) else {
            return "application/octet-stream"
        }
        return essence
    }

    private static let inertTypes: Set<String> = [
        "application/gzip", "application/json", "application/octet-stream", "application/pdf",
        "application/vnd.debian.binary-package", "application/x-7z-compressed", "application/x-bzip2",
        "application/x-iso9660-image", "application/x-tar", "application/x-xz", "application/zip", "application/zstd",
        "audio/flac", "audio/mpeg", "audio/ogg", "image/gif", "image/jpeg", "image/png", "image/webp",
        "text/csv", "text/plain", "video/mp4", "video/mpeg", "video/webm",
    ]
}
