@testable import cormorant
import Testing

@Suite
struct ByteSizeTests {
    @Test(
        arguments: [
            ("0", 0), ("1", 1), ("512B", 512), ("1KiB", 1024), ("10MiB", 10 << 20), ("3GiB", 3 << 30),
            ("2TiB", 2 << 40),
            ("9223372036854775807", Int64.max),
        ] as [(String, Int64)]
    )
    func aSizeIsRead(_ text: String, _ bytes: Int64) {
        #expect(ByteSize.parse(text) == bytes)
        #expect(ByteSize.parse(ByteSize.text(bytes)) == bytes)
    }

    @Test(arguments: ["", "-1", "1.5MiB", "1 MiB", "1MB", "1mib", "MiB", "9223372036854775808", "9000000TiB", "٣"])
    func anythingElseIsRefused(_ text: String) {
        #expect(ByteSize.parse(text) == nil)
    }

    @Test(
        arguments: [
            (0, "0 B"), (999, "999 B"), (1000, "1.0 KiB"), (1536, "1.5 KiB"), (102_400, "100 KiB"),
            (1_023_000, "999 KiB"),
            (1_048_576, "1.0 MiB"), (12_897_485, "12.3 MiB"), (5 << 30, "5.0 GiB"), (3000 << 40, "3000 TiB"),
        ] as [(Int64, String)]
    )
    func aSizeIsRoundedForPeople(_ bytes: Int64, _ text: String) {
        #expect(ByteSize.rounded(bytes) == text)
    }
}
