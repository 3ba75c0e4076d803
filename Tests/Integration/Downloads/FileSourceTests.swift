import API
import Core
import Service
import ServiceSupport
import TestSupport
import Testing

/// Downloads from FTP and SFTP servers, as clients ask for them.
@Suite(.hangLimit)
struct FileSourceTests {
    @Test func aFileOfAnFTPServerIsFetchedAndAccountedFor() async throws {
        let server = FTPServer(
            Content(size: 300_000),
            script: [FTPBehaviour { $0.ending = .cut(after: 100_000) }, .good]
        )
        defer { server.stop() }
        try await withService { service in
            let id = try await service.add(server.url("/pub/a.iso", user: "me:canary@"))
            try await service.wait(id, .waiting)
            try await service.advanceClock(by: .seconds(600), until: id, .completed)
            let shown = try await service.request("GET", "/downloads/\(id)")
            let attempts = try await service.request("GET", "/downloads/\(id)/attempts")

            #expect(try shown.json["file"]?["path"]?.text == "a.iso")
            #expect(try shown.json["url"]?.text == server.url("/pub/a.iso"))
            #expect(try shown.json["progress"]?["resumed_from_bytes"] == .number("100000"))
            #expect(!shown.text.contains("canary") && !attempts.text.contains("canary"))
            #expect(server.sessions.first?.starts(with: ["USER me", "PASS canary"]) == true)
            let items = try #require(try attempts.json["items"]?.items)
            #expect(items.compactMap { $0["decision"]?.text }.sorted() == ["accept", "accept", "already_complete"])
        }
    }

    @Test func aLoginThatIsRefusedFailsAsAnHTTPOneDoes() async throws {
        let server = FTPServer(Content(size: 1000), script: [FTPBehaviour { $0.refusal = 530 }])
        defer { server.stop() }
        try await withService { service in
            let id = try await service.add(server.url())
            try await service.wait(id, .failed)

            let shown = try await service.show(id)
            #expect(shown["error"]?["code"]?.text == "auth_required")
        }
    }

    @Test(arguments: [
        (#""mirrors":["http://b.example/f"]"#, "/mirrors"), (#""request_headers":{"A":"b"}"#, "/request_headers"),
        (#""cookies":{"a":"b"}"#, "/cookies"), (#""method":"POST","body":{"text":"a"}"#, "/method"),
        (#""proxy":"http://proxy.example:3128""#, "/proxy"),
        (#""authentication":{"scheme":"bearer","token":"a"}"#, "/authentication"),
        (#""authentication":{"scheme":"basic","username":"a","password":"b\nDELE c"}"#, "/authentication"),
    ])
    func membersThatFTPLacksAreRefused(_ members: String, _ pointer: String) async throws {
        try await withIdleService { service in
            let response = try await service.request("POST", "/downloads", #"{"url":"ftp://a.example/f",\#(members)}"#)

            #expect(response.status == 422 || (response.status == 400 && members.contains("basic")))
            #expect(response.pointers.contains { $0.hasPrefix(pointer) })
        }
    }

    @Test(arguments: [
        "ftp://a.example", "ftp://a.example/", "ftp://a.example/a/", "ftp://a.example/a%2F", "ftp://a.example/a?b",
        "ftp://a.example/a;type=d", "ftp://a.example/a%0D%0ADELE%20b",
    ])
    func aURLThatNamesNoFileIsRefused(_ url: String) async throws {
        try await withIdleService { service in
            let response = try await service.request("POST", "/downloads", #"{"url":"\#(url)"}"#)

            #expect(response.status == 400)
            #expect(response.pointers == ["/url"])
        }
    }

    @Test func sftpNeedsKnownHosts() async throws {
        let body = #"{"url":"sftp://a.example/f"}"#
        try await withIdleService { service in
            let id = try await service.add("http://a.example/")
            for (method, path) in [("POST", "/downloads"), ("PATCH", "/downloads/\(id)")] {
                let response = try await service.request(method, path, body)

                #expect(response.status == 422)
                #expect(response.pointers == ["/url"])
            }
        }
        try await withIdleService(jobs: with(ServiceSettings()) { $0.allowsSFTP = true }) { service in
            let response = try await service.request("POST", "/downloads", body)
            #expect(response.status == 201)
        }
    }

    @Test(arguments: [
        ("ftp://10.0.0.1/f", "address"), ("ftp://a.example:22/f", "port"), ("ftps://a.example:443/f", "port"),
        ("sftp://a.example:21/f", "port"), ("ftp://[::1]/f", "address"),
    ])
    func destinationsAreCheckedByScheme(_ url: String, _ reason: String) async throws {
        var jobs = ServiceSettings()
        jobs.destinations = .publicOnly(allowances: [])
        jobs.allowsSFTP = true
        try await withIdleService(jobs: jobs) { service in
            let response = try await service.request("POST", "/downloads", #"{"url":"\#(url)"}"#)

            #expect(response.status == 403)
            #expect(try response.json["reason"]?.text == reason)
        }
    }

    @Test func aWebhookGoesToNoFTPServer() async throws {
        try await withIdleService { service in
            let body = #"{"url":"http://a.example/","webhook":{"url":"ftp://a.example/f"}}"#

            let response = try await service.request("POST", "/downloads", body)
            #expect(response.status >= 400)
        }
    }
}
