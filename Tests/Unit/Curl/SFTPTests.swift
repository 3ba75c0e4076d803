import Curl
import TestSupport
import Testing
import URLs

/// Transfers from an SFTP server.
@Suite(.hangLimit)
struct SFTPTests {
    private static let content = Content(size: 100_000)

    private static func fetch(
        from first: Int64,
        of name: String = "file.bin",
        _ server: SFTPServer
    ) async throws -> (ResponseHead, [UInt8]) {
        let url = try GivenURL(parsing: server.url(name), schemes: URLScheme.all).url
        var request = try #require(TransferRequest(to: url))
        request.allowedSchemes = [.sftp]
        request.lowSpeedLimit = nil
        request.headTimeout = .seconds(600)
        request.connectTimeout = .seconds(600)
        request.knownHostsFile = server.knownHostsFile
        request.credentials = .init(user: SFTPServer.user, password: SFTPServer.password)
        if first > 0 { request.range = .from(first) }
        let loop = TransferLoop()
        let exchange = try await loop.start(request)
        let sink = RecordingSink()
        let end = try await exchange.receive(into: sink)
        #expect(end.bytesReceived == Int64(sink.bytes.count) && exchange.receivedBytes == end.bytesReceived)
        await loop.shutdown()
        return (exchange.head, sink.bytes)
    }

    /// libcurl 8 refuses to begin at the end of the file.
    @Test(arguments: [0, 1, 2, 50_000, 99_998, 99_999, 100_000] as [Int64])
    func theRestComesFromAByteOnAndTheHeadTellsOfTheWhole(_ first: Int64) async throws {
        let server = try await SFTPServer(["file.bin": Self.content])
        let (head, bytes) = try await Self.fetch(from: first, server)

        #expect(head.file == .init(size: 100_000, modifiedSeconds: 784_111_740))
        #expect(head.contentLength == 100_000 - first)
        #expect(bytes == Self.content.bytes(in: first..<100_000))
    }

    @Test(arguments: [100_002, 200_000] as [Int64])
    func aFileThatEndsBeforeTheByteIsShorter(_ first: Int64) async throws {
        let server = try await SFTPServer(["file.bin": Self.content])
        let code = await curlCode { _ = try await Self.fetch(from: first, server) }

        #expect(code == .curl(36))
    }

    /// An offset of one byte behind the end is that of the end for libcurl.
    @Test func aFileThatIsAByteShorterTellsItsSizeOrIsShorter() async throws {
        let server = try await SFTPServer(["file.bin": Self.content])
        var size: Int64?
        let code = await curlCode { size = try await Self.fetch(from: 100_001, server).0.file?.size }

        #expect(code == .curl(36) || size == 100_000)
    }

    @Test func aConnectionThatEndsInTheBodyIsPartial() async throws {
        let server = try await SFTPServer(["file.bin": Content(size: 3_000_000)], limit: 1_000_000)
        let code = await curlCode { _ = try await Self.fetch(from: 0, server) }

        #expect(code != nil)
    }

    @Test func aFileThatIsMissingIsNotFound() async throws {
        let server = try await SFTPServer(["file.bin": Self.content])

        #expect(await curlCode { _ = try await Self.fetch(from: 0, of: "other.bin", server) } == .curl(78))
    }
}
