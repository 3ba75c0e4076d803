import Foundation
import ServiceSupport
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

    /// The members of a patch without a field in the form "Change…", and why.
    private static let membersWithoutField = [
        "action": "a button", "keep_partial": "goes with the button Cancel", "force": "goes with the button Retry",
        "expected_revision": "the form changes only what was typed",
        "refresh_url": "for programs", "method": "for programs", "body": "for programs", "webhook_ids": "for programs",
        "metadata": "for programs", "root": "rare", "expected/size_bytes": "rare", "expected/content_type": "rare",
        "limits/max_bytes": "rare", "timeouts/connect_seconds": "rare", "timeouts/silence_seconds": "rare",
        "timeouts/give_up_seconds": "rare", "retry/delay_seconds": "rare", "retry/max_delay_seconds": "rare",
        "retry/statuses": "rare", "expires_at": "keep_file_seconds has a field, and excludes it",
    ]

    @Test func theFormHasAFieldForEveryMemberOfAPatch() throws {
        let described = Set(Contract.shared.members(of: "DownloadChange").map(\.path))
        let fields = try Self.text(of: "edit-members.js").matches(of: /new Member\('\/([^']+)'/).map { String($0.1) }

        #expect(described.subtracting(fields).sorted() == Self.membersWithoutField.keys.sorted())
        #expect(Set(fields).isSubset(of: described))
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
