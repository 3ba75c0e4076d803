import Core
import Testing

@Suite struct RelativeDirectoryTests {
    @Test(arguments: [
        "a", "a/b/c", "v1.2/x", "a b/\u{20AC}", Array(repeating: "x", count: 512).joined(separator: "/"),
    ])
    func aDirectoryIsKeptAsItIs(_ path: String) throws {
        let directory = try RelativeDirectory(validating: path)

        #expect(directory.path == path)
        #expect(directory.parts == path.split(separator: "/").map(String.init))
    }

    @Test(
        arguments: [
            ("", .empty), ("/", .separator), ("/a", .separator), ("a/", .empty), ("a//b", .empty), (".", .dots),
            ("a/../b", .dots), ("..", .dots), ("a/.", .dots), ("a\\b", .separator), ("a/\0", .controlCharacter),
            (".config/x", .hidden), ("a/.bashrc", .hidden), ("con", .reserved), ("a/Nul.txt/b", .reserved),
            ("  ", .outerSpaceOrDot), ("a/ b", .outerSpaceOrDot), ("a./b", .outerSpaceOrDot),
            ("a/\u{200B}", .outerSpaceOrDot),
            ("a\n", .controlCharacter), ("a/\u{202E}", .bidiControl),
            ("a/" + String(repeating: "x", count: 256), .tooLong), ("../\u{301}", .dots),
            (Array(repeating: "xx", count: 342).joined(separator: "/"), .tooLong),
        ] as [(String, InvalidName)]
    )
    func aDirectoryIsRefused(_ path: String, because fault: InvalidName) {
        #expect(throws: fault) { try RelativeDirectory(validating: path) }
    }
}
