import Client
import Testing

@testable import cormorant

@Suite
struct ImportTests {
    private func read(_ text: String, _ format: ImportFormat) throws -> ImportReading {
        var reading = ImportReading()
        try reading.read(text, format)
        return reading
    }

    @Test func anInputFileOfAria2IsRead() throws {
        let reading = try read(
            """
            # mine
            http://a.example/1\thttp://b.example/1
              out=sub/one.bin
              dir=/srv/isos
              checksum=sha-256=\(String(repeating: "0a", count: 32))
              header=X-Key: a: b
              split=5
              max-download-limit=2M
              continue=true
            http://a.example/2
              pause=true
            """,
            .aria2
        )
        let first = try #require(reading.entries.first?.new)

        #expect(reading.entries.map(\.line) == [2, 10])
        #expect(reading.unknown == [])
        #expect(first.mirrors == ["http://b.example/1"])
        #expect(first.filename == "one.bin")
        #expect(first.directory == "srv/isos")
        #expect(first.expected?.digests?["sha-256"] == String(repeating: "0a", count: 32))
        #expect(first.requestHeaders == ["X-Key": "a: b"])
        #expect(first.limits?.connections == 5)
        #expect(first.limits?.rateBytesPerSecond == 2 << 20)
        #expect(reading.entries[1].new.start == false)
    }

    @Test func anOptionWithoutACounterpartIsNamedWithItsLine() throws {
        let aria2 = try read("http://a.example/1\n  seed-ratio=1\n", .aria2)
        let curl = try read("url = http://a.example/1\nform = \"a=b\"\n-F x\n", .curl)

        #expect(aria2.unknown == [.init(line: 2, name: "seed-ratio")])
        #expect(curl.unknown == [.init(line: 2, name: "form"), .init(line: 3, name: "-F")])
    }

    @Test func aConfigurationOfCurlIsRead() throws {
        let reading = try read(
            """
            # two files
            url = "http://a.example/1"
            output = "isos/one.iso"
            --url http://a.example/2
            -O
            header: "X-Key: \\"quoted\\""
            -H "Accept: */*"
            user = me:se:cret
            limit-rate 500k
            location
            next
            url=http://a.example/3
            """,
            .curl
        )
        let news = reading.entries.map(\.new)

        #expect(news.map(\.url) == ["http://a.example/1", "http://a.example/2", "http://a.example/3"])
        #expect(reading.entries.map(\.line) == [2, 4, 12])
        #expect(news[0].filename == "one.iso" && news[0].directory == "isos")
        #expect(news[1].filename == nil && news[1].directory == nil)
        #expect(news[1].requestHeaders == ["X-Key": "\"quoted\"", "Accept": "*/*"])
        #expect(news[0].authentication?.username == "me" && news[0].authentication?.password == "se:cret")
        #expect(news[0].limits?.rateBytesPerSecond == 500 << 10)
        #expect(news[2].requestHeaders == nil && news[2].limits == nil)
        #expect(reading.unknown == [])
    }

    @Test func aMetalinkOfSeveralFilesIsRead() throws {
        let reading = try read(
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <metalink xmlns="urn:ietf:params:xml:ns:metalink">
              <file name="a.iso"><size>5</size><hash type="md5">\(String(repeating: "0", count: 32))</hash>
                <url priority="2">http://b.example/a</url><url priority="1">http://a.example/a</url></file>
              <file name="b.iso"><url>http://a.example/b</url></file>
            </metalink>
            """,
            .metalink
        )
        let first = try #require(reading.entries.first?.new)

        #expect(reading.entries.count == 2)
        #expect(first.url == "http://a.example/a" && first.mirrors == ["http://b.example/a"])
        #expect(first.filename == "a.iso")
        #expect(first.expected?.sizeBytes == 5)
        #expect(first.expected?.digests == ["md5": String(repeating: "0", count: 32)])
    }

    @Test(arguments: [
        ("http://a.example/1\nhttp://a.example/2\n", ImportFormat.urls),
        ("# list\nhttp://a.example/1?x=http://b\n", .urls),
        ("http://a.example/1\n out=x\n", .aria2), ("http://a.example/1\thttp://b.example/1\n", .aria2),
        ("url = \"http://a.example/1\"\n", .curl), ("--url http://a.example/1\n", .curl),
        ("<?xml version=\"1.0\"?><metalink/>", .metalink), ("", .urls),
    ])
    func theFormatIsRecognised(_ text: String, _ format: ImportFormat) {
        #expect(ImportFormat.recognised(in: text) == format)
    }

    @Test(arguments: [
        ("  out=x\n", ImportFormat.aria2, ", line 1: an option comes before the first URL"),
        ("http://a/\n  out\n", .aria2, ", line 2: expected an option as name=value"),
        (
            "http://a/\n  checksum=sha-256=0\n", .aria2,
            ", line 2: checksum expects sha-256=<hex>, sha-512, sha-1 or md5"
        ),
        ("http://a/\n  max-download-limit=fast\n", .aria2, ", line 2: max-download-limit expects a speed, such as 2M"),
        ("retry = 9223372036854775807\n", .curl, ", line 1: retry expects a number"),
        ("url = \"http://a/\n", .curl, ", line 1: a quotation mark is not closed"),
        ("output = x\n", .curl, ": an output has no url"), ("", .urls, ": it names no URL"),
        ("<html/>", .metalink, ": The document is not Metalink 4 (RFC 5854)."),
    ])
    func aFileThatCannotBeReadIsRefusedWithItsPlace(_ text: String, _ format: ImportFormat, _ error: String) {
        #expect(throws: ImportError([error])) { try read(text, format) }
    }

    @Test func theCommandLineFillsWhatTheFileDoesNotSay() {
        var new = Download.Request(url: "http://a.example/1")
        new.directory = "own"
        new.requestHeaders = ["X": "1"]
        var template = Download.Request(url: "")
        template.directory = "other"
        template.session = "s"
        template.requestHeaders = ["X": "2", "Y": "3"]
        let filled = new.filled(from: template)

        #expect(filled.url == "http://a.example/1" && filled.directory == "own" && filled.session == "s")
        #expect(filled.requestHeaders == ["X": "1", "Y": "3"])
    }
}

@Suite
struct WebhookSignatureTests {
    private static let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
    private static let fields = [
        "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek", "webhook-timestamp": "1614265330",
        "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
    ]
    private static let body = Array(#"{"test": 2432232314}"#.utf8)

    /// The example of the reference implementations of Standard Webhooks.
    @Test func theExampleOfTheSpecificationIsAccepted() throws {
        let signature = try #require(WebhookSignature(secret: Self.secret))

        try signature.verify(Self.body, now: 1_614_265_331) { Self.fields[$0] }
    }

    @Test func anotherBodyAnOldTimeAndAMissingFieldAreRefused() throws {
        let signature = try #require(WebhookSignature(secret: Self.secret))

        #expect(throws: WebhookSignature.Refusal.signature) {
            try signature.verify(Self.body + [0x20], now: 1_614_265_331) { Self.fields[$0] }
        }
        #expect(throws: WebhookSignature.Refusal.time) {
            try signature.verify(Self.body, now: 1_614_265_331 + 301) { Self.fields[$0] }
        }
        #expect(throws: WebhookSignature.Refusal.missing("webhook-signature")) {
            try signature.verify(Self.body, now: 1_614_265_331) { $0 == "webhook-signature" ? nil : Self.fields[$0] }
        }
    }

    @Test func oneValidSignatureOfSeveralSuffices() throws {
        let signature = try #require(WebhookSignature(secret: Self.secret))
        var fields = Self.fields
        fields["webhook-signature"] = "v2,x v1,AAAA \(Self.fields["webhook-signature"] ?? "")"
        let sent = fields

        try signature.verify(Self.body, now: 1_614_265_331) { sent[$0] }
    }

    @Test func aNewSecretIsOne() {
        #expect(WebhookSignature(secret: WebhookSignature.makeSecret()) != nil)
        #expect(WebhookSignature(secret: "secret") == nil)
        #expect(WebhookSignature(secret: "whsec_?") == nil)
    }
}
