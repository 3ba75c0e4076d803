import Core
import HTTPServer
import HTTPTypes
import Service

// MARK: - POST /probes

extension Downloads {
    /// The body is that of a new download. Members that a probe does not need are validated and have no effect.
    func probe(_ context: RequestContext) async throws -> ServerResponse {
        _ = try Query(context.request.query)
        let bytes = context.body
        guard context.fields[.idempotencyKey] == nil else {
            throw Problem(.idempotencyKeyInvalid, "A probe changes nothing, so it takes no Idempotency-Key.")
        }
        let requested = try RequestedDownload(parsing: bytes)
        let report = try await service.probe(requested)
        return .json(.ok, ProbeBody(report).encoded())
    }
}

/// The JSON of a probe's report.
struct ProbeBody: Resource {
    static let usualLength = 512

    private let report: ProbeReport

    init(_ report: ProbeReport) {
        self.report = report
    }

    func write(to writer: inout JSONWriter) {
        let source = report.source
        writer.object { writer in
            writer.member("name", report.filename.value)
            writer.member("size_bytes", report.sizeBytes)
            writer.member("content_type", source.contentType)
            writer.member("content_encoding", source.contentEncoding)
            writer.member("ranges", report.acceptsRanges.map { $0 ? "yes" : "no" })
            writer.member("etag", source.etag)
            writer.member("last_modified", source.lastModified)
            writer.digests("digests", source.digests)
            writer.member("final_url", source.finalURL.map { RedactedURL($0).text })
            writer.member("redirects", source.redirects)
            writer.member("http_status", source.status)
            writer.member("http_version", source.httpVersion)
            writer.member("remote_address", source.remoteAddress)
            writer.name("error")
            guard let error = report.error else { return writer.null() }
            writer.object { writer in
                writer.member("code", error.code.rawValue)
                writer.member("message", error.message)
                writer.member("http_status", error.httpStatus)
            }
        }
    }
}
