import Foundation
import Testing

/// `docs/decisions/0054` shows the requests whose outcomes differ. To write them anew:
/// `CORMORANT_WRITE_PAGES=1 swift test --filter DifferencePageTests`
@Suite struct DifferencePageTests {
    private static let page = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "docs/decisions/0054-requests-by-version.md")

    /// Only what stands between these lines is generated.
    private static let (begin, end) = ("<!-- begin differences -->\n", "<!-- end differences -->\n")

    @Test func thePageShowsEveryDifferenceAsTheTableHasIt() throws {
        let written = try String(contentsOf: Self.page, encoding: .utf8)
        let start = try #require(written.range(of: Self.begin)).upperBound
        let end = try #require(written.range(of: Self.end)).lowerBound
        let expected = written[..<start] + "\n" + Self.table + "\n" + written[end...]

        if ProcessInfo.processInfo.environment["CORMORANT_WRITE_PAGES"] != nil {
            try String(expected).write(to: Self.page, atomically: true, encoding: .utf8)
        } else {
            #expect(written == expected, "run CORMORANT_WRITE_PAGES=1 swift test --filter DifferencePageTests")
        }
    }

    private static var table: String {
        let rows = RawRequest.groups.flatMap(\.requests).compactMap { request -> [String]? in
            guard let difference = request.difference else { return nil }
            return [request.name] + RawRequest.Library.allCases.map { "`\(request.outcome(on: $0))`" } + [
                difference.reason
            ]
        }
        let head = [["request", "0.9.75", "1.0.1", "1.0.10", "why"], Array(repeating: "---", count: 5)]
        return (head + rows).map { "| \($0.joined(separator: " | ")) |\n" }.joined()
    }
}
