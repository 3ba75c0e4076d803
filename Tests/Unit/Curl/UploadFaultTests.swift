import Linux
import TestSupport
import Testing

@testable import Curl

/// Uploads whose file cannot be read, and connections that end.
@Suite(.hangLimit)
struct UploadFaultTests {
    // MARK: - The source

    @Test func aFileThatIsShorterThanItsRangeFailsTheUpload() async throws {
        try await withUploadServer([.init()]) { server, loop in
            let folder = TemporaryFolder()
            folder.write(Content(size: 100_000).allBytes, to: "file")
            let body = UploadBody(file: try File(path: folder("file"), access: .read), range: 0..<100_001)
            let error = await #expect(throws: CurlError.self) { try await loop.start(upload(server, body)) }

            #expect(error?.code == .uploadTruncated)
            #expect(error?.message == "the file has 100000 of the 100001 bytes to send")
            let request = try await server.requests("an end") { $0.first?.isOver == true }[0]
            #expect(request.head.value(of: "content-length") == "100001")
            #expect(request.body.count <= 100_000)
        }
    }

    @Test func aFileThatIsTruncatedMeanwhileFailsTheUpload() async throws {
        let isTruncated = Signal()
        let step = UploadServer.Step { ($0.byteCount, $0.pause, $0.response) = (1000, isTruncated, nil) }
        try await withUploadServer([step]) { server, loop in
            let folder = TemporaryFolder()
            folder.write(largeContent.allBytes, to: "file")
            let body = UploadBody(
                file: try File(path: folder("file"), access: .read),
                range: 0..<largeContent.size
            )
            async let code = curlCode { _ = try await loop.start(upload(server, body)) }
            try await server.requests("some bytes") { $0.first?.body.count ?? 0 >= 1000 }
            folder.truncate("file", to: 1000)
            isTruncated.fire()

            #expect(await code == .uploadTruncated)
            let request = try await server.requests("an end") { $0.first?.isOver == true }[0]
            #expect(request.body.count < largeContent.size)
            #expect(server.requests.count == 1)
        }
    }

    /// A folder can be opened, but not read. The first page of a process is not mapped.
    @Test(arguments: [("/", Int32(21)), ("/proc/self/mem", 5)])
    func aReadErrorFailsTheUpload(_ path: String, _ code: Int32) async throws {
        try await withUploadServer([.init()]) { server, loop in
            let body = UploadBody(file: try File(path: path, access: .read), range: 0..<1000)
            let error = await #expect(throws: CurlError.self) { try await loop.start(upload(server, body)) }

            #expect(error?.code == .uploadUnreadable)
            #expect(error?.readError == SystemError(code: code, call: "pread"))
        }
    }

    // MARK: - Connections that end

    @Test func aBodyIsSentAgainFromItsStartAfterAnIdleConnectionIsClosed() async throws {
        let ends = UploadServer.Step {
            $0.response = nil
            $0.end = .closed
        }
        try await expectSecondSending(ends)
    }

    /// libcurl learns of it by a read or by a send.
    @Test(arguments: [0, 1000, 3 << 20])
    func aBodyIsSentAgainFromItsStartAfterAnIdleConnectionIsReset(_ byteCount: Int) async throws {
        let resets = UploadServer.Step {
            $0.byteCount = byteCount
            $0.response = nil
            $0.end = .reset
        }
        try await expectSecondSending(resets)
    }

    private func expectSecondSending(_ step: UploadServer.Step) async throws {
        try await withUploadServer([.init(), step, .init()]) { server, loop in
            _ = try await loop.start(upload(server, UploadBody(bytes: [1]))).receive(into: RecordingSink())
            let exchange = try await loop.start(upload(server, largeBody()))
            _ = try await exchange.receive(into: RecordingSink())

            #expect(exchange.head.status == 200)
            #expect(server.requests.map(\.connection) == [0, 0, 1])
            expectBytes(server.requests[2].body, largeContent)
        }
    }

    @Test(arguments: [UploadServer.Step.End.closed, .reset])
    func anUploadFailsIfItsNewConnectionEnds(_ end: UploadServer.Step.End) async throws {
        let step = UploadServer.Step {
            $0.byteCount = end == .closed ? .max : 1000
            $0.response = nil
            $0.end = end
        }
        try await withUploadServer([step]) { server, loop in
            let code = await curlCode { _ = try await loop.start(upload(server, largeBody())) }

            // Nothing received, not sent, or not received: by what libcurl learns of the end.
            #expect([.gotNothing, .curl(55), .curl(56)].contains(code))
            #expect(server.requests.count == 1)
        }
    }
}
