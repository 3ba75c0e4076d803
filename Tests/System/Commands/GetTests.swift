import TestSupport
import Testing

@testable import Application
@testable import cormorant

/// The whole command against an origin that misbehaves as it is told.
@Suite(.hangLimit)
struct GetTests {
    private let folder: TemporaryDirectory

    init() throws {
        folder = try TemporaryDirectory()
    }

    private func get(_ arguments: String...) async throws -> CommandRun.Result {
        try await CommandRun.result(of: ["get", "-d", folder.path] + arguments)
    }

    @Test
    func aFileComesWholeAndNothingElseIsLeft() async throws {
        let content = Content(size: 3 << 20)
        let origin = Origin(content)
        defer { origin.stop() }

        let result = try await get(origin.url("/a.bin"))

        #expect(result.exitCode == 0)
        #expect(folder.entries == ["a.bin"])
        #expect(content.matches(fileAt: folder.path + "/a.bin"))
        #expect(result.output.hasSuffix("  \(folder.path)/a.bin\n"))
        #expect(result.output.prefix { $0.isHexDigit }.count == 64)
        #expect(!result.errors.contains("\u{1B}"))
    }

    @Test
    func aMirrorBringsTheFileOfADeadHost() async throws {
        let content = Content(size: 3 << 20)
        let mirror = Origin(content)
        defer { mirror.stop() }

        let result = try await get("--mirror", mirror.url("/m"), "http://127.0.0.1:1/a.bin")

        #expect(result.exitCode == 0)
        #expect(content.matches(fileAt: folder.path + "/a.bin"))
    }

    @Test
    func aLostConnectionIsGoneOnWith() async throws {
        // Too small to be divided, so the number of requests does not depend on the machine.
        let content = Content(size: 3 << 19)
        let origin = Origin(content, script: [.dropping(after: 1 << 20, by: .reset), .good])
        defer { origin.stop() }

        let result = try await get(origin.url("/a.bin"))

        #expect(result.exitCode == 0)
        #expect(content.matches(fileAt: folder.path + "/a.bin"))
        #expect(origin.requests.count == 2)
        #expect(origin.requests.last?.value(of: "Range")?.hasPrefix("bytes=0-") == false)
    }

    @Test
    func aWrongDigestOfTheOriginCostsASecondRequestAndFails() async throws {
        let wrong = "Repr-Digest: sha-256=:\(String(repeating: "A", count: 43))=:"
        let origin = Origin(Content(size: 3 << 19), script: [.fields([wrong])])
        defer { origin.stop() }

        let result = try await get(origin.url("/a.bin"))

        #expect(result.exitCode == 65)
        #expect(result.errors.contains("not \(String(repeating: "0", count: 64))"))
        #expect(origin.requests.map { $0.value(of: "Range") } == [nil, nil])
        #expect(folder.entries == [])
    }

    @Test
    func severalFilesComeAtOnceAndOneFailureDoesNotKeepTheOthers() async throws {
        let origin = Origin(Content(size: 1000))
        defer { origin.stop() }
        origin.serve("/missing", Content(size: 1), script: [.page(404)])

        let result = try await get(origin.url("/a"), origin.url("/missing"), origin.url("/b"), origin.url("/a"))

        #expect(result.exitCode == 76)
        #expect(folder.entries == ["a", "b"])
        #expect(result.errors.contains("/missing: The origin answered with status 404."))
    }

    @Test
    func theNameAndTheHeadersAreTheUsers() async throws {
        let origin = Origin(Content(size: 1000))
        defer { origin.stop() }
        try folder.write("X-Second: 2\nAuthorization: Bearer abc\n", to: "headers")

        let result = try await get(
            "-o",
            "b.bin",
            "-H",
            "X-First: 1",
            "-H",
            "@\(folder.path)/headers",
            "-q",
            origin.url("/a.bin")
        )

        #expect(result.exitCode == 0)
        #expect(folder.entries == ["b.bin", "headers"])
        #expect(result.output.isEmpty && result.errors.isEmpty)
        let request = try #require(origin.requests.first)
        #expect(request.value(of: "X-First") == "1")
        #expect(request.value(of: "X-Second") == "2")
        #expect(request.value(of: "Authorization") == "Bearer abc")
    }

    @Test(
        arguments: [("rename", 0, ["a.bin", "a (1).bin"]), ("overwrite", 0, ["a.bin"]), ("fail", 73, ["a.bin"])]
            as [(String, Int32, [String])]
    )
    func aTakenNameIsDealtWithAsAsked(_ policy: String, _ exitCode: Int32, _ entries: [String]) async throws {
        let content = Content(size: 1000)
        let origin = Origin(content)
        defer { origin.stop() }
        try folder.write("old", to: "a.bin")

        let result = try await get("--on-conflict", policy, origin.url("/a.bin"))

        #expect(result.exitCode == exitCode)
        #expect(Set(folder.entries) == Set(entries))
        #expect(content.matches(fileAt: folder.path + "/a.bin") == (policy == "overwrite"))
    }

    @Test
    func bytesWithAnotherDigestAreThrownAway() async throws {
        let origin = Origin(Content(size: 1000))
        defer { origin.stop() }
        let wrong = String(repeating: "0", count: 64)

        let result = try await get("--digest", "sha-256=\(wrong)", origin.url("/a.bin"))

        #expect(result.exitCode == 65)
        #expect(folder.entries.isEmpty)
        #expect(result.errors.contains(wrong))
    }

    @Test
    func aClosedPortIsUnavailable() async throws {
        let origin = Origin()
        let url = origin.url()
        origin.stop()

        let result = try await get("--retry-for", "0", url)

        #expect(result.exitCode == 69)
        #expect(folder.entries.isEmpty)
    }

    @Test(arguments: [401, 500])
    func anErrorOfTheOriginHasItsExitCode(_ status: Int) async throws {
        let origin = Origin(script: [.page(status)])
        defer { origin.stop() }

        let result = try await get("--retry-for", "0", origin.url())

        #expect(result.exitCode == (status == 401 ? 77 : 76))
        #expect(folder.entries.isEmpty)
    }

    @Test
    func aFolderThatCannotBeMadeIsSaid() async throws {
        try folder.write("", to: "file")

        let result = try await CommandRun.result(of: ["get", "-d", folder.path + "/file/below", "http://127.0.0.1:1/"])

        #expect(result.exitCode == 73)
    }

    @Test(arguments: [
        [], ["get"], ["get", "gopher://example.com/a"], ["get", "ftp://example.com/"], ["get", "example.com/a"],
        ["get", "-j", "0", "http://a.example/"],
        ["get", "-o", "a", "http://a.example/1", "http://a.example/2"], ["get", "-o", "../a", "http://a.example/"],
        ["get", "--digest", "sha-256=12", "http://a.example/"], ["get", "-H", "Range: bytes=0-", "http://a.example/"],
        ["get", "-H", "proxy-authorization: x", "http://a.example/"],
        ["get", "-H", "If-Match: *", "http://a.example/"],
        ["get", "-H", "no colon", "http://a.example/"], ["get", "--on-conflict", "ask", "http://a.example/"],
        ["get", "--retry-for", "long", "http://a.example/"],
        ["get", "http://a.example/"] + (1...33).flatMap { ["--mirror", "http://\($0).example/"] },
    ])
    func aWrongCommandLineIsAUsageError(_ arguments: [String]) async throws {
        let result = try await CommandRun.result(of: arguments)

        #expect(result.exitCode == 64)
        #expect(result.output.isEmpty)
        #expect(result.errors.contains("USAGE:") || result.errors.contains("Usage:"))
    }

    @Test(arguments: ["--ca-file", "--known-hosts"])
    func aFileOfTrustThatCannotBeReadIsAUsageError(_ option: String) async throws {
        let result = try await CommandRun.result(of: ["get", option, "/nonexistent", "http://a.example/"])

        #expect(result.exitCode == 64)
        #expect(result.errors.contains("/nonexistent"))
    }

    @Test(arguments: [("--output=a/b", "slash"), ("--output=.a", "begins with a dot")])
    func theFaultOfANameIsExplained(_ option: String, _ word: String) async throws {
        let result = try await CommandRun.result(of: ["get", option, "http://a.example/"])

        #expect(result.exitCode == 64)
        #expect(result.errors.contains(word))
    }

    @Test(arguments: [("/dev/full", "1"), ("/dev/full", "2")])
    func outputThatCannotBeWrittenIsAnError(_ device: String, _ stream: String) async throws {
        let origin = Origin(Content(size: 1000))
        defer { origin.stop() }
        let command = "exec \"$0\" get -d \"$1\" \"$2\" \(stream)>\(device)"

        let program = try await Program(
            "/bin/sh",
            ["-c", command, Program.cormorantPath, folder.path, origin.url("/a.bin")],
            environment: ["PATH": "/usr/bin:/bin"]
        )

        #expect(try await program.result().exitCode == 74)
        #expect(folder.entries == ["a.bin"])
    }

    @Test
    func bytesThatCannotBeGoneOnWithAreNotSaidToBe() async throws {
        let content = Content(size: 3 << 20)
        let origin = Origin(
            content,
            script: [.dropping(after: 2 << 20), Behaviour { $0.ranges = .ignored }]
        )
        defer { origin.stop() }

        let first = try await get("--retry-for", "0", origin.url("/a.bin"))
        let second = try await get(origin.url("/a.bin"))

        #expect(first.exitCode == 76 || first.exitCode == 69)
        #expect(second.exitCode == 0)
        #expect(content.matches(fileAt: folder.path + "/a.bin"))
        #expect(second.errors.contains("a.bin: resumed from 127.0.0.1; "))
        #expect(second.errors.contains("a.bin: restarted from the beginning; "))
    }
}
