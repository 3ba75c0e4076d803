import Core
import TestSupport
import Testing

@testable import Transfer

/// Where a finished file's name comes from, and that no name leads out of its folder.
struct FileNameTests {
    private func name(
        _ disposition: String?,
        path: String = "/file.bin",
        _ change: (inout DownloadRequest) -> Void = { _ in }
    ) async throws -> String? {
        var found: String?
        let fields = disposition.map { ["Content-Disposition: \($0)"] } ?? []
        try await withBench(script: [.fields(fields)]) { bench in
            let file = await bench.attempt(try bench.assignment(path, change)).file

            #expect(bench.holds(file))
            #expect(bench.files == [file?.path])
            found = file?.path
        }
        return found
    }

    @Test func theClientsNameComesFirst() async throws {
        let name = try await name("attachment; filename=x.iso") { $0.filename = FileName(sanitizing: "mine.iso") }

        #expect(name == "mine.iso")
    }

    @Test(arguments: [
        ("attachment; filename=\"x.iso\"", "x.iso"), ("attachment; filename*=UTF-8''na%C3%AFve.txt", "naïve.txt"),
        ("inline", "file.bin"), ("", "file.bin"), ("attachment; filename=\"\"", "file.bin"),
    ])
    func theOriginsNameComesBeforeTheURLs(disposition: String, expected: String) async throws {
        #expect(try await name(disposition) == expected)
    }

    @Test(arguments: [
        "../../etc/passwd", "..", ".", "/etc/passwd", "..\\..\\x", "a/b/c", ".ssh", "~", "con", "x\u{202E}gpj.exe",
        "dl_01kdyak3seeejr3cp3tkjzc1rr.g1.part", "%2e%2e%2fx", "a\tb", " ", "\u{FF}",
    ])
    func aHostileNameStaysInTheFolder(hostile: String) async throws {
        let name = try #require(try await name("attachment; filename=\"\(hostile)\""))

        #expect(!name.isEmpty && !name.hasPrefix(".") && !name.utf8.contains(UInt8(ascii: "/")))
    }

    @Test func aNameThatIsTooLongIsShortened() async throws {
        let name = try await name("attachment; filename=\"\(String(repeating: "é", count: 300)).tar.gz\"")

        #expect(name.map { $0.utf8.count <= 255 && $0.hasSuffix(".tar.gz") } == true)
    }

    @Test(arguments: [
        ("/report", "application/pdf", "report.pdf"), ("/", "text/html", "page.html"),
        ("/x/", "text/html", "download.html"),
        ("/report", "application/octet-stream", "report"), ("/report.php", "application/pdf", "report.php"),
    ])
    func aNameWithoutASuffixGetsThatOfItsType(path: String, type: String, expected: String) async throws {
        try await withBench(script: [Behaviour { $0.contentType = type }]) { bench in
            let outcome = await bench.attempt(try bench.assignment(path))

            #expect(bench.holds(outcome.file))
            #expect(bench.files == [expected])
        }
    }

    @Test(arguments: [("/", "download"), ("/a/", "download"), ("/..%2Fx", "x"), ("/%00", "download"), ("/a%2Fb", "b")])
    func aURLWithoutANameStillGetsOne(path: String, expected: String) async throws {
        #expect(try await name(nil, path: path) == expected)
    }
}
