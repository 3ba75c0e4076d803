import Foundation
import ServiceSupport
import TestSupport
import Testing

@testable import API

/// The page for browsers: who gets it, and what it may do.
@Suite(.hangLimit)
struct PageTests {
    private static let html = ("Accept", "text/html,application/xhtml+xml,*/*;q=0.8")
    private static let gzip = ("Accept-Encoding", "gzip")
    /// Otherwise the client of the tests sends the service's token.
    private static let nobody = ("Authorization", "")

    @Test func thePageNeedsNoTokenAndNothingElseIsOpened() async throws {
        try await withService(.with { $0.token = "token" }) { service in
            let page = try await service.request("GET", "/", fields: [Self.html, Self.nobody])
            let script = try await service.request("GET", "/page/\(PageFile.version)/main.js", fields: [Self.nobody])

            #expect(page.status == 200 && page["content-type"] == "text/html; charset=utf-8")
            #expect(script.status == 200 && script["content-type"] == "text/javascript; charset=utf-8")
            for path in ["/stats", "/downloads", "/page", "/page/\(PageFile.version)"] {
                let refused = try await service.request("GET", path, fields: [Self.html, Self.nobody])

                #expect(refused.status == 401, "\(path)")
            }
        }
    }

    @Test func theBrowserMayRunNothingButThePagesFiles() async throws {
        try await withService { service in
            let page = try await service.request("GET", "/", fields: [Self.html])
            let policy = try #require(page["content-security-policy"])

            for part in ["default-src 'none'", "script-src 'self'", "style-src 'self'", "frame-ancestors 'none'"] {
                #expect(policy.contains(part))
            }
            #expect(!policy.contains("unsafe"))
            #expect(page["x-content-type-options"] == "nosniff")
        }
    }

    @Test func thePageIsAskedForEachTimeAndItsFilesOnce() async throws {
        try await withService { service in
            let page = try await service.request("GET", "/", fields: [Self.html])
            let current = try await service.request("GET", "/page/\(PageFile.version)/page.css")
            let other = try await service.request("GET", "/page/0/page.css")

            #expect(page["cache-control"] == "no-cache")
            #expect(current["cache-control"] == "public, max-age=31536000, immutable")
            #expect(other["cache-control"] == "no-cache" && other.body == current.body)
            #expect(page.text.contains("page/\(PageFile.version)/main.js") && !page.text.contains("{version}"))
        }
    }

    @Test func aKnownTagIsAnswered304() async throws {
        try await withService { service in
            for path in ["/", "/page/\(PageFile.version)/main.js"] {
                for form in [[], [Self.gzip]] {
                    let first = try await service.request("GET", path, fields: form)
                    let tag = try #require(first["etag"])
                    let second = try await service.request("GET", path, fields: form + [("If-None-Match", tag)])

                    #expect(second.status == 304 && second["etag"] == tag && second.body.isEmpty)
                    #expect(first["vary"] == "Accept-Encoding")
                }
            }
        }
    }

    @Test func theWholePageIsUnder120KiBCompressed() async throws {
        try await withService { service in
            var bytes = 0
            for path in ["/"] + PageFile.all.keys.map({ "/page/\(PageFile.version)/\($0)" }) {
                let response = try await service.request("GET", path, fields: [Self.gzip])

                #expect(response.status == 200, "\(path)")
                bytes += response.body.count
            }
            #expect(bytes < 120 << 10)
        }
    }

    @Test func aClientOfTheAPIFindsNothingAtTheRoot() async throws {
        try await withService { service in
            let read = try await service.request("GET", "/", fields: [("Accept", "application/json")])
            let written = try await service.request("POST", "/", "{}")

            #expect(read.status == 404 && written.status == 405)
        }
    }

    @Test func thePageCanBeTurnedOff() async throws {
        try await withService(.with { $0.servesPage = false }) { service in
            let page = try await service.request("GET", "/", fields: [Self.html])
            let file = try await service.request("GET", "/page/\(PageFile.version)/main.js")

            #expect(page.status == 404 && file.status == 404)
        }
    }

    @Test func aBookmarkletOfAnotherSiteMayOpenThePage() async throws {
        try await withService { service in
            let fields = [Self.html, ("Sec-Fetch-Site", "cross-site")]
            let page = try await service.request("GET", "/?add=http://a.example/", fields: fields)

            #expect(page.status == 200)
        }
    }
}
