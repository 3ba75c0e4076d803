public import Core
import GRDB

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

extension Transaction {
    /// Adds to the account of a download's requests, or changes what it says of them; the oldest go.
    func save(_ requests: [RequestRecord], of id: DownloadID) throws {
        for request in requests {
            try execute(Self.saveStatement) { writer in
                writer.add(id.text)
                request.write(to: &writer)
            }
        }
        guard let last = requests.last?.number, last > RequestRecord.kept else { return }
        try execute("DELETE FROM request WHERE download = ? AND number <= ?", [id.text, last - RequestRecord.kept])
    }

    /// The number of the last request that is recorded; 0 where none is.
    func lastRequest(of download: Download) throws -> Int {
        // Nobody was asked before the first claim.
        guard download.epoch > 1 else { return 0 }
        let statement = try database.cachedStatement(sql: "SELECT max(number) FROM request WHERE download = ?")
        return try Int.fetchOne(statement, arguments: [download.id.text]) ?? 0
    }

    private static let saveStatement = """
        INSERT OR REPLACE INTO request (download, \(RequestRecord.columns))
        VALUES (?\(String(repeating: ", ?", count: RequestRecord.columnCount)))
        """
}

extension Store {
    /// The requests that are recorded of a download, the newest first, those before `number` if one is given; nil
    /// where there is no such download.
    public func requests(of id: DownloadID, before number: Int?, limit: Int) async throws -> [RequestRecord]? {
        try await readers.readSnapshot { database in
            let known = try database.cachedStatement(sql: "SELECT 1 FROM download WHERE id = ?")
            guard try Int.fetchOne(known, arguments: [id.text]) != nil else { return nil }
            let statement = try database.cachedStatement(
                sql: """
                    SELECT \(RequestRecord.columns) FROM request
                    WHERE download = ? AND number < ? ORDER BY number DESC LIMIT ?
                    """
            )
            let rows = try Row.fetchAll(statement, arguments: [id.text, number ?? .max, limit])
            return try rows.map { row in
                var reader = RowReader(row)
                return try RequestRecord(&reader)
            }
        }
    }
}
