import Core
import HTTPFields
import TestSupport
import Testing
import TransferRules
import TransferSupport

@testable import Transfer

/// A web page in place of the file: it is refused by its head, and nothing of it is kept.
struct UnexpectedPageTests {
    private static let content = Content(size: 300_000)

    @Test func aPageInPlaceOfAFileIsRefusedAtOnce() async throws {
        try await withBench(Self.content, script: [.page(200)]) { bench in
            let outcomes = await bench.attempts(try bench.assignment("/a.iso"))

            #expect(outcomes.map(\.errorCode) == [.unexpectedPage])
            #expect(outcomes[0].failure?.failureClass == .permanent)
            #expect(bench.files.isEmpty && bench.parts.isEmpty)
            #expect(bench.origin.requests.count == 1)
        }
    }

    @Test func aPageThatTheClientAcceptsIsTheFile() async throws {
        try await withBench(Self.content, script: [.page(200)]) { bench in
            let outcome = await bench.attempt(try bench.assignment("/a.iso") { $0.acceptsHTML = true })

            #expect(outcome.file?.path == "a.iso")
        }
    }

    @Test func anExpectedTypeRefusesAPageOfAnyName() async throws {
        try await withBench(Self.content, script: [.page(200)]) { bench in
            let type = MediaType("application/zip")
            let outcome = await bench.attempt(try bench.assignment("/get.php") { $0.expected.mediaType = type })

            #expect(outcome.errorCode == .unexpectedPage)
        }
    }

    @Test func aPageOfOneSourceIsNoEndWhereAMirrorHasTheFile() async throws {
        let mirror = Origin(Self.content)
        defer { mirror.stop() }
        try await withBench(Self.content, script: [.page(200)]) { bench in
            let outcome = await bench.attempt(
                try bench.assignment("/a.iso") { $0.mirrors = [DownloadURL(normalized: mirror.url("/m.iso"))] }
            )

            #expect(bench.holds(outcome.file))
        }
    }

    @Test func aPageOfAMirrorIsRefusedToo() async throws {
        let mirror = Origin(Self.content, script: [.page(200)])
        defer { mirror.stop() }
        try await withBench(Self.content, script: [.page(410)]) { bench in
            let outcome = await bench.attempt(
                try bench.assignment("/a.iso") { $0.mirrors = [DownloadURL(normalized: mirror.url("/m.iso"))] }
            )

            #expect(outcome.file == nil)
            #expect(mirror.requests.count == 1)
            #expect(bench.files.isEmpty && bench.parts.isEmpty)
        }
    }
}
