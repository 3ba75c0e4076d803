import Core
import HTTPFields
import TransferRules

extension GetRecord {
    init(_ progress: GetProgress) {
        let download = progress.download
        self.init(
            id: download.id.text,
            url: download.request.url.text,
            generation: download.generation,
            segments: progress.segments.map {
                SegmentRecord(start: $0.start, end: $0.end, durableEnd: $0.durableEnd)
            },
            source: SourceRecord(download.source),
            hostRefusesRanges: progress.hostRefusesRanges
        )
        totalBytes = download.progress.totalBytes
        mismatches = download.attempts.mismatches == 0 ? nil : download.attempts.mismatches
        file = download.file.map(FileRecord.init)
    }

    /// No file was rejected or begun again so often. A larger number was not written by this program.
    private static let largestCount = 1_000_000

    /// The download in the record; nil if the record is inconsistent or does not match `request`.
    func progress(of request: DownloadRequest, at now: Timestamp) -> GetProgress? {
        guard let id = DownloadID(id), url == request.url.text, (1...Self.largestCount).contains(generation),
            (0...Self.largestCount).contains(mismatches ?? 0)
        else { return nil }
        guard let segments = checkedSegments(), let source = source.source else { return nil }
        var progress = GetProgress(download: GetProgress.download(id, request, at: now))
        progress.hostRefusesRanges = hostRefusesRanges
        progress.download.attempts.mismatches = mismatches ?? 0
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
        // Segments that overlap could have more bytes than a file can.
        let isOrdered = zip(segments, segments.dropFirst()).allSatisfy { ($0.end ?? .max) <= $1.start }
        guard isSound, isOrdered, totalBytes ?? 0 >= 0 else { return nil }
        return segments.enumerated().map { index, segment in
            Segment(index: index, start: segment.start, end: segment.end, durableEnd: segment.durableEnd)
        }
    }
}

extension GetRecord.SourceRecord {
    fileprivate init(_ source: Download.Source) {
        self.init(isLastModifiedStrong: source.isLastModifiedStrong)
        finalURL = source.finalURL?.text
        status = source.status
        etag = source.etag
        lastModified = source.lastModified
        contentType = source.contentType
        contentEncoding = source.contentEncoding
        suggestedName = source.suggestedName
        digests = source.digests.isEmpty ? nil : source.digests.map(\.description)
        url = source.url?.text
        mirrors = source.mirrors.isEmpty ? nil : source.mirrors.map(\.text)
        isMetalink = source.isMetalink ? true : nil
    }

    /// nil if a digest is invalid.
    fileprivate var source: Download.Source? {
        let stated = (digests ?? []).compactMap { Digest($0) }
        guard stated.count == (digests ?? []).count else { return nil }
        var source = Download.Source()
        source.finalURL = finalURL.map(DownloadURL.init(normalized:))
        source.status = status
        source.etag = etag
        source.lastModified = lastModified
        source.isLastModifiedStrong = isLastModifiedStrong
        source.contentType = contentType
        source.contentEncoding = contentEncoding
        source.suggestedName = suggestedName
        source.digests = stated
        source.url = url.map(DownloadURL.init(normalized:))
        source.mirrors = (mirrors ?? []).map(DownloadURL.init(normalized:))
        source.isMetalink = isMetalink ?? false
        return source
    }
}

extension GetRecord.FileRecord {
    fileprivate init(_ file: PublishedFile) {
        self.init(
            path: file.path,
            sizeBytes: file.sizeBytes,
            digests: file.digests.map(\.description),
            device: file.identity.hint?.volume ?? 0,
            inode: file.identity.hint?.number ?? 0
        )
    }

    fileprivate var published: PublishedFile? {
        let digests = digests.compactMap { Digest($0) }
        guard digests.count == self.digests.count, sizeBytes >= 0 else { return nil }
        return PublishedFile(
            path: path,
            digests: digests,
            identity: .file(size: sizeBytes, modified: nil, hint: FileHint(volume: device, number: inode))
        )
    }
}
