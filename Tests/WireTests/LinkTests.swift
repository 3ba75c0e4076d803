import API
import Core
import ServiceSupport
import Testing

@Suite struct LinkTests {
    @Test func aQuestionIsWrittenAsDescribedAndTellsNoSecret() throws {
        var download = try Samples.full(.running)
        download.attempts.count = 2
        let question = LinkQuestion(
            download,
            link: download.request.url,
            reason: DownloadError(httpStatus: 403),
            at: Timestamp(milliseconds: 0)
        )
        let bytes = WireEncoder.encode(question: question)

        #expect(try Contract.shared.violations(JSONValue(parsing: bytes), schema: "LinkQuestion") == [])
        let text = String(decoding: bytes, as: UTF8.self)
        #expect(text.contains(#""url":"https://cdn.example/a.iso?sig=REDACTED""#))
        #expect(text.contains(#""type":"link.refused""#) && text.contains(#""http_status":403"#))
    }

    @Test(
        arguments: [
            (#"{"url":"https://a.example/f?sig=2"}"#, "https://a.example/f?sig=2"),
            (#"{"expires":1,"url":"http://u:p@a.example/"}"#, "http://u:p@a.example/"),
            (#"{"url":null}"#, nil), (#"{"url":1}"#, nil), (#"{"url":""}"#, nil), (#"{"url":"/f"}"#, nil),
            (#"{"url":"ftp://a.example/f"}"#, nil), (#"{"url":"http://a b/"}"#, nil), (#"["http://a/"]"#, nil),
            ("{}", nil), ("", nil), ("<html>", nil), (#"{"url":"http://a/","url":"http://b/"}"#, nil),
        ] as [(String, String?)]
    )
    func anAnswerIsReadStrictly(_ text: String, _ link: String?) {
        #expect(WireDecoder.link(Array(text.utf8)) == link)
    }

    @Test func aLinkThatIsTooLongIsNone() {
        let text = #"{"url":"http://a/\#(String(repeating: "x", count: 8192))"}"#

        #expect(WireDecoder.link(Array(text.utf8)) == nil)
    }
}
