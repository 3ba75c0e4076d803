import Core
import HTTPFields
import TransferRules

// `@inline(never)` keeps large values out of the frames that wait: see `Attempt`.

/// A file that is there before the download, and what makes it the download's (`on_conflict`: `skip`, `if_newer`).
struct ExistingFile {
    /// Whether a file with the expected size and digests is searched for.
    let isSkippable: Bool
    /// Whether the file is requested under a condition.
    let isConditional: Bool
    /// The name of the last search; nil before the first one.
    var searched: FileName?
    /// The download that fetched the file, if the file is unchanged since. It is boxed, since few attempts have one.
    var known: Box<Download>?
    /// The status of the response that said that the known version is the present one.
    var notModified: Int?
    /// The file, once it is recorded as the download's.
    var kept: PublishedFile?

    /// - Parameter posts: Whether the request is a POST, whose response depends on its body.
    init(_ request: DownloadRequest, posts: Bool) {
        isSkippable = request.onConflict == .skip && request.expected.namesOneFile
        isConditional = request.onConflict == .ifNewer && !posts
    }

    /// The version that the origin need not send again.
    var version: KnownVersion? {
        guard let known = known?.value, let file = known.file,
            let validator = known.source.validator(total: nil, now: Timestamp(milliseconds: 0))
        else { return nil }
        return KnownVersion(validator, total: file.sizeBytes)
    }
}

extension Attempt {
    /// Whether a file may be kept whose name is known before the first request.
    var mayKeepExistingFile: Bool {
        (existing.isSkippable || existing.isConditional) && state.stored.durableBytes == 0
    }

    /// Looks for a file under the name that is known before the first request.
    ///
    /// - Returns: The file, if it is the expected one; nothing is requested then.
    @inline(never)
    func keepExistingFile() async throws(AttemptInterruption) -> PublishedFile? {
        try await searchFile(named: fileName(file.source))
    }

    private func fileName(_ source: Download.Source) -> FileName {
        download.fileName(source).fitting(files.longestName)
    }

    private func searchFile(named name: FileName) async throws(AttemptInterruption) -> PublishedFile? {
        existing.searched = name
        if existing.isSkippable { return try await skipFile(named: name) }
        let path = PublishedFile.path(name, in: download.request.directory)
        existing.known = nil
        let last = try await mappingSinkErrors { FencedResult.done(try await checkpointSink.lastCompleted(at: path)) }
        guard let last, let file = last.file, try await files.isUnchanged(file) else { return nil }
        existing.known = Box(last)
        return nil
    }

    private func skipFile(named name: FileName) async throws(AttemptInterruption) -> PublishedFile? {
        try await files.recordExisting(
            name,
            expecting: download.request.expected,
            algorithms: algorithms,
            of: download,
            checkpoint(file.source),
            checkpointSink
        )
    }

    /// Whether a file can be kept under a name that only a response tells.
    var mayKeepAnotherFile: Bool {
        existing.searched != nil && !file.isFromMetalink && state.stored.durableBytes == 0
    }

    /// Whether a file under the name that only the response tells is kept.
    @inline(never)
    func keepsExistingFile(
        insteadOf response: OriginClient.Response,
        _ body: AcceptedBody
    ) async throws(AttemptInterruption) -> Bool {
        let source = Download.Source(response, validator: body.validator, continuing: nil)
        let name = fileName(source)
        guard name != existing.searched else { return false }
        existing.kept = try await searchFile(named: name)
        if existing.kept != nil { return true }
        guard let version = existing.version, version.isSame(as: body.validator) else { return false }
        existing.notModified = response.metadata.status
        existing.kept = try await keepKnownFile()
        return existing.kept != nil
    }

    /// Keeps the file whose version the origin still has.
    ///
    /// - Returns: nil if the file has changed since it was found; it is then fetched.
    func keepKnownFile() async throws(AttemptInterruption) -> PublishedFile? {
        guard let known = existing.known?.value, let file = known.file else { return nil }
        existing.known = nil
        var source = known.source
        source.status = existing.notModified ?? source.status
        return try await files.recordExisting(file, of: download, checkpoint(source), checkpointSink)
    }

    private func checkpoint(_ source: Download.Source) -> Checkpoint {
        Checkpoint(generation: generation, source: source, totalBytes: nil, segments: [])
    }
}
