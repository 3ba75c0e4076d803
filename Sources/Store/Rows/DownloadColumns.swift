import GRDB
import Model

/// The columns of `download` in the order in which they are written and read.
enum DownloadColumns {
    /// Set once, when the row is made.
    static let fixed = ["id", "directory", "session", "dedupe_key", "created_at"]

    /// What the client asked for, set where that changes.
    static let request = [
        "url", "scheme", "host", "port", "path", "authority",
        "filename", "on_conflict", "credentials", "header_names",
        "expected_size_bytes", "expected_digests", "max_bytes", "max_attempts",
        "deadline_is_default", "accepts_unverified_length", "labels", "metadata",
    ]

    /// How the download stands, set on every write of the row.
    static let standing = [
        "state", "phase", "waiting_for", "revision", "run", "epoch", "generation",
        "attempts", "attempts_without_progress", "restarts", "same_failures", "suspect_answers",
        "durable_bytes", "total_bytes", "resumed_from_bytes",
        "final_url", "redirects", "http_version", "http_status", "etag", "last_modified",
        "last_modified_is_strong", "content_type", "content_encoding", "suggested_name", "remote_address",
        "file_path", "file_size_bytes", "file_digests", "file_device", "file_inode",
        "error_code", "error_message", "error_http_status", "error_transport_code", "error_is_retried",
        "error_attempt", "error_at",
        "updated_at", "queued_at", "started_at", "finished_at", "next_attempt_at", "deadline_at",
        "progressed_at", "paused_at",
    ]

    static let all = fixed + request + standing

    /// For SELECT and RETURNING.
    static let list = all.joined(separator: ", ")
}

extension Download {
    /// Reads the columns of ``DownloadColumns/list``.
    init(_ reader: inout RowReader) throws {
        let id = try reader.id(DownloadKind.self)
        let directory: String? = reader.optional()
        let session: String? = reader.optional()
        let dedupeKey: String? = reader.optional()
        let createdAt = try reader.time()
        var request = try DownloadRequest(&reader)
        request.directory = try directory.map(RelativeDirectory.init(validating:))
        request.session = session.flatMap { SessionName($0) }
        request.dedupeKey = dedupeKey
        self = try Download(&reader, id: id, request: request, createdAt: createdAt)
    }

    private init(
        _ reader: inout RowReader,
        id: DownloadID,
        request: DownloadRequest,
        createdAt: Timestamp
    ) throws {
        try self.init(
            id: id,
            request: request,
            state: reader.word(),
            phase: reader.optionalWord(),
            waitingFor: reader.optionalWord(),
            revision: reader.next(),
            run: reader.next(),
            epoch: reader.next(),
            generation: reader.next(),
            attempts: Attempts(
                count: reader.next(),
                withoutProgress: reader.next(),
                restarts: reader.next(),
                sameFailures: reader.next(),
                suspectAnswers: reader.next()
            ),
            progress: Progress(
                durableBytes: reader.next(),
                totalBytes: reader.optional(),
                resumedFromBytes: reader.next()
            ),
            source: Source(&reader),
            file: PublishedFile(&reader),
            error: DownloadFailure(&reader),
            times: Times(&reader, createdAt: createdAt)
        )
        if case .at = self.request.deadline { self.request.deadline = .at(times.deadlineAt) }
    }

    /// Writes the columns of ``DownloadColumns/fixed``.
    func writeFixed(to writer: inout RowWriter) {
        writer.add(id.text)
        writer.add(request.directory?.path)
        writer.add(request.session?.text)
        writer.add(request.dedupeKey)
        writer.add(times.createdAt.milliseconds)
    }

    /// Writes the columns of ``DownloadColumns/standing``.
    func writeStanding(to writer: inout RowWriter) {
        writer.add(state.rawValue)
        writer.add(phase?.rawValue)
        writer.add(waitingFor?.rawValue)
        writer.add(revision)
        writer.add(run)
        writer.add(epoch)
        writer.add(generation)
        writer.add(attempts.count)
        writer.add(attempts.withoutProgress)
        writer.add(attempts.restarts)
        writer.add(attempts.sameFailures)
        writer.add(attempts.suspectAnswers)
        writer.add(progress.durableBytes)
        writer.add(progress.totalBytes)
        writer.add(progress.resumedFromBytes)
        source.write(to: &writer)
        PublishedFile.write(file, to: &writer)
        DownloadFailure.write(error, to: &writer)
        times.write(to: &writer)
    }
}
