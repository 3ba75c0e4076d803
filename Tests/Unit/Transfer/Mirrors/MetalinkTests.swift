import Core
import HTTPFields
import TestSupport
import Testing
import TransferRules
import TransferSupport

@testable import Transfer

/// Sources that the origin names.
struct MetalinkTests {
    private static let content = Content(size: 1_500_000)

    private static func document(_ urls: [String], _ members: String = "") -> String {
        let list = urls.map { "<url>\($0)</url>" }.joined()
        return """
            <?xml version="1.0" encoding="UTF-8"?>
            <metalink xmlns="urn:ietf:params:xml:ns:metalink">
            <file name="../the file.bin">\(members)\(list)</file></metalink>
            """
    }

    private static func hash(_ digest: HTTPFields.Digest) -> String { "<hash type=\"sha-256\">\(digest.hex)</hash>" }

    /// Fetches a URL that leads to a document, which names two mirrors.
    private func fetch(
        _ document: ([Origin]) -> String,
        mirrors: [[Behaviour]] = [[.good], [.good]],
        _ change: (inout DownloadRequest) -> Void = { _ in },
        check: (Bench, [Origin], AttemptOutcome) throws -> Void
    ) async throws {
        let origins = mirrors.map { Origin(Self.content, script: $0) }
        defer { for origin in origins { origin.stop() } }
        try await withBench(Self.content, script: [.metalink(document(origins))]) { bench in
            let outcome = await bench.attempt(try bench.assignment("/a.meta4", change))

            try check(bench, origins, outcome)
        }
    }

    @Test func theFileThatADocumentDescribesIsFetched() async throws {
        let text = { (origins: [Origin]) in
            Self.document(origins.map { $0.url("/m") }, "<size>1500000</size>" + Self.hash(Self.content.sha256))
        }
        try await fetch(text, mirrors: [[.dropping(after: 700_000)], [.validators(.etag("\"b\""))]]) {
            bench,
            origins,
            outcome in
            #expect(bench.holds(outcome.file))
            #expect(outcome.file?.path == "the file.bin")
            #expect(bench.origin.requests.count == 1)
            #expect(origins[1].requests.map { $0.value(of: "range") } == ["bytes=700000-1499999"])
        }
    }

    @Test func aHashThatIsNoneIsPassedOverAndTheAccountSaysSo() async throws {
        let origin = Origin(Self.content)
        defer { origin.stop() }
        let members = "<hash type=\"sha-512\">abc</hash>" + Self.hash(Self.content.sha256)
        let text = Self.document([origin.url("/m")], members)
        try await withBench(Self.content, script: [.metalink(text)]) { bench in
            let assignment = try bench.assignment("/a.meta4")
            let log = RequestLog(assignment.download, after: 0, time: bench.time.source)
            let checkpointSink = MemoryCheckpointSink()
            checkpointSink.assignment = assignment
            let meter = ProgressMeter(time: bench.time.source)

            let outcome = await bench.engine.attempt(assignment, checkpointSink: checkpointSink, meter: meter, log: log)

            #expect(bench.holds(outcome.file))
            #expect(checkpointSink.assignment?.download.source.digests == [Self.content.sha256])
            let decision = log.removePending().first?.decision
            #expect(decision == RequestRecord.Decision(.accept, reason: "hash_unreadable"))
        }
    }

    @Test func theDocumentItselfCanBeKept() async throws {
        let keep = { (request: inout DownloadRequest) in request.metalink = .keep }
        let text = { (_: [Origin]) in "<anything/>" }
        try await fetch(text, keep) { bench, origins, outcome in
            #expect(outcome.file?.path == "a.meta4")
            #expect(outcome.file?.sizeBytes == 11)
            #expect(origins.allSatisfy { $0.requests.isEmpty })
        }
    }

    @Test(arguments: [
        ("not xml", "well-formed"), ("<!DOCTYPE a><a/>", "document type"), ("<a/>", "not Metalink"),
        (document([]), "names no"), (String(repeating: " ", count: (1 << 20) + 1), "more than"),
        (
            "<metalink xmlns='urn:ietf:params:xml:ns:metalink'><file name='a'/><file name='b'/></metalink>",
            "Create one download for each"
        ),
    ])
    func aDocumentOfNoUseFailsTheDownload(_ text: String, _ reason: String) async throws {
        let document = { (_: [Origin]) in text }
        try await fetch(document) { bench, _, outcome in
            #expect(outcome.errorCode == .metalinkInvalid)
            #expect(outcome.failure?.failureClass == .permanent)
            #expect(outcome.failure?.error.message.contains(reason) == true)
            #expect(bench.files.isEmpty && bench.parts.isEmpty)
        }
    }

    @Test(arguments: [
        ("<size>5</size>", DownloadError.Code.sizeMismatch), (hash(Content(size: 1).sha256), .checksumMismatch),
    ])
    func theDigestAndSizeOfAMetalinkDocumentAreChecked(_ member: String, _ code: DownloadError.Code) async throws {
        let document = { (origins: [Origin]) in Self.document(origins.map { $0.url("/m") }, member) }
        try await fetch(document) { _, _, outcome in
            #expect(outcome.errorCode == code)
        }
    }

    @Test func theClientsDigestHoldsBeforeTheDocuments() async throws {
        let text = { (origins: [Origin]) in
            Self.document(origins.map { $0.url("/m") }, Self.hash(Content(size: 1).sha256))
        }
        let expecting = { (request: inout DownloadRequest) in request.expected.digests = [Self.content.sha256] }
        try await fetch(text, expecting) { bench, _, outcome in
            #expect(bench.holds(outcome.file))
        }
    }

    @Test func noURLOfADocumentLeadsWhereTheServiceMayNotGo() async throws {
        let origin = Origin(Self.content, script: [.metalink(Self.document(["http://169.254.169.254/"]))])
        defer { origin.stop() }
        let local = try #require(CIDR("127.0.0.0/8"))
        let settings = Change<EngineSettings>.change { $0.destinations = .publicOnly(allowances: [local]) }
        try await withBench(Self.content, settings: settings) { bench in
            let outcome = await bench.attempt(try bench.assignment(origin.url("/a.meta4")))

            #expect(outcome.errorCode == .destinationForbidden)
        }
    }

    // MARK: - Links

    private static func duplicate(_ mirror: Origin) -> String { "Link: <\(mirror.url("/m"))>; rel=duplicate; pri=1" }

    @Test(arguments: [(Behaviour.Validators.strong, true), (.lastModifiedOnly, false), (.absent, false)])
    func duplicatesAreUsedWhereATagCanBeCompared(_ validators: Behaviour.Validators, _ isUsed: Bool) async throws {
        let mirror = Origin(Self.content, script: [.validators(validators)])
        defer { mirror.stop() }
        let first = Behaviour {
            ($0.validators, $0.ending) = (validators, .cut(after: 900_000, by: .fin))
            $0.extraFields = [Self.duplicate(mirror)]
        }
        try await withBench(Self.content, script: [first]) { bench in
            let checkpointSink = MemoryCheckpointSink()
            let outcome = await bench.attempt(try bench.assignment(), checkpointSink)

            #expect(bench.holds(outcome.file) == isUsed)
            #expect(mirror.requests.map { $0.value(of: "range") } == (isUsed ? ["bytes=900000-1499999"] : []))
            #expect(checkpointSink.restarts.isEmpty)
        }
    }

    /// A document that a link names brings mirrors and digests; one of another file, or of none, changes nothing.
    @Test(
        arguments: [
            ("<size>1500000</size>" + hash(content.sha256), true, nil),
            (hash(Content(size: 1).sha256), true, .checksumMismatch),
            ("<size>5</size>", false, .connectFailed), ("<", false, .connectFailed),
        ] as [(String, Bool, DownloadError.Code?)]
    )
    func aDescriptionThatALinkNamesIsRead(_ member: String, _ isUsed: Bool, _ code: DownloadError.Code?) async throws {
        let mirror = Origin(Self.content)
        defer { mirror.stop() }
        let first = Behaviour {
            $0.ending = .cut(after: 900_000, by: .fin)
            $0.extraFields = ["Link: </a.meta4>; rel=describedby; type=\"application/metalink4+xml\""]
        }
        try await withBench(Self.content, script: [first, .good]) { bench in
            let document = Self.document([mirror.url("/m")], member)
            bench.origin.serve("/a.meta4", Self.content, script: [.metalink(document)])
            let outcome = await bench.attempt(try bench.assignment())

            #expect(outcome.errorCode == code)
            #expect(bench.holds(outcome.file) == (code == nil))
            #expect(mirror.requests.isEmpty != isUsed)
        }
    }

    @Test func mirrorsNamedByTheOriginSurviveARestart() async throws {
        let mirror = Origin(Self.content)
        defer { mirror.stop() }
        try await withBench(Self.content, script: [.page(503)]) { bench in
            var assignment = try await bench.resumable(at: 900_000, total: Self.content.size)
            assignment.download.source.mirrors = [DownloadURL(normalized: mirror.url("/m"))]
            let outcome = await bench.attempt(assignment)

            #expect(bench.holds(outcome.file))
            #expect(mirror.requests.map { $0.value(of: "range") } == ["bytes=900000-1499999"])
        }
    }
}
