import Core
import Testing

struct ProxyTests {
    @Test(
        arguments: [
            ("http://proxy.example:3128", "http://proxy.example:3128", nil, nil),
            ("HTTPS://Proxy.Example:443/", "https://proxy.example:443", nil, nil),
            ("socks5://u@10.0.0.1:1080", "socks5://10.0.0.1:1080", "u", ""),
            ("socks5h://u%40x:p%3A%20q@[::1]:1080", "socks5h://[::1]:1080", "u@x", "p: q"),
            ("http://u:a:b@p:1", "http://p:1", "u", "a:b"),
        ] as [(String, String, String?, String?)]
    )
    func aProxyIsRead(_ text: String, _ shown: String, _ user: String?, _ password: String?) throws {
        let server = try #require(ProxyServer(text))

        #expect(server.shown == shown && server.user == user && server.password == password)
        #expect("\(server)" == shown && server.text == text)
    }

    @Test(arguments: [
        "", "proxy.example:3128", "http://proxy.example", "ftp://p:1", "socks4://p:1", "http://:1", "http://p:0",
        "http://p:65536", "http://p:+1", "http://p:1/x", "http://p:1?x", "http://a@b@p:1", "http://p x:1",
        "http://p\u{0}:1",
        "http://u%00:p@p:1", "http://u%0A@p:1", "http://a%3Ab@p:1", "http://[::1:1", "http://[1.2.3.4]:1",
        "http://[x]:1",
        "http://u#@p:1", "http://p\u{E4}:1", "//p:1", "http:p:1",
    ])
    func anythingElseIsNone(_ text: String) {
        #expect(ProxyServer(text) == nil)
    }

    @Test(arguments: [
        ("*", "a.example", true), ("a.example", "a.example", true), (".a.example", "a.example", true),
        ("A.Example", "b.a.example", true), ("a.example", "ba.example", false), ("a.example", "a.example.org", false),
        ("10.0.0.0/8", "10.1.2.3", true), ("10.0.0.0/8", "11.1.2.3", false), ("127.0.0.1", "127.0.0.1", true),
        ("::1", "[::1]", true), ("10.0.0.0/8", "ten.example", false),
    ])
    func anExceptionGoesWithoutTheProxy(_ exception: String, _ host: String, _ isDirect: Bool) throws {
        let server = try #require(ProxyServer("http://p:1"))
        let rules = ProxyRules(server: server, exceptions: [try #require(ProxyRules.Exception(exception))])

        #expect(rules.route(to: host, choice: nil) == (isDirect ? .direct : .proxy(server, isClients: false)))
    }

    @Test(arguments: ["", ".", "a b", "10.0.0.0/33", "a/b", "*.example"])
    func invalidHostsAreNoProxyExceptions(_ text: String) {
        #expect(ProxyRules.Exception(text) == nil)
    }

    @Test func aDownloadsOwnChoiceComesFirst() throws {
        let own = try #require(ProxyServer("socks5h://own:1"))
        let rules = ProxyRules(server: ProxyServer("http://p:1"), exceptions: [.all])

        #expect(rules.route(to: "a", choice: .server(own)) == .proxy(own, isClients: true))
        #expect(rules.route(to: "a", choice: ProxyChoice("none")) == .direct)
        #expect(ProxyRules().route(to: "a", choice: nil) == .direct)
        #expect(ProxyChoice("direct") == nil)
    }
}

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
    func invalidProxyChoicesAreRefused(_ text: String) {
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
