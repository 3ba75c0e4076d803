import API
import Core
import Crypto
import HTTPFields
import Linux
import TransferRules

extension GetRecord {
    init(_ progress: GetProgress) {
        let download = progress.download
        self.init(
            id: download.id.text,
            url: download.request.url.text,
            generation: download.generation,
            totalBytes: download.progress.totalBytes,
            segments: progress.segments.map {
                SegmentRecord(start: $0.start, end: $0.end, durableEnd: $0.durableEnd)
            },
            source: SourceRecord(download.source),
            hostRefusesRanges: progress.hostRefusesRanges,
            mismatches: download.attempts.mismatches == 0 ? nil : download.attempts.mismatches,
            file: download.file.map(FileRecord.init)
        )
    }

    /// The download in the record; nil if the record is inconsistent or does not match `request`.
    func progress(of request: DownloadRequest, at now: Timestamp) -> GetProgress? {
        guard let id = DownloadID(id), url == request.url.text, generation > 0 else { return nil }
        guard let segments = checkedSegments(), let source = source.source else { return nil }
        var progress = GetProgress(download: GetProgress.download(id, request, at: now))
        progress.hostRefusesRanges = hostRefusesRanges
        progress.download.attempts.mismatches = max(mismatches ?? 0, 0)
        let checkpoint = Checkpoint(
            generation: generation,
            source: source,
            totalBytes: totalBytes,
            segments: segments
        )
        guard let file else {
            progress.apply(checkpoint)
            return progress
        }
        guard let published = file.published else { return nil }
        progress.apply(published, checkpoint)
        return progress
    }

    private func checkedSegments() -> [Segment]? {
        let isSound = segments.allSatisfy { segment in
            segment.start >= 0 && segment.start <= segment.durableEnd
                && segment.durableEnd <= (segment.end ?? .max) && (segment.end ?? 0) <= (totalBytes ?? .max)
        }
        guard isSound else { return nil }
        return segments.enumerated().map { index, segment in
            Segment(index: index, start: segment.start, end: segment.end, durableEnd: segment.durableEnd)
        }
    }
}

extension GetRecord.SourceRecord {
    fileprivate init(_ source: Download.Source) {
        self.init(
            finalURL: source.finalURL?.text,
            status: source.status,
            etag: source.etag,
            lastModified: source.lastModified,
            isLastModifiedStrong: source.isLastModifiedStrong,
            contentType: source.contentType,
            contentEncoding: source.contentEncoding,
            suggestedName: source.suggestedName,
            digests: source.digests.isEmpty ? nil : source.digests.map(\.description),
            url: source.url?.text,
            mirrors: source.mirrors.isEmpty ? nil : source.mirrors.map(\.text),
            isMetalink: source.isMetalink ? true : nil
        )
    }

    /// nil if a digest is invalid.
    fileprivate var source: Download.Source? {
        let stated = (digests ?? []).compactMap { Digest($0) }
        guard stated.count == (digests ?? []).count else { return nil }
        return Download.Source(
            finalURL: finalURL.map(DownloadURL.init(normalized:)),
            status: status,
            etag: etag,
            lastModified: lastModified,
            isLastModifiedStrong: isLastModifiedStrong,
            contentType: contentType,
            contentEncoding: contentEncoding,
            suggestedName: suggestedName,
            digests: stated,
            url: url.map(DownloadURL.init(normalized:)),
            mirrors: (mirrors ?? []).map(DownloadURL.init(normalized:)),
            isMetalink: isMetalink ?? false
        )
    }
}

extension GetRecord.FileRecord {
    fileprivate init(_ file: PublishedFile) {
        self.init(
            path: file.path,
            sizeBytes: file.sizeBytes,
            digests: file.digests.map(\.description),
            device: file.identity.device,
            inode: file.identity.inode
        )
    }

    fileprivate var published: PublishedFile? {
        let digests = digests.compactMap { Digest($0) }
        guard digests.count == self.digests.count, sizeBytes >= 0 else { return nil }
        return PublishedFile(
            path: path,
            sizeBytes: sizeBytes,
            digests: digests,
            identity: FileIdentity(device: device, inode: inode)
        )
    }
}

/// The history of a download, from which the next attempt is decided.
struct GetHistory: Sendable {
    private(set) var attempts: Download.Attempts
    private var lastCode: DownloadError.Code?
    private var progressedAt: Timestamp

    /// - Parameter mismatches: The number of complete files that earlier runs rejected.
    init(at now: Timestamp, mismatches: Int = 0) {
        attempts = Download.Attempts(mismatches: mismatches)
        progressedAt = now
    }

    /// Records a failed attempt.
    mutating func record(_ failure: TransferFailure, madeProgress: Bool, at now: Timestamp) {
        attempts.record(failure.error.code, after: lastCode, madeProgress: madeProgress)
        lastCode = failure.error.code
        if madeProgress { progressedAt = now }
    }

    func timeWithoutProgress(at now: Timestamp) -> Duration { max(now - progressedAt, .zero) }
}

/// The state file beside the target, from which a later `get` resumes, and the lock that excludes a concurrent one.
///
/// Every call may block: make it on a ``BlockingPool``.
struct StateFile: Sendable {
    let directory: Directory
    let name: String
    let lockName: String

    /// A larger file was not written by this program.
    private static let maximumBytes = 1 << 20

    /// The same URL and output name in the same folder use the same file.
    init(for request: DownloadRequest, in directory: Directory) {
        // A URL contains no NUL, so the separator is unambiguous.
        let key = "\(request.url.text)\0\(request.filename?.value ?? "")"
        let digest = HTTPFields.Digest(algorithm: .sha256, bytes: Array(SHA256.hash(data: Array(key.utf8))))
        self.directory = directory
        name = ".cormorant-\(digest.hex.prefix(16)).json"
        lockName = ".cormorant-\(digest.hex.prefix(16)).lock"
    }

    func lock() throws(FileLockError) -> FileLock { try FileLock.acquire(lockName, in: directory) }

    func unlock(_ lock: FileLock) { lock.releaseRemoving(lockName, in: directory) }

    /// The stored record for `request`; nil if there is none or it is invalid. The download then starts from byte 0.
    func load(_ request: DownloadRequest, at now: Timestamp) throws(SystemError) -> GetProgress? {
        do {
            let bytes = try directory.openFile(named: name, access: .read).readToEnd(limit: Self.maximumBytes)
            return GetRecord(json: bytes)?.progress(of: request, at: now)
        } catch  where error.isMissing || error.isFileTooLarge {
            return nil
        }
    }

    func save(_ record: [UInt8]) throws(SystemError) {
        try directory.writeDurably(record, named: name, replacing: true)
    }

    func remove() throws(SystemError) { try directory.remove(name) }
}
