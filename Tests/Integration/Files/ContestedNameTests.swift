import Core
import ServiceSupport
import Store
import TestSupport
import Testing

/// A finished file whose name another download has recorded, and may not get: it was about to take the name, or its
/// process has ended then.
@Suite(.hangLimit)
struct ContestedNameTests {
    private static let url = "http://a.example/a.bin"
    private static let content = Content(size: 1000)

    private let folder = TemporaryFolder()
    private let time = ManualTime()

    /// Makes a completed download, and another one that has recorded the name of its file.
    private func make(
        isThere: Bool = false,
        _ change: (inout DownloadRequest) -> Void = { _ in }
    ) async throws -> String {
        try await OrphanedClaim.make(Self.url, in: folder, now: time.now, change) { first in
            _ = try await first.complete("a.bin", Self.content, in: folder)
            // It keeps its inode, so that the other file gets another one.
            if isThere { folder.rename("downloads/a.bin", to: "elsewhere") }
            try await first.next(Self.url).publish("a.bin", Self.content, isMoved: isThere, in: folder)
        }
    }

    /// The next start would take a file that is missing in the record for the other download's.
    @Test func theFileIsServedAndNotRecordedAsMissing() async throws {
        let id = try await make()
        try await withService(.with { $0.runsScheduler = false }, folder: folder, time: time) { service in
            let shown = try await service.request("GET", "/downloads/\(id)")
            let file = try await service.request("GET", "/downloads/\(id)/file")

            #expect(try shown.json["file"]?["available"]?.bool == true)
            #expect(file.status == 200)
            #expect(file.body == Self.content.bytes(in: 0..<Self.content.size))
            let events = try await service.request("GET", "/downloads/\(id)/events").json["items"]?.items ?? []
            #expect(!events.contains { $0["type"]?.text == "download.file_missing" })
        }
    }

    @Test func theFileIsMoved() async throws {
        let id = try await make()
        try await withService(.with { $0.runsScheduler = false }, folder: folder, time: time) { service in
            let answer = try await service.request("PATCH", "/downloads/\(id)", #"{"directory":"new"}"#)

            #expect(answer.status == 200, Comment(rawValue: answer.text))
            #expect(Self.content.matches(fileAt: folder("downloads/new/a.bin")))
        }
    }

    @Test(arguments: [false, true])
    func theFileExpiresUnlessTheOtherOneIsThere(isThere: Bool) async throws {
        let id = try await make(isThere: isThere) { $0.retention = .after(WholeSeconds(60)) }
        try await withService(.with { $0.runsScheduler = false }, folder: folder, time: time) { service in
            try await service.advanceClock(by: .seconds(20)) {
                let file = try await service.record(id).file
                return file?.isMissing == true ? file?.expiredAt : nil
            }

            #expect(try service.files == (isThere ? ["a.bin"] : []))
        }
    }
}
