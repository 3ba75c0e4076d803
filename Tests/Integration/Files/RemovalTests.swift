import Core
import ServiceSupport
import Store
import TestSupport
import Testing

@testable import Transfer

/// Removals that a commit left.
struct RemovalTests {
    private let folder = TemporaryFolder()
    private let time = ManualTime()

    /// Otherwise the record of that download would be complete, and its file gone.
    @Test func aFileThatAnotherDownloadRecordsBeforeItsRemovalIsKept() async throws {
        let url = "http://a.example/a.bin"
        let id = try await OrphanedClaim.make(url, in: folder, now: time.now) { left in
            _ = try await left.complete("kept.bin", Content(size: 1000), in: folder)
        }

        try await withService(.with { $0.runsScheduler = false }, folder: folder, time: time) { service in
            let (store, engine) = (service.store, service.engine)
            let id = try #require(DownloadID(id))
            let file = try #require(try await store.download(id)?.file)
            try await engine.withPathLocked(of: file) {
                _ = try await store.delete(id, force: false, removesFiles: true, expectedRevision: nil, now: time.now)
                try await poll("a removal that waits for the path", because: .counter) {
                    // The janitor looks at finished files after the start, and may wait too.
                    engine.locks.waitingCount(for: file.path) >= 1
                }
                let claim = Claim(id: id, node: "a dead process", epoch: 1)
                try await OrphanedClaim(store: store, claim: claim, now: time.now).next(url).skip(file)
            }

            try await poll("the end of the removal", because: .quietCommit) {
                try await store.storageTasks(limit: 1, now: time.now).due.isEmpty
            }
            #expect(try service.files == ["kept.bin"])
        }
    }

    /// The other one has recorded the name, and its process has died before it took another.
    @Test(arguments: [false, true])
    func aFileWhoseNameAnotherDownloadIsAboutToTakeIsRemovedUnlessItIsThere(isThere: Bool) async throws {
        let url = "http://a.example/a.bin"
        let content = Content(size: 1000)
        let id = try await OrphanedClaim.make(url, in: folder, now: time.now) { first in
            _ = try await first.complete("a.bin", content, in: folder)
            // It keeps its inode, so that the other file gets another one.
            if isThere { folder.rename("downloads/a.bin", to: "elsewhere") }
            try await first.next(url).publish("a.bin", content, isMoved: isThere, in: folder)
        }

        try await withService(.with { $0.runsScheduler = false }, folder: folder, time: time) { service in
            let answer = try await service.request("DELETE", "/downloads/\(id)?delete_file=true")

            #expect(answer.status == 204)
            #expect(try service.files == (isThere ? ["a.bin"] : []))
        }
    }

    @Test(.enabled(if: SmallDisk.isAllowed, Comment(rawValue: SmallDisk.reason)))
    func aPartFileThatCannotBeRemovedIsRemovedLater() async throws {
        let origin = Origin(Content(size: 2 << 20), script: [.pace(.stall(after: 700_001, until: Signal())), .good])
        defer { origin.stop() }

        try await withService(folder: folder, time: time) { service in
            let id = try await service.add(origin.url("/a.bin"))
            try await service.wait(id, receives: 700_001)
            try await service.act("pause", on: id)
            let part = try MountedFile(folder("parts/\(try #require(try service.parts.first))"))

            try await service.act("cancel", on: id)

            try await poll("a removal that is put off", because: .quietCommit) {
                let tasks = try await service.store.storageTasks(limit: 1, now: time.now)
                return tasks.due.isEmpty && tasks.next != nil
            }
            part.unmount()
            time.advance(by: .seconds(61))
            try await service.names(in: "parts", are: [])
        }
    }
}
