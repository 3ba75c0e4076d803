import Core
import Testing

@Suite struct SessionNameTests {
    @Test(arguments: ["a", "Z", "0", "com.example.sync", "a_b-c:d.e", String(repeating: "x", count: 128)])
    func aNameIsTakenAsItIs(_ text: String) {
        #expect(SessionName(text)?.text == text)
    }

    @Test(
        arguments: [
            "", ".a", "_a", ":a", "-a", "a b", "a/b", "a\u{0}", "a\n", "é", "a\u{301}", "a%2F", "a@b",
            String(repeating: "x", count: 129),
        ]
    )
    func whatIsNotANameIsRefused(_ text: String) {
        #expect(SessionName(text) == nil)
    }
}
