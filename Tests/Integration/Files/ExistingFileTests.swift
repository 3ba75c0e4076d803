import API
import Core
import HTTPFields
import ServiceSupport
import Store
import TestSupport
import Testing

/// `on_conflict` `skip` and `if_newer`: a file that is there need not be fetched.
@Suite(.hangLimit)
struct ExistingFileTests {
    private static let content = Content(size: 5000)

    private static func with(
        _ script: [Behaviour],
        _ body: (TestService, Origin) async throws -> Void
    ) async throws {
        let origin = Origin(content, script: script)
        defer { origin.stop() }
        try await withService { try await body($0, origin) }
    }

    private static let skip = #","on_conflict":"skip","expected":{"size_bytes":5000}"#
    private static let ifNewer = #","on_conflict":"if_newer""#

    @Test func aFileIsSkippedAndStaysWhenTheDownloadIsDeleted() async throws {
        try await Self.with([.good]) { service, origin in
            let first = try await service.complete(origin.url("/a.bin"))
            let second = try await service.complete(origin.url("/a.bin"), Self.skip)
            let shown = try await service.request("GET", "/downloads/\(second)").json
            let event = try await service.request("GET", "/downloads/\(second)/events").json["items"]?.items.last

            #expect(shown["skipped"]?.bool == true && shown["file"]?["path"]?.text == "a.bin")
            #expect(shown["file"]?["modified_at"]?.text == "1994-11-06T08:49:00.000Z")
            #expect(event?["data"]?["skipped"]?.bool == true)
            #expect(try await service.request("GET", "/downloads/\(first)").json["skipped"]?.bool == false)
            #expect(origin.requests.count == 1)
            for id in [first, second] {
                #expect(try await service.request("GET", "/downloads/\(id)/file").status == 200)
            }
            let moved = try await service.request("PATCH", "/downloads/\(second)", #"{"filename":"b.bin"}"#)
            #expect(moved.status == 409)
            #expect(try await service.request("DELETE", "/downloads/\(second)").status == 204)
            #expect(try service.files == ["a.bin"])
            #expect(try await service.request("GET", "/downloads/\(first)/file").status == 200)
        }
    }

    @Test func aFileIsFetchedAgainOnlyIfTheOriginHasAnother() async throws {
        try await Self.with([.good, .page(304), .page(304), .version(1)]) { service, origin in
            let url = origin.url("/a.bin?key=1")
            let ids = try await [
                service.complete(url, Self.ifNewer), service.complete(url, Self.ifNewer),
                service.complete(url, Self.ifNewer), service.complete(url, Self.ifNewer),
            ]

            var skipped: [Bool?] = []
            for id in ids { skipped.append(try await service.show(id)["skipped"]?.bool) }
            #expect(skipped == [false, true, true, false])
            let tags = origin.requests.map { $0.value(of: "if-none-match") }
            #expect(tags == [nil, Self.content.etag, Self.content.etag, Self.content.etag])
            #expect(try service.files == ["a.bin"])
            let attempts = try await service.request("GET", "/downloads/\(ids[1])/attempts").json["items"]
            #expect(attempts?.items.first?["decision"]?.text == "not_modified")
        }
    }

    /// Its tag would say nothing about the other URL.
    @Test func aFileOfAnotherURLIsFetched() async throws {
        try await Self.with([.good]) { service, origin in
            _ = try await service.complete(origin.url("/a.bin?key=1"), Self.ifNewer)
            let id = try await service.complete(origin.url("/a.bin?key=2"), Self.ifNewer)

            #expect(try await service.show(id)["skipped"]?.bool == false)
            #expect(origin.requests.last?.value(of: "if-none-match") == nil)
        }
    }

    @Test(arguments: [Self.skip, Self.ifNewer])
    func severalAtOnceLeaveOneFile(_ members: String) async throws {
        try await Self.with([.good]) { service, origin in
            var ids: [String] = []
            for _ in 0..<6 { ids.append(try await service.add(origin.url("/a.bin"), members)) }
            for id in ids {
                let download = try await service.advanceClock(by: .seconds(1), until: id, .completed, .failed)
                #expect(download.state == .completed)
            }

            #expect(try service.files == ["a.bin"])
            try await service.hasNoParts()
        }
    }

    @Test(arguments: ["device", "inode"])
    func aFileIsNotFetchedAgainAfterAMountOrARestoredCopy(_ number: String) async throws {
        try await Self.with([.good, .page(304)]) { service, origin in
            _ = try await service.complete(origin.url("/a.bin"), Self.ifNewer)
            try await service.store.execute("UPDATE download SET file_\(number) = file_\(number) + 1")
            let second = try await service.complete(origin.url("/a.bin"), Self.ifNewer)

            #expect(try await service.show(second)["skipped"]?.bool == true)
            #expect(origin.requests.last?.value(of: "if-none-match") == Self.content.etag)
            #expect(try service.files == ["a.bin"])
        }
    }

    @Test(arguments: [
        #""on_conflict":"skip""#, #""on_conflict":"if_newer","expected":{"size_bytes":1}"#,
        #""on_conflict":"if_newer","expected":{"digests":{"md5":"00000000000000000000000000000000"}}"#,
        #""on_conflict":"if_newer","method":"POST","body":{"text":"a"}"#,
        #""on_conflict":"skip","expected":{"content_type":"application/zip"}"#,
    ])
    func aContradictionIsRefused(_ members: String) async throws {
        try await withService(.with { $0.runsScheduler = false }) { service in
            let answer = try await service.request("POST", "/downloads", #"{"url":"http://a.example/f",\#(members)}"#)

            #expect(answer.status == 422 && answer.pointers == ["/on_conflict"])
        }
    }

    @Test func aChangeThatContradictsIsRefused() async throws {
        try await withService(.with { $0.runsScheduler = false }) { service in
            let newer = try await service.add("http://a.example/f", Self.ifNewer)
            let skipping = try await service.add("http://a.example/f", Self.skip)
            let size = try await service.request("PATCH", "/downloads/\(newer)", #"{"expected":{"size_bytes":1}}"#)
            let none = try await service.request("PATCH", "/downloads/\(skipping)", #"{"expected":null}"#)
            let post = try await service.request("PATCH", "/downloads/\(newer)", #"{"method":"POST"}"#)

            #expect([size, none, post].map(\.status) == [422, 422, 422])
            #expect(size.pointers == ["/expected"] && post.pointers == ["/method"])
        }
    }
}
