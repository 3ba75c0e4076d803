import Model

extension RequestRecord {
    /// Of the table `request`, without the download.
    static let columns = """
        number, run, attempt, at, method, url, redirects, first_byte, last_byte, http_status, http_version, etag,
        last_modified, content_range, content_length, remote_address, decision, reason, received_bytes, duration_ms,
        error, transport_code
        """
    static let columnCount = columns.split(separator: ",").count

    func write(to writer: inout RowWriter) {
        writer.add(number)
        writer.add(run)
        writer.add(attempt)
        writer.add(at.milliseconds)
        writer.add(method.rawValue)
        writer.add(url)
        writer.add(redirects)
        writer.add(first)
        writer.add(last)
        writer.add(answer?.status)
        writer.add(answer?.httpVersion)
        writer.add(answer?.etag)
        writer.add(answer?.lastModified)
        writer.add(answer?.contentRange)
        writer.add(answer?.contentLength)
        writer.add(answer?.remoteAddress)
        writer.add(verdict?.decision.rawValue)
        writer.add(verdict?.reason)
        writer.add(end?.receivedBytes)
        writer.add(end?.duration.wholeMilliseconds)
        writer.add(end?.error)
        writer.add(end?.transportCode)
    }

    init(_ reader: inout RowReader) throws {
        self.init(
            number: try reader.next(),
            run: try reader.next(),
            attempt: try reader.next(),
            at: try reader.time(),
            method: try reader.word(),
            url: try reader.next()
        )
        redirects = try reader.next()
        first = reader.optional()
        last = reader.optional()
        answer = Self.answer(&reader)
        let decision = try reader.optionalWord(Decision.self)
        let reason = reader.optional(String.self)
        verdict = decision.map { Verdict($0, reason: reason) }
        end = Self.end(&reader)
    }

    private static func answer(_ reader: inout RowReader) -> Answer? {
        let status = reader.optional(Int.self)
        let answer = Answer(
            status: status ?? 0,
            httpVersion: reader.optional(),
            etag: reader.optional(),
            lastModified: reader.optional(),
            contentRange: reader.optional(),
            contentLength: reader.optional(),
            remoteAddress: reader.optional()
        )
        return status == nil ? nil : answer
    }

    private static func end(_ reader: inout RowReader) -> End? {
        let receivedBytes = reader.optional(Int64.self)
        let end = End(
            receivedBytes: receivedBytes ?? 0,
            duration: .milliseconds(reader.optional(Int64.self) ?? 0),
            error: reader.optional(),
            transportCode: reader.optional()
        )
        return receivedBytes == nil ? nil : end
    }
}
