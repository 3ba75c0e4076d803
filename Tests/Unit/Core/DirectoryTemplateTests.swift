import Testing

@testable import Core

@Suite
struct DirectoryTemplateTests {
    /// 2026-03-09T23:59:59Z.
    private static let now = Timestamp(milliseconds: 1_773_100_799_999)

    private static func request(_ labels: String? = nil, session: String? = "nightly") -> DownloadRequest {
        var request = DownloadRequest(url: DownloadURL(normalized: "https://files.example.com:8443/a/b.iso"))
        request.session = session.flatMap(SessionName.init)
        request.labels = labels.map(JSONText.init(canonical:))
        return request
    }

    private func expanded(_ template: String, _ request: DownloadRequest) throws -> String {
        try DirectoryTemplate(parsing: template).expanded(for: request, at: Self.now).path
    }

    @Test(arguments: [
        ("isos/debian", "isos/debian"),
        ("{host}", "files.example.com"),
        ("{session}/{host}", "nightly/files.example.com"),
        ("{year}/{month}/{day}", "2026/03/09"),
        ("{year}-{month}-{day} of {session}", "2026-03-09 of nightly"),
        ("{label:show}/season {label:season}", "Ghosts/season 2"),
        ("{{host}}", "{host}"),
        ("a{{b}}c{{", "a{b}c{"),
        ("{{{host}}}", "{files.example.com}"),
    ])
    func variablesAreReplaced(_ template: String, _ path: String) throws {
        #expect(try expanded(template, Self.request(#"{"season":"2","show":"Ghosts"}"#)) == path)
    }

    /// No value adds a folder, leaves the folder or hides it.
    @Test(arguments: [
        ("../../etc", "_.._etc"), ("a/b", "a_b"), (#"a\\b"#, "a_b"), ("/etc", "_etc"), (".hidden", "hidden"),
        ("x.", "x"), (" x ", "x"), ("con", "_con"), (#"say \"hi\""#, #"say "hi""#), (#"a\nb\u0007c"#, "abc"),
        ("{host}", "{host}"), ("é", "é"),
    ])
    func aValueIsSanitisedLikeAName(_ value: String, _ name: String) throws {
        #expect(try expanded("in/{label:a}/x", Self.request(#"{"a":"\#(value)"}"#)) == "in/\(name)/x")
    }

    @Test(arguments: ["", ".", "..", "...", " ", #"\u0001"#, "\u{200B}"])
    func aValueWithoutANameIsRefused(_ value: String) {
        #expect(throws: InvalidTemplate.blank("{label:a}")) {
            try expanded("{label:a}", Self.request(#"{"a":"\#(value)"}"#))
        }
    }

    @Test(arguments: [
        ("{session}", "{session}"), ("{label:a}", "{label:a}"), ("x/{label:b c}", "{label:b c}"),
    ])
    func anAbsentValueIsRefused(_ template: String, _ variable: String) {
        #expect(throws: InvalidTemplate.absent(variable)) {
            try expanded(template, Self.request(#"{"b":"1"}"#, session: nil))
        }
    }

    /// Each part may be fine alone.
    @Test(arguments: [
        ("com{label:a}", InvalidName.reserved), ("{label:long}{label:long}", .tooLong),
    ])
    func aPathThatIsNoneAfterwardsIsRefused(_ template: String, _ fault: InvalidName) {
        let long = String(repeating: "x", count: 200)
        #expect(throws: InvalidTemplate.name(fault)) {
            try expanded(template, Self.request(#"{"a":"1","long":"\#(long)"}"#))
        }
    }

    @Test(
        arguments: [
            ("{", .strayBrace), ("}", .strayBrace), ("a{host", .strayBrace), ("host}", .strayBrace),
            ("{host{session}", .strayBrace), ("{}", .unknownVariable("")), ("{Host}", .unknownVariable("Host")),
            ("{label:}", .unknownVariable("label:")), ("{label}", .unknownVariable("label")),
            ("{hour}", .unknownVariable("hour")), ("", .name(.empty)), ("/etc", .name(.separator)),
            ("{host}/..", .name(.dots)), ("a//b", .name(.empty)), (".{host}", .name(.hidden)),
            ("{host}.", .name(.outerSpaceOrDot)), ("{host}/", .name(.empty)),
        ] as [(String, InvalidTemplate)]
    )
    func aTemplateThatIsNoneIsRefused(_ template: String, _ fault: InvalidTemplate) {
        #expect(throws: fault) { try DirectoryTemplate(parsing: template) }
    }

    @Test func anUnknownVariableIsAnsweredWithTheKnownOnes() {
        for variable in ["{host}", "{session}", "{year}", "{month}", "{day}", "{label:key}"] {
            #expect(InvalidTemplate.unknownVariable("x").explanation.contains(variable))
        }
    }
}
