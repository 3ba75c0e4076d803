import API
import Core
import Curl
import Linux
import ServiceSupport
import Store
import TestSupport
import Transfer

/// A download in the hands of a process that died: its claim, and what it wrote.
struct OrphanedClaim {
    let store: Store
    let claim: Claim
    let now: Timestamp

    /// The name of its part file.
    var part: String { PartName(id: claim.id, generation: 1).text }

    /// Claims the one download that is queued.
    static func claim(in store: Store, now: Timestamp) async throws -> OrphanedClaim {
        let claimed = try await store.claim(Slots(free: 1, perHost: 1), node: "a dead process", now: now).downloads
        guard let claimed = claimed.first else { throw NotReached(expected: "a queued download", seen: "none") }
        return OrphanedClaim(store: store, claim: claimed.claim, now: now)
    }

    /// Makes a download in a folder, as a process would that dies after `body`.
    static func make(
        _ url: String,
        in folder: TemporaryFolder,
        now: Timestamp,
        _ change: (inout DownloadRequest) -> Void = { _ in },
        _ body: (OrphanedClaim) async throws -> Void
    ) async throws -> String {
        let store = try Store(.file(folder("cormorant.db")), encode: JSONEncoding.encode)
        defer { store.close() }
        let id = DownloadID(at: now)
        var request = DownloadRequest(url: try GivenURL(parsing: url).url)
        change(&request)
        let new = NewDownload(id: id, request: request, starts: true, deadlineAt: now + .seconds(86_400))
        _ = try await store.create([new], atomically: true, now: now)
        try await body(try await claim(in: store, now: now))
        return id.text
    }

    /// Writes the first bytes of `content`, and records `recorded` of them as durable.
    func receive(_ content: Content, written: Int64, recorded: Int64, in folder: TemporaryFolder) async throws {
        _ = try write(content, count: written, to: part, in: folder)
        let segment = Segment(index: 0, start: 0, end: content.size, durableEnd: recorded)
        let checkpoint = Checkpoint(
            generation: 1,
            source: content.source(),
            totalBytes: content.size,
            segments: [segment]
        )
        _ = try await store.checkpoint(claim, checkpoint, now: now)
    }

    /// Writes the whole of `content` and passes the point of no return.
    ///
    /// - Parameter isMoved: Whether the file reached its place before the process died.
    func publish(_ path: String, _ content: Content, isMoved: Bool = false, in folder: TemporaryFolder) async throws {
        let identity = try write(content, count: content.size, to: part, in: folder)
        let file = PublishedFile(path: path, digests: [], identity: identity)
        let checkpoint = Checkpoint(
            generation: 1,
            source: content.source(),
            totalBytes: content.size,
            segments: []
        )
        _ = try await store.publish(claim, file, checkpoint, now: now)
        guard isMoved else { return }
        let root = try Directory(path: folder.path)
        let downloads = try root.openDirectory(relative: "downloads", creating: true, mode: 0o777)
        try root.openDirectory(relative: "parts").rename(part, to: downloads, path, replacing: false)
    }

    /// Completes the download.
    func complete(_ path: String, _ content: Content, in folder: TemporaryFolder) async throws -> PublishedFile {
        try await publish(path, content, isMoved: true, in: folder)
        _ = try await store.recordOutcome(claim, .completed, madeProgress: true, now: now)
        guard let file = try await store.download(claim.id)?.file else {
            throw NotReached(expected: "a file", seen: "none")
        }
        return file
    }

    /// Deletes the record of the ended download, and dies before its file is removed.
    func delete() async throws {
        _ = try await store.delete(claim.id, force: false, removesFiles: true, expectedRevision: nil, now: now)
    }

    /// Claims another download, which begins now.
    func next(_ url: String) async throws -> OrphanedClaim {
        let request = DownloadRequest(url: try GivenURL(parsing: url).url)
        let new = NewDownload(
            id: DownloadID(at: now),
            request: request,
            starts: true,
            deadlineAt: now + .seconds(86_400)
        )
        _ = try await store.create([new], atomically: true, now: now)
        return try await Self.claim(in: store, now: now)
    }

    /// Completes the download with a file that is there (`on_conflict`: `skip`).
    func skip(_ file: PublishedFile) async throws {
        var file = file
        file.isSkipped = true
        let checkpoint = Checkpoint(generation: 1, source: Download.Source(), totalBytes: nil, segments: [])
        _ = try await store.publish(claim, file, checkpoint, now: now)
        _ = try await store.recordOutcome(claim, .completed, madeProgress: true, now: now)
    }

    private func write(
        _ content: Content,
        count: Int64,
        to name: String,
        in folder: TemporaryFolder
    ) throws -> Core.FileIdentity {
        let root = try Directory(path: folder.path)
        let parts = try root.openDirectory(relative: "parts", creating: true, mode: 0o700)
        let file = try parts.openFile(named: name, access: .createIfMissing)
        try file.write(content.bytes(in: 0..<count), at: 0)
        return .file(size: count, modified: nil, hint: FileHint(try file.information().identity))
    }
}
