import API
import Core
import Curl
import HTTPFields
import TestSupport
import Testing
import Transfer

@testable import Application
@testable import cormorant

@Suite
struct GetRecordTests {
    private let now = Timestamp(milliseconds: 1_700_000_000_000)
    private let request: DownloadRequest
    private let progress: GetProgress

    init() throws {
        request = DownloadRequest(url: try GivenURL(parsing: "https://example.com/a.iso").url)
        var progress = GetProgress.beginning(request, at: now)
        var source = Download.Source()
        source.finalURL = "https://mirror.example/a.iso"
        source.status = 200
        source.etag = "\"1\""
        source.lastModified = "Sun, 06 Nov 1994 08:49:37 GMT"
        source.isLastModifiedStrong = true
        source.contentType = "application/octet-stream"
        source.suggestedName = "b.iso"
        source.digests = [Digest(algorithm: .md5, bytes: Array(repeating: 7, count: 16))]
        progress.apply(
            Checkpoint(
                generation: 2,
                source: source,
                totalBytes: 1000,
                segments: [Segment(index: 0, start: 0, end: 1000, durableEnd: 400)]
            )
        )
        progress.hostRefusesRanges = true
        progress.download.attempts.mismatches = 1
        self.progress = progress
    }

    private func reread(_ record: GetRecord, for request: DownloadRequest? = nil) throws -> GetProgress? {
        GetRecord(json: try record.json())?.progress(of: request ?? self.request, at: now)
    }

    @Test
    func aWrittenRecordIsReadBack() throws {
        #expect(try reread(GetRecord(progress)) == progress)
        #expect(progress.download.progress.durableBytes == 400)
    }

    @Test
    func aFileOnItsWayIsReadBack() throws {
        var progress = progress
        let digest = Digest(algorithm: .sha256, bytes: Array(repeating: 7, count: 32))
        let file = PublishedFile(
            path: "b.iso",
            digests: [digest],
            identity: .file(size: 1000, modified: nil, hint: FileHint(volume: .max, number: 5))
        )
        progress.apply(
            file,
            Checkpoint(generation: 2, source: progress.download.source, totalBytes: 1000, segments: [])
        )

        let read = try #require(try reread(GetRecord(progress)))

        #expect(read == progress)
        #expect(read.download.phase == .publishing)
        #expect(read.download.progress.durableBytes == 1000)
    }

    @Test(arguments: ["", "{", "[]", "null", "{}", #"{"version":1}"#, "\u{0}\u{0}\u{0}"])
    func invalidRecordsAreIgnored(_ text: String) {
        #expect(GetRecord(json: Array(text.utf8)) == nil)
    }

    @Test
    func aTornRecordIsNone() throws {
        let json = try GetRecord(progress).json()

        for count in stride(from: 0, to: json.count - 1, by: 7) {
            #expect(GetRecord(json: Array(json[..<count])) == nil)
        }
    }

    @Test(arguments: [0, 2, 99])
    func aRecordOfAnotherVersionIsNone(_ version: Int) throws {
        var record = GetRecord(progress)
        record.version = version

        #expect(try reread(record) == nil)
    }

    private static let contradictions: [@Sendable (inout GetRecord) -> Void] = [
        { $0.id = "dl_1" },
        { $0.url = "https://example.com/other" },
        { $0.generation = 0 },
        { $0.segments[0].durableEnd = 1001 },
        { $0.segments[0].start = -1 },
        { $0.segments[0].durableEnd = -1 },
        { $0.segments[0].end = 2000 },
        { $0.segments.append(GetRecord.SegmentRecord(start: 999, end: 1000, durableEnd: 999)) },
        {
            $0.totalBytes = nil
            $0.segments = Array(repeating: GetRecord.SegmentRecord(start: 0, durableEnd: .max), count: 2)
        },
        {
            $0.totalBytes = -1
            $0.segments = []
        },
        { $0.generation = .max },
        { $0.mismatches = .max },
        { $0.mismatches = -1 },
        { $0.source.digests = ["md5=0"] },
        { $0.file = GetRecord.FileRecord(path: "a", sizeBytes: -1, digests: [], device: 1, inode: 1) },
        { $0.file = GetRecord.FileRecord(path: "a", sizeBytes: 1, digests: ["sha-256=00"], device: 1, inode: 1) },
    ]

    @Test(arguments: contradictions.indices)
    func aRecordThatContradictsItselfIsNone(_ index: Int) throws {
        var record = GetRecord(progress)
        Self.contradictions[index](&record)

        #expect(try reread(record) == nil)
    }

    @Test
    func startingOverForgetsTheFileAndTheBytes() {
        var progress = progress
        let file = PublishedFile(path: "b", digests: [], identity: .file(size: 1, modified: nil))
        progress.apply(file, Checkpoint(generation: 2, source: .init(), totalBytes: 1, segments: []))

        progress.startOver()

        #expect(progress.download.generation == 3)
        #expect(progress.download.file == nil)
        #expect(progress.download.phase == .probing)
        #expect(progress.segments.isEmpty)
        #expect(progress.download.progress.durableBytes == 0)
    }
}
