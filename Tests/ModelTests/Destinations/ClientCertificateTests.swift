import Core
import Testing

@Suite struct ClientCertificateTests {
    @Test(arguments: [
        ("files.example=/a.pem", "/a.pem", "/a.pem"), ("*.example=/a.pem:/b.pem", "/a.pem", "/b.pem"),
        ("[::1]=/a.pem", "/a.pem", "/a.pem"), ("127.0.0.1=a=b.pem", "a=b.pem", "a=b.pem"),
    ])
    func aRuleIsReadAndWritten(_ text: String, certificate: String, key: String) throws {
        let rule = try #require(ClientCertificate(text))

        #expect(rule.certificateFile == certificate && rule.keyFile == key)
        #expect(rule.description == text)
    }

    @Test(arguments: [
        "", "/a.pem", "=/a.pem", "files.example=", "files.example=:", "a=/a.pem:", "a=/a:/b:/c", "*=/a", "*.=/a",
        ".example=/a", "a.*=/a", "a b=/a", "https://a=/a",
    ])
    func whatIsNoneIsRefused(_ text: String) {
        #expect(ClientCertificate(text) == nil)
    }

    @Test(arguments: [
        ("files.example=/a", "files.example", true), ("Files.Example=/a", "files.example", true),
        ("files.example=/a", "a.files.example", false), ("files.example=/a", "files.example.org", false),
        ("*.example=/a", "files.example", true), ("*.example=/a", "a.b.example", true),
        ("*.example=/a", "example", false), ("*.example=/a", "anexample", false),
    ])
    func onlyItsHostsAreShownIt(_ text: String, host: String, isFor: Bool) throws {
        #expect(try #require(ClientCertificate(text)).isFor(host) == isFor)
    }
}
