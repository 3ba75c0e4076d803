import Client
import Foundation
import ServiceSupport
import TestSupport
import Testing

/// The examples of docs/CLIENT.md and of the doc comments, compiled and run: each of them is text of this file.
@Suite(.hangLimit)
struct ExampleTests {
    private static let root: URL = {
        var root = URL(filePath: #filePath)
        for _ in 0..<4 { root.deleteLastPathComponent() }
        return root
    }()

    /// The lines between marks of Swift code, without their margin.
    private static func examples(_ text: String) -> [[String]] {
        var (examples, code): ([[String]], [String]?) = ([], nil)
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            let line = line.drop { $0 == " " }
            let content = String(line.hasPrefix("///") ? line.dropFirst(3).drop { $0 == " " } : line)
            if content == "```swift" {
                code = []
            } else if content == "```", let lines = code {
                examples.append(lines)
                code = nil
            } else if !content.isEmpty {
                code?.append(content)
            }
        }
        return examples
    }

    @Test(arguments: ["docs/CLIENT.md", "Sources/Client/CormorantClient.swift"])
    func everyExampleIsBuiltHere(_ path: String) throws {
        let examples = Self.examples(try String(contentsOf: Self.root.appending(path: path), encoding: .utf8))
        let here = try String(contentsOf: URL(filePath: #filePath), encoding: .utf8)
            .split(separator: "\n").map { String($0.drop { $0 == " " }) }
        #expect(!examples.isEmpty)
        // How a package adds the client is no code of a program.
        for example in examples where !example.contains(where: { $0.contains(".package(") }) {
            let isHere = here.indices.contains { here[$0...].starts(with: example) }
            #expect(isHere, "\(path): \(example)")
        }
    }

    @Test func thePackageHasTheProductThatThePageNames() throws {
        let page = try String(contentsOf: Self.root.appending(path: "docs/CLIENT.md"), encoding: .utf8)
        let package = try String(contentsOf: Self.root.appending(path: "Package.swift"), encoding: .utf8)

        #expect(page.contains(#".product(name: "CormorantClient", package: "cormorant")"#))
        #expect(package.contains(#".library(name: "CormorantClient", targets: ["Client"])"#))
    }

    /// The example of the doc comment: built, and not run, since its service is not there.
    private static func docComment() async throws {
        let client = try CormorantClient(server: "http://127.0.0.1:8080")
        let download = try await client.createDownload(Download.Request(url: "https://example.com/a.iso"))
        for try await item in client.events(EventQuery(downloadID: download.id)) {
            if case .event(let event) = item { print(event.type) }
        }
        await client.shutdown()
    }

    @Test func theExamplesOfThePageRun() async throws {
        let origin = Origin(Content(size: 1000))
        defer { origin.stop() }
        try await withService { service in
            let client = try CormorantClient(server: "http://127.0.0.1:\(service.client.port)")
            try await Self.add(client, origin.url("/a.iso"))
            try await Self.follow(client)
            try await Self.change(client)
            await client.shutdown()
        }
    }

    private static func add(_ client: CormorantClient, _ url: String) async throws {
        var new = Download.Request(url: url)
        new.session = "nightly"
        new.expected = Download.Expected(sizeBytes: 1000)
        let download = try await client.createDownload(new, key: "nightly-2026-01-02")
        let ended = try await client.download(download.id, endingWithin: .seconds(60))
        print(ended.state, ended.file?.path ?? "")
    }

    private static func follow(_ client: CormorantClient) async throws {
        var query = DownloadQuery()
        query.filter.session = "nightly"
        query.sort = "-created_at"
        for try await download in client.downloads(query) {
            for try await bytes in try await client.file(of: download.id) { print(bytes.count) }
        }
    }

    private static func change(_ client: CormorantClient) async throws {
        var patch = Download.Patch(action: "retry")
        patch.authentication = .set(Download.Request.Authentication(scheme: "bearer", token: "secret"))
        patch.maxAttempts = .clear
        do {
            _ = try await client.changeDownload("dl_01kdyak3seeejr3cp3tkjzc1rr", patch)
        } catch ClientError.problem(let problem) {
            print(problem.slug, problem)
        }
    }
}
