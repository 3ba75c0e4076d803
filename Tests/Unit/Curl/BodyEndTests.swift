import Curl
import TestSupport
import Testing

/// What proves the end of a body over HTTP/1.1, with any version of libcurl.
@Suite(.hangLimit)
struct BodyEndTests {
    private static let large = Content(size: 2_000_000)

    private static func fetch(
        _ origin: Origin,
        _ loop: TransferLoop,
        _ path: String = "/file"
    ) async throws -> (bytes: [UInt8], end: TransferEnd) {
        let sink = RecordingSink()
        let end = try await loop.start(request(origin.url(path))).receive(into: sink)
        return (sink.bytes, end)
    }

    private static func raw(_ text: String) -> Behaviour { Behaviour { $0.response = .raw(Array(text.utf8)) } }

    // MARK: - A length beside chunks

    /// libcurl 8.10 to 8.20 ends the body at the head, and keeps the connection with the rest of it.
    @Test(arguments: [0, 500, 1_999_999, 2_000_000, 3_000_000], [true, false])
    func theChunksDecideWhateverTheLengthBesideThem(_ length: Int, _ isFirst: Bool) async throws {
        let behaviour = Behaviour {
            $0.framing = .chunked
            if isFirst {
                $0.extraFields = ["Content-Length: \(length)"]
            } else {
                $0.lastFields = ["Content-Length: \(length)"]
            }
        }
        try await withOrigin(Self.large, script: [behaviour, behaviour, .good]) { origin, loop in
            origin.serve("/other", Content(size: 3000))
            let (bytes, _) = try await Self.fetch(origin, loop)
            let other = try await Self.fetch(origin, loop, "/other")

            #expect(bytes == Self.large.allBytes)
            #expect(other.bytes == Content(size: 3000).allBytes)
            #expect(!other.end.isConnectionReused)
            #expect(origin.requests.filter { $0.path == "/file" }.count <= (length == 0 ? 2 : 1))
        }
    }

    /// libcurl may have ended such a body at its head, where nothing of it has come.
    @Test func theBodyOfALengthOfZeroMayComeLater() async throws {
        let rest = Signal()
        let behaviour = Behaviour {
            $0.framing = .chunked
            $0.extraFields = ["Content-Length: 0"]
            $0.pace = .stall(after: 0, until: rest)
        }
        try await withOrigin(Self.large, script: [behaviour]) { origin, loop in
            let exchange = try await loop.start(request(origin.url()))
            rest.fire()
            let sink = RecordingSink()
            _ = try await exchange.receive(into: sink)

            #expect(sink.bytes == Self.large.allBytes)
        }
    }

    /// A small one is whole before libcurl can end it, so nothing is asked again.
    @Test func aBodyThatIsHereIsNotAskedForAgain() async throws {
        let response =
            "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"
        try await withOrigin(script: [Self.raw(response)]) { origin, loop in
            let (bytes, _) = try await Self.fetch(origin, loop)

            #expect(bytes == Array("hello".utf8))
            #expect(origin.requests.count == 1)
        }
    }

    /// Its status is known, as a webhook needs it.
    @Test func aPostIsNotRepeatedForALengthBesideChunks() async throws {
        let rest = Signal()
        let behaviour = Behaviour {
            $0.framing = .chunked
            $0.extraFields = ["Content-Length: 0"]
            $0.pace = .stall(after: 0, until: rest)
        }
        try await withOrigin(script: [behaviour]) { origin, loop in
            let sink = RecordingSink()
            let exchange = try await loop.start(request(origin.url()) { $0.method = .post(body: [1]) })
            rest.fire()
            let code = await curlCode { _ = try await exchange.receive(into: sink) }

            #expect(exchange.head.status == 200)
            #expect(code == nil ? sink.bytes == Content(size: 1000).allBytes : code == .partialFile)
            #expect(origin.requests.count == 1)
        }
    }

    @Test func anOriginThatSendsNoChunksTheSecondTimeIsRefused() async throws {
        let rest = Signal()
        let behaviour = Behaviour {
            $0.framing = .chunked
            $0.extraFields = ["Content-Length: 0"]
            $0.pace = .stall(after: 0, until: rest)
        }
        try await withOrigin(script: [behaviour, .good]) { origin, loop in
            let sink = RecordingSink()
            let code = await curlCode {
                let exchange = try await loop.start(request(origin.url()))
                rest.fire()
                _ = try await exchange.receive(into: sink)
            }
            rest.fire()

            #expect(code == nil ? origin.requests.count == 1 : code == .lengthBesideChunks)
        }
    }

    // MARK: - The last chunk

    @Test(arguments: [
        "", "5\r\nhel", "5\r\nhello", "5\r\nhello\r\n", "5\r\nhello\r\n0", "5\r\nhello\r\n0\r\n",
        "5\r\nhello\r\n0\r\nA: b\r\n", "5\r\nhello\r\n0\r\n\r", "5;a", "5",
    ])
    func withoutTheWholeLastChunkABodyIsPartial(_ body: String) async throws {
        let response = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + body
        try await withOrigin(script: [Self.raw(response)]) { origin, loop in
            let sink = RecordingSink()
            let code = await curlCode { _ = try await loop.start(request(origin.url())).receive(into: sink) }

            #expect(code == .partialFile)
            #expect("hello".utf8.starts(with: sink.bytes))
        }
    }

    @Test(arguments: [
        ("zz\r\n", 0), ("-1\r\n", 0), ("\r\n", 0), ("FFFFFFFFFFFFFFFFF\r\n", 0), ("8000000000000000\r\n", 0),
        ("5\r\nhelloX", 5), ("5\r\nhello\r\ng\r\n", 5), ("5\r\nhello\r\n0\r\nno colon\r\n\r\n", 5),
        ("5\r\nhello\r\n0\r\n\rX", 5), ("5\rhello", 0), ("5 5\r\nhello", 0),
    ])
    func anInvalidChunkIsOneWithAnyVersionAndItsGoodBytesAreKept(_ body: String, _ count: Int) async throws {
        let response = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + body
        try await withOrigin(script: [Self.raw(response)]) { origin, loop in
            let sink = RecordingSink()
            let code = await curlCode { _ = try await loop.start(request(origin.url())).receive(into: sink) }

            #expect(code == .chunkMalformed)
            #expect(sink.bytes == Array("hello".utf8.prefix(count)))
        }
    }

    @Test func aBodyThatABlockedSinkDelaysIsDecodedOnce() async throws {
        let sink = RecordingSink([.wait, .taken, .part(1), .wait, .taken])
        try await withOrigin(Self.large, script: [.framing(.chunked)]) { origin, loop in
            let exchange = try await loop.start(request(origin.url()))
            let end = try await exchange.receive(into: sink, resumingAfter: [1, 3, 4])

            #expect(end.bytesReceived == Self.large.size)
            #expect(sink.bytes == Self.large.allBytes)
            #expect(exchange.receivedBytes == Self.large.size)
        }
    }

    // MARK: - Connections

    @Test func aConnectionServesTheNextRequestAfterALastChunk() async throws {
        let behaviour = Behaviour.framing(.chunked)
        try await withOrigin(script: [behaviour]) { origin, loop in
            _ = try await Self.fetch(origin, loop)
            let (bytes, end) = try await Self.fetch(origin, loop)

            #expect(end.isConnectionReused)
            #expect(bytes == Content(size: 1000).allBytes)
        }
    }

    /// libcurl drops such bytes and keeps the connection.
    @Test func aConnectionWithBytesBehindTheLastChunkServesNoOther() async throws {
        let behaviour = Behaviour {
            $0.framing = .chunked
            $0.surplus = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nwrong"
        }
        try await withOrigin(script: [behaviour, .good]) { origin, loop in
            let (bytes, _) = try await Self.fetch(origin, loop)
            let next = try await Self.fetch(origin, loop)

            #expect(bytes == Content(size: 1000).allBytes)
            #expect(next.bytes == Content(size: 1000).allBytes)
            #expect(!next.end.isConnectionReused)
        }
    }

    /// Bytes of a body that may not be there would be read as the next response.
    @Test(arguments: ["Transfer-Encoding: chunked", "Content-Length: 5"])
    func aConnectionWithABodyWhereThereMayBeNoneServesNoOther(_ field: String) async throws {
        let behaviour = Behaviour {
            $0.response = .page(status: 204)
            $0.extraFields = [field]
        }
        try await withOrigin(script: [behaviour, .good]) { origin, loop in
            _ = try await Self.fetch(origin, loop)

            #expect(try await Self.fetch(origin, loop).end.isConnectionReused == false)
        }
    }

    // MARK: - Heads

    @Test(arguments: [
        "identity", "gzip", "gzip, chunked", "chunked, gzip", "chunked, chunked", "identity, chunked", "xyz", "",
        "a, b, c, d, e, f, g",
    ])
    func aTransferCodingOtherThanChunkedIsRefusedByItsHead(_ coding: String) async throws {
        for field in ["Content-Length: 5", "X: y"] {
            let response = "HTTP/1.1 200 OK\r\nTransfer-Encoding: \(coding)\r\n\(field)\r\n\r\n0\r\n\r\nhello"
            try await withOrigin(script: [Self.raw(response)]) { origin, loop in
                #expect(await curlCode { _ = try await loop.start(request(origin.url())) } == .transferCodingRefused)
            }
        }
    }

    /// libcurl reads a number in some of them, which depends on its version, and refuses others by itself.
    @Test(arguments: [["50", "40"], ["40", "50"], ["50, 40"], ["50x"], ["+50"], ["-50"], ["x"], [""]])
    func aLengthThatIsNoneIsRefusedByItsHead(_ lengths: [String]) async throws {
        let fields = lengths.map { "Content-Length: \($0)\r\n" }.joined()
        let response = "HTTP/1.1 200 OK\r\n\(fields)\r\n" + String(repeating: "x", count: 50)
        try await withOrigin(script: [Self.raw(response)]) { origin, loop in
            let code = await curlCode { _ = try await loop.start(request(origin.url())) }

            #expect(code == .lengthMalformed || code == .weirdReply)
        }
    }

    /// libcurl reports success.
    @Test(arguments: [
        "HTTP/1.1 200 OK", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n",
        "HTTP/1.1 200 OK\r\nX: y\r\nZ",
        "HTTP/1.1 103 Early Hints\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r",
    ])
    func aHeadThatIsCutIsNoResponse(_ head: String) async throws {
        try await withOrigin(script: [Self.raw(head)]) { origin, loop in
            let code = await curlCode { _ = try await loop.start(request(origin.url())) }

            #expect(code == .gotNothing)
        }
    }
}
