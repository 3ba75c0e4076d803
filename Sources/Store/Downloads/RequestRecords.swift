public import Core

extension RequestRecord: RowValue {
    static let blank = RequestRecord(
        number: 0,
        run: 0,
        attempt: 0,
        at: Timestamp(milliseconds: 0),
        method: .get,
        url: ""
    )

    /// The columns of the table `request`, except the download.
    mutating func columns<Coder: RowCoder>(_ row: inout Coder) throws(Coder.Failure) {
        try row.column("number", &number)
        try row.column("run", &run)
        try row.column("attempt", &attempt)
        try row.column("at", &at)
        try row.column("method", &method)
        try row.column("url", &url)
        try row.column("redirects", &redirects)
        try row.column("first_byte", &first)
        try row.column("last_byte", &last)
        try row.optional(&response)
        try row.optional(&decision)
        try row.optional(&end)
    }
}

extension RequestRecord.Response: RowValue {
    static let blank = RequestRecord.Response(status: 0)

    mutating func columns<Coder: RowCoder>(_ row: inout Coder) throws(Coder.Failure) {
        try row.column("http_status", &status)
        try row.column("http_version", &httpVersion)
        try row.column("etag", &etag)
        try row.column("last_modified", &lastModified)
        try row.column("content_range", &contentRange)
        try row.column("content_length", &contentLength)
        try row.column("remote_address", &remoteAddress)
    }
}

extension RequestRecord.Decision: RowValue {
    static let blank = RequestRecord.Decision(.accept)

    mutating func columns<Coder: RowCoder>(_ row: inout Coder) throws(Coder.Failure) {
        try row.column("decision", &kind)
        try row.column("reason", &reason)
    }
}

extension RequestRecord.End: RowValue {
    static let blank = RequestRecord.End(receivedBytes: 0, duration: .zero)

    mutating func columns<Coder: RowCoder>(_ row: inout Coder) throws(Coder.Failure) {
        try row.column("received_bytes", &receivedBytes)
        var milliseconds = duration.wholeMilliseconds
        try row.column("duration_ms", &milliseconds)
        if row.isReading { duration = .milliseconds(milliseconds) }
        try row.column("error", &error)
        try row.column("curl_code", &curlCode)
    }
}

extension Transaction {
    /// Adds or updates entries of a download's request log. The oldest are deleted.
    func save(_ requests: [RequestRecord], of id: DownloadID) throws {
        for request in requests {
            try database.write(Self.requestBatch) { writer in
                writer.add(id)
                request.write(to: &writer)
            }
        }
        guard let last = requests.last?.number, last > RequestRecord.maxStored else { return }
        try execute(
            "DELETE FROM request WHERE download = ? AND number <= ?",
            [id, last - RequestRecord.maxStored]
        )
    }

    /// The number of the last recorded request; 0 if there is none.
    func lastRequest(of download: Download) throws -> Int {
        // There was no request before the first claim.
        guard download.epoch > 1 else { return 0 }
        return try database.first(Int.self, "SELECT max(number) FROM request WHERE download = ?", [download.id]) ?? 0
    }

    private static let requestBatch = RowBatch.insertionOrUpdate(
        of: "request",
        ["download"] + RequestRecord.columnNames(),
        key: ["download", "number"]
    )
}

extension Store {
    /// The recorded requests of a download, newest first; nil if there is no such download.
    ///
    /// - Parameter number: Only requests before this number; nil for all.
    public func requests(of id: DownloadID, before number: Int?, limit: Int) async throws -> [RequestRecord]? {
        try await readers.readSnapshot { database in
            guard try database.exists("SELECT 1 FROM download WHERE id = ?", [id]) else { return nil }
            return try database.values(RequestRecord.self, pageStatement, [id, number ?? .max, limit])
        }
    }
}

private let pageStatement = """
    SELECT \(RequestRecord.columnNames().columnList()) FROM request
    WHERE download = ? AND number < ? ORDER BY number DESC LIMIT ?
    """
