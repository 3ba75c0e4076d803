public import Core

/// The JSON of a request that was made for a download.
public struct AttemptBody: Resource {
    public static let usualLength = 768

    let request: RequestRecord

    public init(_ request: RequestRecord) {
        self.request = request
    }

    public func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("number", request.number)
            writer.member("run", request.run)
            writer.member("attempt", request.attempt)
            writer.member("started_at", request.at)
            writer.member("method", request.method.rawValue)
            writer.member("url", RedactedURL(request.url).text)
            writer.member("redirects", request.redirects)
            writeRange(to: &writer)
            writeResponse(to: &writer)
            writer.member("decision", request.decision?.kind.rawValue)
            writer.member("reason", request.decision?.reason)
            writer.member("received_bytes", request.end?.receivedBytes)
            writer.member("duration_ms", request.end?.duration.wholeMilliseconds)
            writer.member("error", request.end?.error)
            writer.member("curl_code", request.end?.curlCode)
        }
    }

    private func writeRange(to writer: inout JSONWriter) {
        writer.name("range")
        guard let first = request.first else { return writer.null() }
        writer.object { writer in
            writer.member("first", first)
            writer.member("last", request.last)
        }
    }

    private func writeResponse(to writer: inout JSONWriter) {
        let response = request.response
        writer.member("http_status", response?.status)
        writer.member("http_version", response?.httpVersion)
        writer.member("etag", response?.etag)
        writer.member("last_modified", response?.lastModified)
        writer.member("content_range", response?.contentRange)
        writer.member("content_length", response?.contentLength)
        writer.member("remote_address", response?.remoteAddress)
    }
}
