import Model

/// Columns of `download` that are written together, and only where one of them changed: SQLite writes an index anew,
/// and asks a trigger, for each column that a statement sets, whether its value is another or not.
struct ColumnGroup: Sendable {
    let columns: [String]
    let isChanged: @Sendable (_ old: Download, _ new: Download) -> Bool
    let write: @Sendable (Download, inout RowWriter) -> Void

    /// Every group, in the order of ``DownloadColumns/all``.
    static let all = [request, marks, life, progress, source, file, error]
}

extension ColumnGroup {
    /// What the client asked for.
    private static let request = Self(
        columns: [
            "url", "scheme", "host", "port", "path", "authority", "mirrors", "metalink",
            "refresh_url", "filename", "on_conflict",
            "credentials", "header_names", "cookie_names", "authentication_scheme", "posted_bytes", "proxy",
            "expected_size_bytes", "expected_digests", "max_bytes", "rate_bytes_per_second", "connections",
            "max_attempts",
            "deadline_is_default", "priority", "not_before", "accepts_unverified_length", "labels", "metadata",
        ],
        isChanged: { $0.request != $1.request },
        write: { $0.request.write(to: &$1) }
    )

    /// What changes with nearly every write.
    private static let marks = Self(
        columns: ["phase", "revision", "updated_at"],
        isChanged: {
            ($0.phase, $0.revision, $0.times.updatedAt) != ($1.phase, $1.revision, $1.times.updatedAt)
        },
        write: { $0.writeMarks(to: &$1) }
    )

    /// Where in its life the download is: what most of the indexes and triggers look at.
    private static let life = Self(
        columns: [
            "state", "waiting_for", "run", "epoch", "owner", "generation",
            "attempts", "attempts_without_progress", "restarts", "same_failures", "suspect_answers", "mismatches",
            "new_links", "crash_count", "crash_count_despite_progress",
            "queued_at", "started_at", "finished_at", "next_attempt_at", "deadline_at", "paused_at",
        ],
        isChanged: { $1.isLifeChanged(from: $0) },
        write: { $0.writeLife(to: &$1) }
    )

    private static let progress = Self(
        columns: ["durable_bytes", "total_bytes", "resumed_from_bytes", "progressed_at"],
        isChanged: { ($0.progress, $0.times.progressedAt) != ($1.progress, $1.times.progressedAt) },
        write: { $0.writeProgress(to: &$1) }
    )

    private static let source = Self(
        columns: [
            "final_url", "redirects", "http_version", "http_status", "etag", "last_modified",
            "last_modified_is_strong", "content_type", "content_encoding", "suggested_name", "remote_address",
            "source_digests", "source_url", "source_mirrors", "source_is_metalink",
            "former_total_bytes", "former_etag", "former_last_modified", "former_content_type",
        ],
        isChanged: { $0.source != $1.source },
        write: { $0.source.write(to: &$1) }
    )

    private static let file = Self(
        columns: [
            "file_path", "file_size_bytes", "file_digests", "file_device", "file_inode", "file_modified",
            "file_is_missing",
        ],
        isChanged: { $0.file != $1.file },
        write: { PublishedFile.write($0.file, to: &$1) }
    )

    private static let error = Self(
        columns: [
            "error_code", "error_message", "error_http_status", "error_transport_code", "error_is_retried",
            "error_attempt", "error_at",
        ],
        isChanged: { $0.error != $1.error },
        write: { DownloadFailure.write($0.error, to: &$1) }
    )
}
