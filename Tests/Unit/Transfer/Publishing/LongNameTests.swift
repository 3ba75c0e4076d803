import Core
import Linux
import TestSupport
import Testing

@testable import Transfer

/// A root whose longest name is shorter than usual, and than it reports.
@Suite(.enabled(if: EncryptedFolder.isAllowed, Comment(rawValue: EncryptedFolder.reason)))
struct LongNameTests {
    private static let content = Content(size: 5000)
    private static let long = String(repeating: "x", count: 240) + ".tar.gz"

    @Test func theLongestNameIsFound() throws {
        let disk = try EncryptedFolder()
        let abilities = try Directory(path: disk.folder.path).probeAbilities()

        #expect(abilities.longestName == EncryptedFolder.longestName)
        #expect(abilities.missing.contains("long_names"))
        #expect(disk.folder.names(in: ".") == [])
    }

    @Test func aNameThatIsTooLongIsShortenedBeforeItsExtension() async throws {
        let disk = try EncryptedFolder()
        try await withBench(Self.content, folder: disk.folder) { bench in
            let first = await bench.attempt(try bench.assignment("/\(Self.long)"))
            let second = await bench.attempt(
                try bench.assignment { $0.filename = try? FileName(validating: Self.long) }
            )

            let (stem, limit) = (String(Self.long.dropLast(7)), EncryptedFolder.longestName)
            #expect(first.file?.path == stem.prefix(limit - 7) + ".tar.gz" && bench.holds(first.file))
            #expect(second.file?.path == stem.prefix(limit - 11) + " (1).tar.gz" && bench.holds(second.file))
        }
    }

    @Test func anExpectedFileIsKnownByItsShortenedName() async throws {
        let disk = try EncryptedFolder()
        try await withBench(Self.content, folder: disk.folder) { bench in
            let change = { (request: inout DownloadRequest) in
                request.onConflict = .skip
                request.expected.sizeBytes = Self.content.size
            }
            let first = await bench.attempt(try bench.assignment("/\(Self.long)", change))
            let second = await bench.attempt(try bench.assignment("/\(Self.long)", change))

            #expect(first.file != nil && second.file?.path == first.file?.path)
            #expect(second.file?.isSkipped == true && bench.origin.requests.count == 1)
        }
    }
}
