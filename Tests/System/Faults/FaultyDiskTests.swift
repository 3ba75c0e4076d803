import GRDB
import Glibc
import ServiceSupport
import TestSupport
import Testing

/// The program on a disk that fails: no byte is believed that the disk did not take, and nothing is lost for good.
@Suite(.hangLimit, .enabled(if: CallFaults.isAllowed, Comment(rawValue: CallFaults.reason)))
struct FaultyDiskTests {
    private static let mebibyte: Int64 = 1 << 20
    private static let content = Content(seed: 3, size: 24 * mebibyte)

    /// The kernel tells of a write that failed once; the next flush succeeds without its bytes.
    @Test(arguments: [EIO, ENOSPC])
    func bytesOfAFailedFlushAreFetchedAgain(code: Int32) async throws {
        let scene = try await FaultScene(Self.content, stallAfter: 20 * Self.mebibyte) { faults in
            faults.fail(.sync, code, once: true, on: ".part")
        }
        try await scene.waits(until: "state", is: "waiting")

        #expect(scene.faults.hasFailed(.sync))
        #expect(try scene.durableBytes() == 0)
        scene.rest.fire()
        try await scene.resume()
        #expect(scene.origin.requests.map { $0.value(of: "range") } == [nil, nil])
        #expect(scene.holds(Self.content))
        try await scene.end()
    }

    @Test(arguments: [Int64(1000), 3 << 20])
    func aFileThatCannotBeFlushedIsNotPublished(size: Int64) async throws {
        let content = Content(seed: 5, size: size)
        let scene = try await FaultScene(content) { $0.fail(.sync, EIO, once: false, on: ".part") }
        try await scene.waitsForDisk()

        #expect(!scene.hasFile)
        scene.faults.mend(.sync)
        try await scene.resume()
        #expect(scene.holds(content))
        try await scene.end()
    }

    @Test(arguments: [EIO, EROFS])
    func aWriteThatFailsWaitsForTheDiskAndGoesOnFromWhatIsRecorded(code: Int32) async throws {
        let scene = try await FaultScene(Self.content, stallAfter: 20 * Self.mebibyte)
        try await scene.waits(untilDurable: 20 * Self.mebibyte)
        scene.faults.fail(.pwrite, code, once: false, on: ".part")
        scene.rest.fire()
        try await scene.waitsForDisk()

        #expect(!scene.hasFile)
        scene.faults.mend(.pwrite)
        try await scene.resume()
        #expect(scene.origin.requests.last?.value(of: "range")?.hasPrefix("bytes=\(20 * Self.mebibyte)-") == true)
        #expect(scene.holds(Self.content))
        try await scene.end()
    }

    @Test func aFileThatCannotBeReadForVerificationIsNotPublished() async throws {
        let scene = try await FaultScene(Self.content, stallAfter: 20 * Self.mebibyte)
        try await scene.waits(untilDurable: 20 * Self.mebibyte)
        scene.faults.fail(.pread, EIO, once: false, on: ".part")
        scene.rest.fire()
        try await scene.waitsForDisk()

        #expect(!scene.hasFile)
        scene.faults.mend(.pread)
        try await scene.resume()
        #expect(scene.holds(Self.content))
        try await scene.end()
    }

    @Test(arguments: [EIO, ENOSPC])
    func aMoveThatFailsIsMadeAgain(code: Int32) async throws {
        let scene = try await FaultScene(Self.content) { $0.fail(.rename, code, once: true, on: "/downloads/") }
        try await scene.waits(until: "state", is: "waiting")
        try await scene.resume()

        #expect(scene.holds(Self.content))
        #expect(scene.origin.requests.count == 1)
        try await scene.end()
    }

    /// As a disk may take half a minute for one.
    @Test func aSlowFlushDelaysNoOtherDownload() async throws {
        let content = Content(size: 2 * Self.mebibyte)
        let scene = try await FaultScene(content) { $0.stall(.sync, on: ".part") }
        try await scene.faults.waitForFailure(.sync)

        let small = try await scene.client.post("/downloads", #"{"url":"\#(scene.origin.url("/b"))"}"#)
        #expect(small.status == 201)
        #expect(try await scene.client.get("/downloads").status == 200)
        #expect(try await scene.value("state") == "running")
        #expect(!scene.hasFile)
        scene.faults.mend(.sync)
        try await scene.waits(until: "state", is: "completed")
        #expect(scene.holds(content))
        try await scene.end()
    }

    @Test(arguments: [EMFILE, ENFILE])
    func aPartThatCannotBeOpenedForLackOfDescriptorsIsWaitedFor(code: Int32) async throws {
        let scene = try await FaultScene(Self.content) { $0.fail(.create, code, once: false, on: ".part") }
        try await scene.waits(until: "state", is: "waiting")

        #expect(!scene.hasFile)
        scene.faults.mend(.create)
        try await scene.resume()
        #expect(scene.holds(Self.content))
        try await scene.end()
    }

    /// Where it may not be, a file is not put by waiting: its download fails, and can be tried again.
    @Test(arguments: [EACCES, EXDEV])
    func aMoveThatIsForbiddenFailsAndCanBeTriedAgain(code: Int32) async throws {
        let content = Content(size: 300_000)
        let scene = try await FaultScene(content) { $0.fail(.rename, code, once: false, on: "/downloads/") }
        try await scene.waits(until: "state", is: "failed")

        #expect(try await scene.errorCode == "io_error")
        #expect(!scene.hasFile)
        scene.faults.mend(.rename)
        try await scene.resume("retry")
        #expect(scene.holds(content))
        try await scene.end()
    }

    /// It is flushed before it gets its name: after a power cut it could be empty otherwise.
    @Test func aGetWhoseStateFileCannotBeFlushedFetchesNothing() async throws {
        let folder = TemporaryFolder()
        let faults = CallFaults()
        faults.fail(.sync, EIO, once: false, on: ".json.tmp")
        let origin = Origin(Content(size: 300_000))
        defer { origin.stop() }

        let get = ["get", "-d", folder.path, origin.url("/a.bin")]
        let result = try await CommandRun.result(of: get, environment: try faults.environment)

        #expect(faults.hasFailed(.sync))
        #expect(result.exitCode == 74)
        #expect(origin.requests.isEmpty)
    }

    /// SQLite makes the write-ahead log at each start, and ignores a failed flush of its name. A power failure would
    /// take the log, and with it each download that was answered 201.
    @Test func aDataFolderThatCannotBeFlushedEndsTheStart() async throws {
        let folder = TemporaryFolder()
        let faults = CallFaults()
        let arguments = ["--min-free-bytes", "0"]
        var service = try await ServiceProcess(dataFolder: folder.path, arguments: arguments)
        #expect(try await service.terminate() == 0)
        faults.fail(.sync, EIO, once: false, on: "\(folder.path)$")

        let error = await #expect(throws: ServiceDied.self) {
            try await ServiceProcess(
                dataFolder: folder.path,
                arguments: arguments,
                environment: try faults.environment
            )
        }
        #expect(faults.hasFailed(.sync))
        #expect(try #require(error).log.contains("cannot be made durable"))
        service = try await ServiceProcess(dataFolder: folder.path, arguments: arguments)
        #expect(try await service.terminate() == 0)
    }

    @Test func aCommitThatCannotBeMadeDurableStopsTheService() async throws {
        let folder = TemporaryFolder()
        let faults = CallFaults()
        let arguments = ["--min-free-bytes", "0"]
        var service = try await ServiceProcess(
            dataFolder: folder.path,
            arguments: arguments,
            environment: try faults.environment
        )
        faults.fail(.sync, EIO, once: false, on: "cormorant.db")
        let response = try? await ServiceClient(port: service.port).post(
            "/downloads",
            #"{"url":"http://127.0.0.1:9/a"}"#
        )

        // Whether an answer is sent before the service ends is left open; that it is none of success is not.
        #expect((response?.status ?? 503) >= 500)
        #expect(try await service.end() != 0)
        service = try await ServiceProcess(dataFolder: folder.path, arguments: arguments)
        let client = ServiceClient(port: service.port)
        try await client.isReady()
        #expect(try await service.terminate() == 0)
    }
}

/// The program on a machine that lets it make no connection.
@Suite(.hangLimit, .enabled(if: CallFaults.isAllowed, Comment(rawValue: CallFaults.reason)))
struct FaultySocketTests {
    @Test(arguments: [
        (CallFaults.Fault.socket, EMFILE), (.socket, ENFILE), (.connect, EADDRNOTAVAIL), (.connect, ENETUNREACH),
        (.connect, EHOSTUNREACH),
    ])
    func aSocketThatCannotBeOpenedIsRetried(call: CallFaults.Fault, code: Int32) async throws {
        let content = Content(size: 300_000)
        let scene = try await FaultScene(content) { $0.fail(call, code, once: false, on: "socket:") }
        try await scene.waits(until: "waiting_for", is: "retry")

        #expect(try await scene.errorCode == "connect_failed")
        scene.faults.mend(call)
        try await scene.resume()
        #expect(scene.holds(content))
        #expect(scene.origin.requests.count == 1)
        try await scene.end()
    }
}
