import Core
import HTTPFields
import TestSupport
import Testing
import TransferSupport

@testable import Transfer

/// What an attempt does when a source fails.
struct FailoverTests {
    private static let content = Content(size: 1_500_000)

    private func fetch(
        _ script: [Behaviour],
        _ mirrors: [[Behaviour]],
        credentials: RequestCredentials = RequestCredentials(),
        expecting digests: [HTTPFields.Digest] = [],
        check: (Bench, [Origin], MemoryCheckpointSink, AttemptOutcome) throws -> Void
    ) async throws {
        let origins = mirrors.map { Origin(Self.content, script: $0) }
        defer { for origin in origins { origin.stop() } }
        try await withBench(Self.content, script: script) { bench in
            let checkpointSink = MemoryCheckpointSink()
            let assignment = try bench.assignment(credentials: credentials) {
                $0.mirrors = origins.map { DownloadURL(normalized: $0.url("/m.bin")) }
                $0.expected.digests = digests
            }
            let outcome = await bench.attempt(assignment, checkpointSink)

            try check(bench, origins, checkpointSink, outcome)
        }
    }

    @Test(arguments: [
        Behaviour.page(401), .page(403), .page(404), .page(410), .page(500), .page(503), .unavailable(retryAfter: "60"),
        .redirect(to: "ftp://a.example/"), .dropping(after: 0), Behaviour { $0.ending = .closedAtOnce(by: .reset) },
    ])
    func theNextSourceDeliversTheFileAfterTheFirstFailed(_ failure: Behaviour) async throws {
        try await fetch([failure], [[failure], [.good]]) { bench, mirrors, _, outcome in
            #expect(bench.holds(outcome.file))
            #expect(mirrors.map(\.requests.count) == [1, 1])
        }
    }

    @Test func aDeadHostIsNoEndEither() async throws {
        let mirror = Origin(Self.content)
        defer { mirror.stop() }
        try await withBench(Self.content) { bench in
            let outcome = await bench.attempt(
                try bench.assignment("http://127.0.0.1:1/file.bin") {
                    $0.mirrors = [DownloadURL(normalized: mirror.url())]
                }
            )

            #expect(bench.holds(outcome.file))
            #expect(outcome.file?.path == "file.bin")
        }
    }

    @Test func theNextGoesOnAtTheSameByte() async throws {
        try await fetch([.dropping(after: 900_000)], [[.good]]) { bench, mirrors, checkpointSink, outcome in
            #expect(bench.holds(outcome.file))
            #expect(bench.origin.requests.count == 1)
            #expect(mirrors[0].requests.map { $0.value(of: "range") } == ["bytes=900000-1499999"])
            #expect(mirrors[0].requests.map { $0.value(of: "if-range") } == [Self.content.etag])
            #expect(checkpointSink.restarts.isEmpty)
        }
    }

    @Test func withADigestTheNextGoesOnWhateverItsTag() async throws {
        let own = Behaviour.validators(.etag("\"own\""))
        let digests = [Self.content.sha256]
        try await fetch([.dropping(after: 900_000)], [[own]], expecting: digests) {
            bench,
            mirrors,
            checkpointSink,
            outcome in
            #expect(bench.holds(outcome.file))
            #expect(mirrors[0].requests.map { $0.value(of: "range") } == ["bytes=900000-1499999"])
            #expect(checkpointSink.restarts.isEmpty)
        }
    }

    @Test(arguments: [Behaviour.version(1), .validators(.etag("\"own\"")), .validators(.absent)])
    func anAgreeingSourceIsPreferredToARestart(_ other: Behaviour) async throws {
        try await fetch([.dropping(after: 900_000)], [[other], [.good]]) { bench, _, checkpointSink, outcome in
            #expect(bench.holds(outcome.file))
            #expect(checkpointSink.restarts.isEmpty)
        }
    }

    @Test func sourcesThatDisagreeYieldAFileOfOneVersion() async throws {
        try await fetch([.dropping(after: 900_000)], [[.version(1)]]) { bench, _, checkpointSink, outcome in
            #expect(bench.holds(outcome.file, Self.content.at(version: 1)))
            #expect(checkpointSink.restarts.count == 1)
        }
    }

    @Test(arguments: [Behaviour.Validators.absent, .weak])
    func withoutAProofNothingIsPutTogether(_ validators: Behaviour.Validators) async throws {
        let dropping = Behaviour { ($0.validators, $0.ending) = (validators, .cut(after: 900_000, by: .fin)) }
        let mirror = Behaviour { ($0.validators, $0.subject) = (validators, .version(1)) }
        try await fetch([dropping], [[mirror]]) { bench, mirrors, checkpointSink, outcome in
            #expect(bench.holds(outcome.file, Self.content.at(version: 1)))
            #expect(mirrors[0].requests.map { $0.value(of: "range") } == [nil])
            #expect(checkpointSink.restarts.count == 1)
        }
    }

    @Test(arguments: [
        ([Behaviour.page(410)], [[Behaviour.page(503)]], DownloadError.Code.httpServerError),
        ([.page(503)], [[.page(410)]], .httpServerError), ([.page(410)], [[.page(403)]], .httpClientError),
        ([.page(404)], [[.page(410)], [.page(410)]], .fileNotFound),
    ])
    func theAttemptFailsWithTheFailureThatLeavesMostHope(
        _ script: [Behaviour],
        _ mirrors: [[Behaviour]],
        _ code: DownloadError.Code
    ) async throws {
        try await fetch(script, mirrors) { _, origins, _, outcome in
            #expect(outcome.errorCode == code)
            #expect(origins.allSatisfy { $0.requests.count == 1 })
        }
    }

    @Test func credentialsNeverReachAMirror() async throws {
        let credentials = RequestCredentials(
            headers: [.init(name: "Authorization", value: "Bearer secret"), .init(name: "X-Key", value: "secret")],
            user: "me",
            password: "secret"
        )
        try await fetch([.page(503)], [[.good]], credentials: credentials) { bench, mirrors, _, outcome in
            #expect(bench.holds(outcome.file))
            #expect(bench.origin.requests.allSatisfy { $0.value(of: "x-key") == "secret" })
            #expect(mirrors[0].requests.allSatisfy { $0.value(of: "authorization") == nil })
            #expect(mirrors[0].requests.allSatisfy { $0.value(of: "x-key") == nil })
        }
    }

    @Test func aMirrorThatLeadsToTheFirstOriginDoesNotSpeakInItsName() async throws {
        let credentials = RequestCredentials(headers: [.init(name: "X-Key", value: "secret")])
        try await withBench(Self.content, script: [.page(503)]) { bench in
            let mirror = Origin(Self.content, script: [.redirect(to: bench.origin.url("/other"))])
            defer { mirror.stop() }
            bench.origin.serve("/other", Self.content)
            let outcome = await bench.attempt(
                try bench.assignment(credentials: credentials) { $0.mirrors = [DownloadURL(normalized: mirror.url())] }
            )

            #expect(bench.holds(outcome.file))
            #expect(bench.origin.requests.last?.path == "/other")
            #expect(bench.origin.requests.last?.value(of: "x-key") == nil)
        }
    }

    // MARK: - Wrong files

    @Test func aSourceThatBringsTheWrongFileIsNotAskedAgain() async throws {
        let digests = [Self.content.sha256]
        try await fetch([.version(1)], [[.version(1)], [.good]], expecting: digests) {
            bench,
            mirrors,
            checkpointSink,
            outcome in
            #expect(bench.holds(outcome.file))
            #expect(bench.origin.requests.count == 1 && mirrors.map(\.requests.count) == [1, 1])
            #expect(checkpointSink.restarts == ["checksum_mismatch", "checksum_mismatch"])
        }
    }

    @Test func aDownloadFailsIfEverySourceIsWrong() async throws {
        let digests = [Self.content.sha256]
        try await fetch([.version(1)], [[.version(1)]], expecting: digests) { bench, _, _, outcome in
            #expect(outcome.errorCode == .checksumMismatch)
            #expect(bench.files.isEmpty)
        }
    }

    /// What the first source stated of its file holds for whoever brings it in its place.
    @Test(arguments: [(Behaviour.good, true), (.version(2), false)])
    func aStatedDigestHoldsForTheNextSourceToo(_ next: Behaviour, _ isRight: Bool) async throws {
        let stated = Behaviour {
            $0.subject = .version(1)
            $0.extraFields = [OriginDigestTests.reprDigest(Self.content.sha256)]
        }
        try await fetch([stated], [[next]]) { bench, _, checkpointSink, outcome in
            #expect(bench.holds(outcome.file) == isRight)
            #expect(outcome.errorCode == (isRight ? nil : .checksumMismatch))
        }
    }

    // MARK: - After a restart

    @Test(arguments: [true, false])
    func bytesOfAnEarlierProcessAreGoneOnWithByAMirror(_ hasDigest: Bool) async throws {
        let mirror = Origin(Self.content, script: [.validators(.etag("\"own\""))])
        defer { mirror.stop() }
        try await withBench(Self.content, script: [.page(503)]) { bench in
            let checkpointSink = MemoryCheckpointSink()
            let assignment = try await bench.resumable(at: 900_000, total: Self.content.size) {
                $0.mirrors = [DownloadURL(normalized: mirror.url())]
                if hasDigest { $0.expected.digests = [Self.content.sha256] }
            }
            let outcome = await bench.attempt(assignment, checkpointSink)

            #expect(bench.holds(outcome.file))
            #expect(checkpointSink.restarts.isEmpty == hasDigest)
            #expect(mirror.requests.last?.value(of: "range") == (hasDigest ? "bytes=900000-1499999" : nil))
        }
    }

    @Test func aRefusalOfAMirrorConcernsTheMirrorOnly() async throws {
        let mirror = Origin(Self.content, script: [.validators(.etag("\"own\""))])
        defer { mirror.stop() }
        try await withBench(Self.content) { bench in
            var assignment = try await bench.resumable(at: 900_000, total: Self.content.size) {
                $0.mirrors = [DownloadURL(normalized: mirror.url())]
            }
            assignment.download.source.etag = "\"own\""
            assignment.download.source.url = DownloadURL(normalized: mirror.url())
            let checkpointSink = MemoryCheckpointSink()
            let outcome = await bench.attempt(assignment, checkpointSink)

            #expect(bench.holds(outcome.file))
            #expect(bench.origin.requests.isEmpty)
            #expect(mirror.requests.map { $0.value(of: "if-range") } == ["\"own\""])
            #expect(checkpointSink.restarts.isEmpty)
        }
    }
}
