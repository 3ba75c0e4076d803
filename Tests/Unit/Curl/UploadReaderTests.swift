import Linux
import TestSupport
import Testing
import URLs

@testable import Curl

/// What libcurl is given of a body, and what that does to the limits of time.
struct UploadReaderTests {
    private static let content = Content(size: 300_000)

    /// - Parameter room: How much libcurl asks for.
    private static func next(_ reader: inout UploadReader, room: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: room)
        // `unsafe`: the array outlives the call.
        let count = unsafe bytes.withUnsafeMutableBytes { unsafe reader.read(into: $0) }
        return count.map { Array(bytes[..<$0]) }
    }

    private static func bodies() throws -> [UploadBody] {
        let range = Int64(100_000)..<300_000
        return [try uploadBody(content, range), UploadBody(bytes: content.bytes(in: range))]
    }

    @Test(arguments: [1 << 20, 64 << 10, 10_000])
    func aBodyIsReadInPiecesOf64KiBAtMost(_ room: Int) throws {
        for body in try Self.bodies() {
            var reader = UploadReader(body)
            var bytes: [UInt8] = []
            while let piece = Self.next(&reader, room: room), !piece.isEmpty {
                #expect(piece.count == min(64 << 10, room, 200_000 - bytes.count))
                bytes += piece
            }

            #expect(reader.fault == nil)
            #expect(bytes == Self.content.bytes(in: 100_000..<300_000))
        }
    }

    @Test func aSeekMovesToAnyOffsetOfTheBody() throws {
        for body in try Self.bodies() {
            var reader = UploadReader(body)
            for offset in [199_999, 0, 200_000, 70_000] as [Int64] {
                let isDone = reader.seek(to: offset)
                #expect(isDone)
                let bytes = Self.next(&reader, room: 10)
                #expect(bytes == Self.content.bytes(in: 100_000 + offset..<min(100_010 + offset, 300_000)))
            }
        }
    }

    @Test(arguments: [-1, 200_001, .max, .min] as [Int64])
    func aSeekOutsideTheBodyFails(_ offset: Int64) throws {
        for body in try Self.bodies() {
            var reader = UploadReader(body)
            let isDone = reader.seek(to: offset)
            #expect(!isDone)
            #expect(reader.position == 0)
        }
    }

    @Test func nothingIsReadAfterAFault() throws {
        let folder = TemporaryFolder()
        folder.write(Self.content.allBytes, to: "file")
        let file = try File(path: folder("file"), access: .read)
        var reader = UploadReader(UploadBody(file: file, range: 299_990..<300_100))
        #expect(Self.next(&reader, room: 1000)?.count == 10)
        #expect(Self.next(&reader, room: 1000) == nil)
        folder.write([UInt8](repeating: 0, count: 400_000), to: "file")

        #expect(Self.next(&reader, room: 1000) == nil)
        let isDone = reader.seek(to: 0)
        #expect(!isDone)
        #expect(reader.fault == .ended(at: 10))
    }

    /// A transfer that no loop runs.
    private static func withTransfer(_ method: TransferRequest.Method, _ body: (Transfer) throws -> Void) throws {
        let thread = try LoopThread()
        defer { thread.stop() }
        let cache = ConnectionCache(shared: IdleConnections(), loop: 0)
        var request = try #require(TransferRequest(to: GivenURL(parsing: "http://127.0.0.1/").url))
        request.method = method
        request.headTimeout = .seconds(60)
        try body(
            Transfer(
                id: TransferID(number: 1),
                handle: try EasyHandle(),
                request: request,
                received: ByteCounter(),
                iteration: LoopIteration(mailbox: Mailbox(thread: thread), cache)
            )
        )
    }

    @Test func theLimitForTheHeadBeginsAnewWithEachByteThatLeaves() throws {
        try Self.withTransfer(.upload(UploadBody(bytes: [1, 2, 3]))) { transfer in
            let later = ContinuousClock.now + .seconds(7200)

            transfer.recordProgress(UploadProgress(accepted: 3, unacknowledged: 2), at: later)
            #expect(transfer.headDeadline == later + .seconds(60))
            transfer.recordProgress(UploadProgress(accepted: 3, unacknowledged: 1), at: later + .seconds(50))
            #expect(transfer.headDeadline == later + .seconds(110))
            transfer.recordProgress(UploadProgress(accepted: 3, unacknowledged: 1), at: later + .seconds(100))
            #expect(transfer.headDeadline == later + .seconds(110))
        }
    }

    /// The server may have processed what was sent, and only PUT may be repeated then.
    @Test func onlyAPutOnAReusedConnectionWithoutAnyResponseIsLost() throws {
        let put = TransferRequest.Method.upload(UploadBody(bytes: [1]))
        let post = TransferRequest.Method.upload(method: "POST", UploadBody(bytes: [1]))
        func isLost(
            _ method: TransferRequest.Method,
            _ code: CurlError.Code = .curl(55),
            _ change: (Transfer) -> Void = { _ in }
        ) throws -> Bool {
            var isLost = false
            try Self.withTransfer(method) { transfer in
                transfer.isConnected = true
                change(transfer)
                isLost = transfer.isLostUpload(code)
            }
            return isLost
        }

        #expect(try isLost(put))
        #expect(try !isLost(post))
        #expect(try !isLost(.named("PUT", body: [1])))
        #expect(try !isLost(put, .curl(56)))
        #expect(try !isLost(put) { $0.openedSockets = 1 })
        #expect(try !isLost(put) { $0.isConnected = false })
        #expect(try !isLost(put) { $0.failure = .uploadTruncated })
        #expect(
            try !isLost(put) { transfer in
                // `unsafe`: the array outlives the call.
                _ = unsafe Array("HTTP/1.1 200 OK\r\n".utf8).withUnsafeBytes {
                    unsafe transfer.receiveHeaderLine($0)
                }
            }
        )
    }
}
