import Curl
import Linux
import TestSupport
import Testing

/// More than the kernel keeps of what nobody reads.
let largeContent = Content(size: 20 << 20)

func largeBody() throws -> UploadBody { try uploadBody(largeContent, 0..<largeContent.size) }

/// A range of a file that has this content and no name any more.
func uploadBody(_ content: Content, _ range: Range<Int64>) throws -> UploadBody {
    let folder = TemporaryFolder()
    folder.write(content.allBytes, to: "file")
    return UploadBody(file: try File(path: folder("file"), access: .read), range: range)
}

/// A server that follows the script and a loop, both for one test.
func withUploadServer(
    _ script: [UploadServer.Step],
    _ body: (UploadServer, TransferLoop) async throws -> Void
) async throws {
    let server = UploadServer(script, takesLittle: true)
    // However busy the machine is, a connection is there for the next request.
    let loop = TransferLoop(sharing: IdleConnections(longestIdleness: .seconds(600)), number: 0)
    do {
        try await body(server, loop)
    } catch {
        await loop.shutdown()
        server.stop()
        throw error
    }
    await loop.shutdown()
    server.stop()
}

func upload(
    _ server: UploadServer,
    _ body: UploadBody,
    _ change: (inout TransferRequest) -> Void = { _ in }
) throws -> TransferRequest {
    try request(server.url()) {
        $0.method = .upload(body)
        change(&$0)
    }
}

/// Expects a range of a content. The operands of `#expect` are plain values: of two arrays that differ it would compute
/// the difference, which takes hours for megabytes.
func expectBytes(
    _ bytes: [UInt8],
    _ content: Content,
    _ range: Range<Int64>? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
) {
    let expected = content.bytes(in: range ?? 0..<content.size)
    #expect(bytes.count == expected.count, sourceLocation: sourceLocation)
    let isEqual = bytes == expected
    #expect(isEqual, "the bytes differ", sourceLocation: sourceLocation)
}
