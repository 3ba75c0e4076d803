import Foundation
import Testing

@testable import Application

/// `docs/SETTINGS.md` shows the list of settings as the program has it. To write it anew:
/// `CORMORANT_WRITE_PAGES=1 swift test --filter SettingsPageTests`
@Suite
struct SettingsPageTests {
    private static let page = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appending(path: "docs/SETTINGS.md")

    /// Only what stands between these lines is generated.
    private static let (begin, end) = ("<!-- begin settings -->\n", "<!-- end settings -->\n")

    @Test
    func thePageShowsEverySettingAsTheListHasIt() throws {
        let written = try String(contentsOf: Self.page, encoding: .utf8)
        let start = try #require(written.range(of: Self.begin)).upperBound
        let end = try #require(written.range(of: Self.end)).lowerBound
        let expected = written[..<start] + "\n" + Self.tables + "\n" + written[end...]

        if ProcessInfo.processInfo.environment["CORMORANT_WRITE_PAGES"] != nil {
            try String(expected).write(to: Self.page, atomically: true, encoding: .utf8)
        } else {
            #expect(written == expected, "run CORMORANT_WRITE_PAGES=1 swift test --filter SettingsPageTests")
        }
    }

    /// A wide cell breaks the page: it belongs in a paragraph.
    @Test
    func noCellIsLongerThan160Characters() {
        for setting in Setting.all {
            for cell in Self.cells(setting) { #expect(cell.count <= 160, "\(setting.key): \(cell)") }
        }
    }

    private static var tables: String {
        Setting.groups.map { group in
            let rows = group.settings.map { "| " + cells($0).joined(separator: " | ") + " |\n" }
            return """
                ## \(group.title)

                | setting | values | default | meaning |
                | --- | --- | --- | --- |
                \(rows.joined())
                """
        }.joined(separator: "\n")
    }

    private static func cells(_ setting: Setting) -> [String] {
        ["`\(setting.writtenKey)`", escaped(setting.values), "`\(setting.shownDefault)`", escaped(setting.help)]
    }

    /// Characters that Markdown would take for its own.
    private static func escaped(_ text: String) -> String {
        text.replacing("|", with: "\\|").replacing("<", with: "\\<").replacing("*", with: "\\*")
    }
}
