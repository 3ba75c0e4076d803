import Core

// The parts of a download as columns of `download`.

extension DownloadRequest: RowValue {
    static let blank = DownloadRequest(url: .blank)

    /// All columns except those that are written only when the row is created.
    mutating func columns<Coder: RowCoder>(_ row: inout Coder) throws(Coder.Failure) {
        try url.columns(&row)
        try row.column("mirrors", &mirrors)
        try row.column("metalink", &metalink)
        try row.column("refresh_url", &refreshURL)
        try row.column("root", &root)
        try row.column("directory", &directory)
        try row.column("filename", &filename)
        try row.column("on_conflict", &onConflict)
        try row.column("credentials", &credentials)
        try row.column("header_names", &summary.headerNames)
        try row.column("cookie_names", &summary.cookieNames)
        try row.column("authentication_scheme", &summary.scheme)
        try row.column("posted_bytes", &summary.postedBytes)
        try row.column("proxy", &summary.proxy)
        try row.column("expected_size_bytes", &expected.sizeBytes)
        try row.column("expected_digests", &expected.digests)
        try row.column("expected_content_type", &expected.mediaType)
        try row.column("max_bytes", &maxBytes)
        try row.column("rate_bytes_per_second", &rateBytesPerSecond)
        try row.column("connections", &connections)
        try row.column("max_attempts", &maxAttempts)
        try row.column("connect_timeout_seconds", &retry.connectTimeout)
        try row.column("silence_timeout_seconds", &retry.silenceTimeout)
        try row.column("give_up_seconds", &retry.giveUpAfter)
        try row.column("retry_delay_seconds", &retry.delay)
        try row.column("retry_max_delay_seconds", &retry.maxDelay)
        try row.column("retry_statuses", &retry.statuses)
        // The download has the chosen instant in a column of its own.
        var isDefault = deadline == .serviceDefault
        try row.column("deadline_is_default", &isDefault)
        if row.isReading { deadline = isDefault ? .serviceDefault : .at(Timestamp(milliseconds: 0)) }
        try row.column("priority", &priority)
        try row.column("not_before_at", &notBefore)
        try row.retention(&retention)
        try row.column("accepts_unverified_length", &acceptsUnverifiedLength)
        try row.column("accepts_html", &acceptsHTML)
        try row.column("preserves_mtime", &preservesModificationTime)
        try row.column("description", &description)
        try row.column("labels", &labels)
        try row.column("metadata", &metadata)
    }
}

extension DownloadURL: RowValue {
    mutating func columns<Coder: RowCoder>(_ row: inout Coder) throws(Coder.Failure) {
        var (text, scheme, host, port, path) = (text, scheme, host, Int64(port), path)
        try row.column("url", &text)
        try row.column("scheme", &scheme)
        try row.column("host", &host)
        try row.column("port", &port)
        try row.column("path", &path)
        if row.isReading {
            self = DownloadURL(text: text, scheme: scheme, host: host, port: UInt16(clamping: port), path: path)
        }
        // Derived from host and port. Stored only for indexes.
        var authority = row.isReading ? "" : authority
        try row.column("authority", &authority)
    }
}

extension Download.Source: RowValue {
    static let blank = Download.Source()

    mutating func columns<Coder: RowCoder>(_ row: inout Coder) throws(Coder.Failure) {
        try row.column("final_url", &finalURL)
        try row.column("redirects", &redirects)
        try row.column("http_version", &httpVersion)
        try row.column("http_status", &status)
        try row.column("etag", &etag)
        try row.column("last_modified", &lastModified)
        try row.column("last_modified_is_strong", &isLastModifiedStrong)
        try row.column("content_type", &contentType)
        try row.column("content_encoding", &contentEncoding)
        try row.column("suggested_name", &suggestedName)
        try row.column("remote_address", &remoteAddress)
        try row.column("source_digests", &digests)
        try row.column("source_url", &url)
        try row.column("source_mirrors", &mirrors)
        try row.column("source_is_metalink", &isMetalink)
        try row.optional(&previousFile)
    }
}

extension Download.PreviousFile: RowValue {
    static let blank = Download.PreviousFile()

    mutating func columns<Coder: RowCoder>(_ row: inout Coder) throws(Coder.Failure) {
        try row.column("previous_content_type", &contentType)
        try row.column("previous_total_bytes", &totalBytes)
        try row.column("previous_etag", &etag)
        try row.column("previous_last_modified", &lastModified)
    }
}

extension PublishedFile: RowValue {
    static let blank = PublishedFile(
        path: "",
        digests: [],
        identity: .file(size: 0, modified: nil)
    )

    mutating func columns<Coder: RowCoder>(_ row: inout Coder) throws(Coder.Failure) {
        try row.column("file_path", &path)
        try row.column("file_root", &root)
        try row.content(of: &self, .finishedFile)
        try row.column("file_moving_to", &movingTo)
        try row.column("file_placed_at", &placedAt)
        try row.column("file_is_missing", &isMissing)
        try row.column("file_is_skipped", &isSkipped)
        try row.column("file_expired_at", &expiredAt)
    }
}

/// The columns of ``Download/keptFile``.
struct KeptFile: RowValue {
    static let blank = KeptFile(file: .blank)

    var file: PublishedFile

    mutating func columns<Coder: RowCoder>(_ row: inout Coder) throws(Coder.Failure) {
        try row.column("kept_path", &file.path)
        try row.column("kept_root", &file.root)
        try row.content(of: &file, .keptFile)
        try row.column("kept_placed_at", &file.placedAt)
    }
}

extension DownloadFailure: RowValue {
    static let blank = DownloadFailure(
        error: DownloadError(.internal, message: ""),
        isRetried: false,
        attempt: 0,
        at: Timestamp(milliseconds: 0)
    )

    mutating func columns<Coder: RowCoder>(_ row: inout Coder) throws(Coder.Failure) {
        var (code, message) = (error.code, error.message)
        var (status, curlCode) = (error.httpStatus, error.curlCode)
        try row.column("error_code", &code)
        try row.column("error_message", &message)
        try row.column("error_http_status", &status)
        try row.column("error_curl_code", &curlCode)
        if row.isReading {
            error = DownloadError(code, message: message, httpStatus: status, curlCode: curlCode)
        }
        try row.column("error_is_retried", &isRetried)
        try row.column("error_attempt", &attempt)
        try row.column("error_at", &at)
    }
}
