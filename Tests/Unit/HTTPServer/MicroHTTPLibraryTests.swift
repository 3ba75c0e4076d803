import Testing

@testable import HTTPServer

@Suite struct MicroHTTPLibraryTests {
    @Test(arguments: [
        ("0.9.75", false), ("0.9.77", false), ("1.0.0", true), ("1.0.10", true), ("1.1-dev", true), ("2.0.0", true),
        ("10.0", true), ("", false), ("x", false),
    ])
    func theLibraryParsesStrictlyFromVersion1(_ version: String, _ isStrict: Bool) {
        #expect(MicroHTTPLibrary.parsesStrictly(version: version) == isStrict)
    }
}
