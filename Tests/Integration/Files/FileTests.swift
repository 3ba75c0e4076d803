import API
import Core
import ServiceSupport
import TestSupport
import Testing

/// `GET /downloads/{id}/file`.
@Suite(.hangLimit)
struct FileTests {
    private static let content = Content(seed: 8, size: 1000)

    private static func withFile(
        _ members: String = "",
        script: [Behaviour] = [.good],
        path: String = "/a.bin",
        _ body: (TestService, String) async throws -> Void
    ) async throws {
        let origin = Origin(content, script: script)
        defer { origin.stop() }
        try await withService { service in
            let id = try await service.complete(origin.url(path), members)
            try await body(service, "/downloads/\(id)/file")
        }
    }

    @Test func theWholeFileIsServedWithItsDigest() async throws {
        try await Self.withFile { service, path in
            let response = try await service.request("GET", path)
            let digest = try #require(response["repr-digest"])
            let shown = try await service.request("GET", String(path.dropLast(5))).json

            #expect(response.status == 200)
            #expect(response.body == Self.content.allBytes)
            #expect(response["content-length"] == "1000")
            #expect(response["content-disposition"] == "attachment; filename=\"a.bin\"; filename*=UTF-8''a.bin")
            #expect(digest.hasPrefix("sha-256=:") && digest.hasSuffix(":"))
            #expect(shown["links"]?["file"]?.text == path)
            #expect(shown["file"]?["available"]?.bool == true)
        }
    }

    @Test(arguments: [
        ("bytes=0-0", 0, 0), ("bytes=0-", 0, 999), ("bytes=10-19", 10, 19), ("bytes=990-5000", 990, 999),
        ("bytes=-1", 999, 999), ("bytes=-5000", 0, 999), ("Bytes=5-6", 5, 6),
    ])
    func aRangeIsServedAlone(_ range: String, _ first: Int64, _ last: Int64) async throws {
        try await Self.withFile { service, path in
            let response = try await service.request("GET", path, fields: [("Range", range)])

            #expect(response.status == 206)
            #expect(response["content-range"] == "bytes \(first)-\(last)/1000")
            #expect(response.body == Self.content.bytes(in: first..<last + 1))
        }
    }

    @Test(arguments: [
        "bytes=0-1,5-6", "bytes=5-4", "bytes=x-", "bytes", "lines=0-1", "bytes=-", "bytes=1-2-3",
        "bytes=" + (0..<2000).map { "\($0)-\($0)" }.joined(separator: ","),
    ])
    func anyOtherRangeIsIgnored(_ range: String) async throws {
        try await Self.withFile { service, path in
            let response = try await service.request("GET", path, fields: [("Range", range)])

            #expect(response.status == 200)
            #expect(response.body.count == 1000)
        }
    }

    @Test(arguments: ["bytes=1000-", "bytes=99999999999999999999-", "bytes=-0"])
    func aRangeBehindTheEndIsRefusedWithTheSize(_ range: String) async throws {
        try await Self.withFile { service, path in
            let response = try await service.request("GET", path, fields: [("Range", range)])

            #expect(response.status == 416)
            #expect(response.problem == "range-not-satisfiable")
            #expect(response["content-range"] == "bytes */1000")
        }
    }

    @Test func aRangeOfAnotherFileIsServedAsTheWholeOne() async throws {
        try await Self.withFile { service, path in
            let whole = try await service.request("HEAD", path)
            let tag = try #require(whole["etag"])
            let date = try #require(whole["last-modified"])
            func status(_ condition: String) async throws -> Int {
                try await service.request("GET", path, fields: [("Range", "bytes=1-2"), ("If-Range", condition)]).status
            }

            #expect(try await status(tag) == 206)
            #expect(try await status(date) == 206)
            #expect(try await status("\"other\"") == 200)
            #expect(try await status("W/\(tag)") == 200)
            #expect(try await status("Sun, 06 Nov 1994 08:49:37 GMT") == 200)
        }
    }

    @Test func aHeadHasNoRange() async throws {
        try await Self.withFile { service, path in
            let head = try await service.request("HEAD", path, fields: [("Range", "bytes=1-2")])
            let unsatisfiable = try await service.request("HEAD", path, fields: [("Range", "bytes=9999999-")])

            #expect(head.status == 200 && unsatisfiable.status == 200)
            #expect(head["content-length"] == "\(Self.content.size)" && head["content-range"] == nil)
        }
    }

    @Test func onlyPagesOfTheServiceMayEmbedAFile() async throws {
        try await Self.withFile { service, path in
            let fields = try await service.request("GET", path).fields

            #expect(fields.filter { $0.name == "cross-origin-resource-policy" }.map(\.value) == ["same-origin"])
        }
    }

    @Test func aFileThatTheClientHasIsNotSentAgain() async throws {
        try await Self.withFile { service, path in
            let tag = try #require(try await service.request("HEAD", path)["etag"])
            let same = try await service.request("GET", path, fields: [("If-None-Match", tag)])
            let other = try await service.request("GET", path, fields: [("If-None-Match", "\"x\"")])
            let failed = try await service.request("GET", path, fields: [("If-Match", "\"x\"")])

            #expect(same.status == 304)
            #expect(same["etag"] == tag)
            #expect(same["content-length"] == "\(Self.content.size)")
            #expect(same.body.isEmpty)
            #expect(other.status == 200)
            #expect(failed.status == 412)
        }
    }

    @Test func datesCountWhereThereIsNoTag() async throws {
        try await Self.withFile { service, path in
            let date = try #require(try await service.request("HEAD", path)["last-modified"])
            // A second before that of the origin, which the file keeps.
            let old = "Sun, 06 Nov 1994 08:48:59 GMT"
            func status(_ name: String, _ date: String, _ more: [(String, String)] = []) async throws -> Int {
                try await service.request("GET", path, fields: [(name, date)] + more).status
            }

            #expect(date == Self.content.lastModified)
            #expect(try await status("If-Modified-Since", date) == 304)
            #expect(try await status("If-Modified-Since", old) == 200)
            #expect(try await status("If-Modified-Since", date, [("If-None-Match", "\"x\"")]) == 200)
            #expect(try await status("If-Unmodified-Since", date) == 200)
            #expect(try await status("If-Unmodified-Since", old) == 412)
        }
    }

    @Test(arguments: [("/report", "report.pdf"), ("/", "download.pdf")])
    func aNameIsShownWithTheSuffixOfItsType(_ path: String, _ name: String) async throws {
        let rest = Signal()
        let behaviour = Behaviour {
            $0.contentType = "application/pdf"
            $0.pace = .stall(after: 1 << 20, until: rest)
        }
        let origin = Origin(Content(size: 2 << 20), script: [behaviour])
        defer { origin.stop() }
        try await withService { service in
            let id = try await service.add(origin.url(path))
            try await service.wait(id, receives: 1 << 20)
            // The next flush records what the origin said.
            try await service.advanceClock(by: .seconds(1)) {
                try await service.show(id)["name"]?.text == name ? true : nil
            }

            rest.fire()
            try await service.wait(id, .completed)
            #expect(try service.files == [name])
        }
    }

    @Test func aNameInAnyScriptReachesTheClient() async throws {
        try await Self.withFile(#","filename":"na\u00efve \"📦\".bin""#) { service, path in
            let response = try await service.request("GET", path)

            #expect(
                response["content-disposition"]
                    == "attachment; filename=\"na_ve ___.bin\"; filename*=UTF-8''na%C3%AFve%20%22%F0%9F%93%A6%22.bin"
            )
        }
    }

    @Test(arguments: [
        ("text/html", "application/octet-stream"), ("text/html; charset=utf-8", "application/octet-stream"),
        ("image/svg+xml", "application/octet-stream"), ("text/xml", "application/octet-stream"),
        ("text/javascript", "application/octet-stream"), ("image/png; x=<script>", "image/png"),
    ])
    func aFileOfAnAttackerIsServedInert(_ type: String, _ served: String) async throws {
        let origin = Origin(Self.content, script: [Behaviour { $0.contentType = type }])
        defer { origin.stop() }
        try await withService { service in
            let id = try await service.complete(origin.url("/page.html"))
            let response = try await service.request("GET", "/downloads/\(id)/file")

            #expect(response["content-type"] == served)
            #expect(response["content-disposition"]?.hasPrefix("attachment") == true)
            #expect(response["content-security-policy"] == "sandbox; default-src 'none'")
            #expect(response["cross-origin-resource-policy"] == "same-origin")
        }
    }

    @Test(arguments: ["remove", "replace", "truncate", "swap", "overwrite"], [false, true])
    func aFileThatIsNoLongerTheOneThatCameIsGone(_ change: String, isRecordAskedFirst: Bool) async throws {
        try await Self.withFile { service, path in
            let record = String(path.dropLast("/file".count))
            let before = try await service.request("GET", record).json
            #expect(before["file"]?["available"]?.bool == true)
            switch change {
            case "remove": service.folder.remove("downloads/a.bin")
            case "swap":
                service.folder.write(String(repeating: "x", count: 1000), to: "other")
                service.folder.rename("other", to: "downloads/a.bin")
            case "overwrite": service.folder.damage("downloads/a.bin", at: 500)
            case "replace":
                service.folder.write(String(repeating: "x", count: 1001), to: "other")
                service.folder.rename("other", to: "downloads/a.bin")
            default: service.folder.write("x", to: "downloads/a.bin")
            }
            if isRecordAskedFirst {
                let shown = try await service.request("GET", record).json
                // What looks like the file is compared with its digest only where it is asked for.
                let looksRight = ["swap", "overwrite"].contains(change)
                #expect(shown["file"]?["available"]?.bool == looksRight)
            }
            let response = try await service.request("GET", path)

            #expect(response.status == 410)
            #expect(response.problem == "file-gone")
            #expect(try await service.request("HEAD", path).status == 410)
            let listed = try await service.request("GET", "/downloads").json["items"]?.items.first
            #expect(listed?["file"]?["available"]?.bool == false)
            let events = try await service.request("GET", "\(record)/events?types=download.file_missing").json
            #expect(events["items"]?.items.count == 1)
            #expect(events["items"]?.items.first?["data"]?["file"]?["available"]?.bool == false)
        }
    }

    @Test func aFileThatIsThereAgainIsServedAgain() async throws {
        try await Self.withFile { service, path in
            let record = String(path.dropLast("/file".count))
            service.folder.rename("downloads/a.bin", to: "elsewhere")
            let gone = try await service.request("GET", path)
            service.folder.rename("elsewhere", to: "downloads/a.bin")
            let found = try await service.request("GET", path)
            let shown = try await service.request("GET", record).json

            #expect([gone.status, found.status] == [410, 200])
            #expect(shown["file"]?["available"]?.bool == true)
        }
    }

    /// Nobody asks for it.
    @Test func aFileThatIsGoneIsMissedByTheJanitor() async throws {
        try await Self.withFile { service, path in
            service.folder.remove("downloads/a.bin")
            let listed = try await service.advanceClock(by: .seconds(600)) {
                let item = try await service.request("GET", "/downloads").json["items"]?.items.first
                return item?["file"]?["available"]?.bool == false ? item : nil
            }
            let id = listed["id"]?.text ?? "?"
            #expect(path.contains(id))
        }
    }

    @Test func aFileThatIsNotThereYetSaysWhereItsDownloadStands() async throws {
        try await withService(.with { $0.runsScheduler = false }) { service in
            let id = try await service.add("http://a.example/")
            let response = try await service.request("GET", "/downloads/\(id)/file")

            #expect(response.status == 409)
            #expect(response.problem == "file-not-ready")
            #expect(try response.json["state"]?.text == "queued")
            #expect(try await service.request("GET", "/downloads/dl_01kdyak3seeejr3cp3tkjzc1rr/file").status == 404)
        }
    }

    @Test func anEmptyFileIsServed() async throws {
        let origin = Origin(Content(size: 0))
        defer { origin.stop() }
        try await withService { service in
            let id = try await service.complete(origin.url("/empty"))
            let response = try await service.request("GET", "/downloads/\(id)/file", fields: [("Range", "bytes=-5")])

            #expect(response.status == 200)
            #expect(response.body.isEmpty)
        }
    }
}
