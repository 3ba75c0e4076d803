import Core
import Service
import ServiceSupport
import Testing
import TestSupport

/// However a download is given up, and however soon, its part file goes with it.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct LeftoverTests {
    private static let count = 150

    /// Makes many downloads at once, and gives each up right after.
    private func giveUp(
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
            try await service.poll { service.live.count == 0 ? () : nil }
            // The last parts are removed beside the answers.
            try await service.poll { try service.parts.isEmpty ? () : nil }
        }
    }

    @Test(arguments: [[Behaviour.dropping(after: 1 << 20)], [.good]])
    func aDeletedDownloadLeavesNoPart(_ script: [Behaviour]) async throws {
        try await giveUp(script) { service, id in
            var status = 409
            while status == 409 { status = try await service.send("DELETE", "/downloads/\(id)?force=true").status }
            #expect(status == 204)
        }
    }

    @Test func aCancelledDownloadLeavesNoPart() async throws {
        try await giveUp([.dropping(after: 1 << 20)]) { service, id in
            let status = try await service.act("cancel", on: id).status
            #expect(status == 200)
        }
    }

    @Test func aDownloadThatIsPausedAndThenCancelledLeavesNoPart() async throws {
        try await giveUp([.dropping(after: 1 << 20)]) { service, id in
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
