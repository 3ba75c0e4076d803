import API
import Core
import Service
import ServiceSupport
import TestSupport
import Testing

/// `DELETE /downloads/{id}`.
@Suite(.hangLimit)
struct DeleteTests {
    @Test(arguments: [true, false])
    func aCompletedDownloadTakesItsFileWithItUnlessToldOtherwise(_ removesFile: Bool) async throws {
        let origin = Origin(Content(size: 100))
        defer { origin.stop() }
        try await withService { service in
            let id = try await service.complete(origin.url("/a.bin"))
            let response = try await service.request("DELETE", "/downloads/\(id)?delete_file=\(removesFile)")

            #expect(response.status == 204)
            #expect(service.folder.read("downloads/a.bin").isEmpty == removesFile)
            #expect(try await service.request("GET", "/downloads/\(id)").status == 404)
            #expect(try await service.request("DELETE", "/downloads/\(id)").status == 404)
        }
    }

    @Test func anotherFileInItsPlaceIsLeft() async throws {
        let origin = Origin(Content(size: 100))
        defer { origin.stop() }
        try await withService { service in
            let id = try await service.complete(origin.url("/a.bin"))
            service.folder.remove("downloads/a.bin")
            service.folder.write("mine", to: "downloads/a.bin")

            #expect(try await service.request("DELETE", "/downloads/\(id)").status == 204)
            #expect(service.folder.read("downloads/a.bin") == Array("mine".utf8))
        }
    }

    @Test func aFileThatReplacedItIsLeft() async throws {
        let origin = Origin(Content(size: 100))
        defer { origin.stop() }
        try await withService { service in
            let old = try await service.complete(origin.url("/a.bin"))
            let new = try await service.complete(origin.url("/a.bin"), #","on_conflict":"overwrite""#)

            #expect(try await service.request("GET", "/downloads/\(old)/file").status == 410)
            #expect(try await service.request("DELETE", "/downloads/\(old)").status == 204)
            #expect(try await service.request("GET", "/downloads/\(new)/file").status == 200)
        }
    }

    @Test func aCopyOfTheDataFolderServesAndDeletesItsFiles() async throws {
        let origin = Origin(Content(size: 100))
        defer { origin.stop() }
        let (original, copy) = (TemporaryFolder(), TemporaryFolder())
        let id = try await withService(folder: original) { try await $0.complete(origin.url("/a.bin")) }
        let program = try await Program("/bin/cp", ["-r", "\(original.path)/.", copy.path], environment: [:])
        #expect(try await program.result().exitCode == 0)

        try await withService(folder: copy) { service in
            let file = try await service.request("GET", "/downloads/\(id)/file")
            let deleted = try await service.request("DELETE", "/downloads/\(id)")

            #expect(file.status == 200)
            #expect(deleted.status == 204)
            #expect(copy.read("downloads/a.bin").isEmpty)
            #expect(!original.read("downloads/a.bin").isEmpty)
        }
    }

    @Test func aDownloadThatHasNotEndedIsDeletedByForceOnly() async throws {
        let gate = Signal()
        let origin = Origin(Content(size: 2 << 20), script: [.pace(.stall(after: 1 << 20, until: gate))])
        defer { origin.stop() }
        try await withService { service in
            let id = try await service.add(origin.url("/a.bin"))
            try await service.wait(id, receives: 1 << 20)
            let refused = try await service.request("DELETE", "/downloads/\(id)")
            let forced = try await service.request("DELETE", "/downloads/\(id)?force=true")

            #expect(refused.status == 409)
            #expect(refused.problem == "not-terminal")
            #expect(try refused.json["state"]?.text == "running")
            #expect(forced.status == 204)
            #expect(try await service.request("GET", "/downloads/\(id)").status == 404)
            try await service.hasNoParts()
        }
    }

    @Test(arguments: ["force=1", "force", "delete_file=no", "forced=true"])
    func aWrongParameterDeletesNothing(_ query: String) async throws {
        try await withService(.with { $0.runsScheduler = false }) { service in
            let id = try await service.add("http://a.example/")
            let response = try await service.request("DELETE", "/downloads/\(id)?\(query)")

            #expect(response.status == 400)
            #expect(response.problem == "invalid-request")
            #expect(try await service.request("GET", "/downloads/\(id)").status == 200)
        }
    }
}

/// However a download is given up, and however soon, its part file goes with it.
@Suite(.serialized, .hangLimit)
struct LeftoverTests {
    private static let count = 150

    /// Makes many downloads at once, and gives each up right after.
    private func deleteWhileRunning(
        _ script: [Behaviour],
        _ act: @escaping @Sendable (TestService, String) async throws -> Void
    ) async throws {
        let origin = Origin(Content(size: 2 << 20), script: script)
        defer { origin.stop() }
        try await withService { service in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<Self.count {
                    if number >= 16 { try await group.next() }
                    group.addTask {
                        let id = try await service.add(origin.url("/\(number)"))
                        try await act(service, id)
                    }
                }
                try await group.waitForAll()
            }
            try await service.hasNoWorkers()
            // The last parts are removed beside the answers.
            try await service.hasNoParts()
        }
    }

    @Test(arguments: [[Behaviour.dropping(after: 1 << 20)], [.good]])
    func aDeletedDownloadLeavesNoPart(_ script: [Behaviour]) async throws {
        try await deleteWhileRunning(script) { service, id in
            var status = 409
            while status == 409 { status = try await service.send("DELETE", "/downloads/\(id)?force=true").status }
            #expect(status == 204)
        }
    }

    @Test func aCancelledDownloadLeavesNoPart() async throws {
        try await deleteWhileRunning([.dropping(after: 1 << 20)]) { service, id in
            let status = try await service.act("cancel", on: id).status
            #expect(status == 200)
        }
    }

    @Test func aDownloadThatIsPausedAndThenCancelledLeavesNoPart() async throws {
        try await deleteWhileRunning([.dropping(after: 1 << 20)]) { service, id in
            for action in ["pause", "cancel"] {
                let status = try await service.act(action, on: id).status
                #expect(status == 200)
            }
        }
    }

    @Test func aFileThatCannotBeRemovedKeepsItsRecord() async throws {
        let origin = Origin(Content(size: 100))
        defer { origin.stop() }
        try await withService { service in
            let id = try await service.add(origin.url("/a.bin"))
            try await service.wait(id, .completed)
            try await service.store.execute("UPDATE download SET file_path = hex(randomblob(200))")

            let refused = try await service.send("DELETE", "/downloads/\(id)")

            #expect(refused.status == 500)
            #expect(try await service.record(id).state == .completed)
            #expect(try service.files == ["a.bin"])
            try await service.store.execute("UPDATE download SET file_path = 'a.bin'")
            #expect(try await service.send("DELETE", "/downloads/\(id)").status == 204)
            #expect(try service.files == [])
        }
    }
}
