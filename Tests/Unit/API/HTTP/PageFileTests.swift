import Foundation
import Testing

@testable import API

/// The files of the page against the folder that they come from.
struct PageFileTests {
    private static let folder: URL = {
        // Tests/Unit/API/HTTP/PageFileTests.swift → the package's root
        var root = URL(fileURLWithPath: #filePath)
        for _ in 0..<5 { root.deleteLastPathComponent() }
        return root.appendingPathComponent("Sources/API/Page")
    }()

    private static func text(of name: String) throws -> String {
        try String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8)
    }

    @Test func everyFileOfTheFolderIsEmbeddedAndNoOther() throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path)

        #expect(Set(names) == Set(PageFile.embedded.keys))
        for name in names {
            #expect(
                try Data(PageFile.embedded[name] ?? []) == Data(contentsOf: Self.folder.appendingPathComponent(name))
            )
        }
    }

    @Test func everyFileHasAMediaTypeThatABrowserRuns() {
        for (name, file) in PageFile.all { #expect(file.mediaType != "application/octet-stream", "\(name)") }
    }

    /// A browser loads a module once it knows of it: all at once if the page names them all.
    @Test func thePageNamesEveryModule() throws {
        let page = try Self.text(of: "index.html")

        for name in PageFile.all.keys where name.hasSuffix(".js") {
            #expect(page.contains("page/{version}/\(name)\""), "\(name)")
        }
    }

    /// Text from outside is never parsed as markup, and the policy forbids what these would do.
    @Test(arguments: [
        "innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function", "style=\"",
        "onclick=\"", "http-equiv", "setAttribute('style'",
    ])
    func noModuleMakesMarkupOfText(_ word: String) throws {
        for name in PageFile.embedded.keys { #expect(!(try Self.text(of: name).contains(word)), "\(name)") }
    }

    @Test func aFileHasAtMost400Lines() throws {
        for name in PageFile.embedded.keys {
            #expect(
                try Self.text(of: name).split(separator: "\n", omittingEmptySubsequences: false).count <= 401,
                "\(name)"
            )
        }
    }
}
