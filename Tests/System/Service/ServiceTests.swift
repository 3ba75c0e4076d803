import API
import Foundation
import ServiceSupport
import TestSupport
import Testing

/// The built program, as a client meets it.
@Suite(.hangLimit)
struct ServiceTests {
    @Test func aPostedURLBecomesAFileWithADigestAndASignedEvent() async throws {
        let folder = TemporaryFolder()
        let content = Content(seed: 7, size: 300_000)
        let origin = Origin(content)
        let receiver = Origin(script: [.page(204)])
        defer {
            origin.stop()
            receiver.stop()
        }
        let service = try await ServiceProcess(
            dataFolder: folder.path,
            arguments: ["--webhook-url", receiver.url("/hook"), "--min-free-bytes", "0"]
        )
        let client = ServiceClient(port: service.port)

        let created = try await client.post("/downloads", #"{"url":"\#(origin.url("/a.bin"))","session":"s"}"#)
        let events = await receiver.requests(atLeast: 2)
        let id = try #require(created.json["id"]?.text)
        let download = try await client.get("/downloads/\(id)").json

        #expect(created.status == 201)
        #expect(download["state"]?.text == "completed")
        #expect(download["file"]?["path"]?.text == "a.bin")
        #expect(download["file"]?["digests"]?["sha-256"]?.text?.count == 64)
        #expect(content.matches(fileAt: "\(folder.path)/downloads/a.bin"))
        #expect(events.allSatisfy { $0.value(of: "webhook-signature")?.hasPrefix("v1,") == true })
        #expect(try await service.terminate() == 0)
    }

    @Test(arguments: [
        ("/downloads/dl_01kdyak3seeejr3cp3tkjzc1rr", 404, "/problems/not-found"),
        ("/sessions/none", 404, "/problems/not-found"),
        ("/downloads?state=lost", 400, "/problems/invalid-filter"),
        ("/downloads?cursor=x", 400, "/problems/invalid-cursor"),
        ("/nothing", 404, "/problems/not-found"),
    ])
    func aWrongRequestIsAProblemAndTheServiceGoesOn(_ path: String, _ status: Int, _ type: String) async throws {
        let folder = TemporaryFolder()
        let service = try await ServiceProcess(dataFolder: folder.path, arguments: [])
        let client = ServiceClient(port: service.port)

        let response = try await client.get(path)

        #expect(response.status == status)
        #expect(response.json["type"]?.text == type)
        #expect(try await client.get("/livez").status == 200)
        #expect(try await service.terminate() == 0)
    }

    @Test func aSecondServiceOnTheSameFolderIsRefused() async throws {
        let folder = TemporaryFolder()
        let first = try await ServiceProcess(dataFolder: folder.path, arguments: [])

        await #expect(throws: ServiceDied.self) { _ = try await ServiceProcess(dataFolder: folder.path, arguments: []) }
        #expect(try await ServiceClient(port: first.port).get("/livez").status == 200)
        #expect(try await first.terminate() == 0)
    }

    @Test(.enabled(if: SmallDisk.isAllowed, Comment(rawValue: SmallDisk.reason)))
    func partsAndFilesOnTwoFileSystemsAreRefusedAtTheStart() async throws {
        let disk = try SmallDisk(bytes: 1 << 20)
        let folder = TemporaryFolder()
        let downloads = folder.makeFolder("downloads")
        // The same file system in a second place; the constant of mount(2), an enumeration's, is MS_BIND.
        #expect(mount(disk.folder.path, downloads, nil, 4096, nil) == 0)
        defer { umount2(downloads, Int32(MNT_DETACH)) }

        let died = await #expect(throws: ServiceDied.self) {
            _ = try await ServiceProcess(dataFolder: folder.path, arguments: [])
        }
        #expect(died?.log.contains("two file systems") == true)
    }
}
