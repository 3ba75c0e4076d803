extension RawRequest {
    static let chunkLines: [Self] = [
        .init("two chunks", chunks("3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n"), "200 closed", echo: "POST / - abcde "),
        .init("a size in capitals", chunks("A\r\n0123456789\r\n0\r\n\r\n"), "200 closed", echo: "POST / - 0123456789 "),
        .init(
            "a size in small letters",
            chunks("a\r\n0123456789\r\n0\r\n\r\n"),
            "200 closed",
            echo: "POST / - 0123456789 "
        ),
        .init("a size with zeros before it", chunks("0003\r\nabc\r\n000\r\n\r\n"), "200 closed", echo: "POST / - abc "),
        .init(
            "an extension",
            chunks("3;x\r\nabc\r\n0\r\n\r\n"),
            "200 closed",
            echo: "POST / - abc ",
            differs: .extension
        ),
        .init(
            "an extension with a value",
            chunks("3;x=\"y\"\r\nabc\r\n0;z\r\n\r\n"),
            "200 closed",
            echo: "POST / - abc ",
            differs: .extension
        ),
        .init(
            "an extension of the last chunk",
            chunks("3\r\nabc\r\n0;z\r\n\r\n"),
            "200 closed",
            echo: "POST / - abc ",
            differs: .extension
        ),
        .init(
            "a space before an extension",
            chunks("3 ;x\r\nabc\r\n0\r\n\r\n"),
            badPage,
            differs: .spaceBeforeExtension
        ),
        .init("a space behind a size", chunks("3 \r\nabc\r\n0\r\n\r\n"), badPage),
        .init("a space before a size", chunks(" 3\r\nabc\r\n0\r\n\r\n"), badPage),
        .init("a trailer", chunks("1\r\na\r\n0\r\nX: v\r\n\r\n"), "200 closed", echo: "POST / - a "),
        .init("a trailer with Content-Length", chunks("1\r\na\r\n0\r\nContent-Length: 9\r\n\r\n"), "200 closed"),
        .init("a trailer without colon", chunks("1\r\na\r\n0\r\nfield\r\n\r\n"), badPage),
        .init("a folded trailer", chunks("1\r\na\r\n0\r\nX: v\r\n w\r\n\r\n"), badPage, differs: .unseen),
        .init("NUL in a trailer", chunks("1\r\na\r\n0\r\nX: v\0w\r\n\r\n"), badPage, differs: .unseen),
        .init("a bare line feed behind a trailer", chunks("1\r\na\r\n0\r\nX: v\n\r\n"), badPage, differs: .unseen),
        .init("a bare line feed behind the last chunk", chunks("1\r\na\r\n0\n\r\n"), badPage, differs: .unseen),
        .init("a bare line feed as the last line", chunks("1\r\na\r\n0\r\n\n"), badPage, differs: .unseen),
        .init("a bare line feed behind a size", chunks("3\nabc\r\n0\r\n\r\n"), badFraming, page: .since1),
        .init("a bare line feed behind an extension", chunks("3;x\nabc\r\n0\r\n\r\n"), badFraming, page: .since1),
        .init("a bare line feed behind data", chunks("1\r\na\n2\r\nbc\r\n0\r\n\r\n"), badFraming, page: .since1),
        .init("a bare line feed behind the last data", chunks("1\r\na\n0\r\n\r\n"), badPage, differs: .unseen),
        .init("a carriage return in an extension", chunks("3;x\ry\r\nabc\r\n0\r\n\r\n"), badFraming, page: .since1),
        .init("a carriage return behind a size", chunks("3\rabc\r\n0\r\n\r\n"), badPage),
        .init("NUL in an extension", chunks("3;\0\r\nabc\r\n0\r\n\r\n"), "200 closed", differs: .extension),
        .init("no line end behind data", chunks("3\r\nabcde\r\n0\r\n\r\n"), badPage),
        .init("an empty size", chunks("\r\nabc\r\n0\r\n\r\n"), badPage),
        .init("a size that is no number", chunks("z\r\nabc\r\n0\r\n\r\n"), badPage),
        .init("a size in the C notation", chunks("0x3\r\nabc\r\n0\r\n\r\n"), badPage),
        .init("a size below 0", chunks("-3\r\nabc\r\n0\r\n\r\n"), badPage),
        .init("a size with a plus", chunks("+3\r\nabc\r\n0\r\n\r\n"), badPage),
        .init("a size of 2 to the 64th", chunks("10000000000000000\r\nabc"), "413 page closed"),
        .init("a size of 40 digits", chunks("\(repeated("f", 40))\r\nabc"), "413 page closed"),
        .init(
            "a size beyond the limit",
            chunks("100001\r\n\(repeated("a", 1_048_577))"),
            "413 content-too-large closed"
        ),
        .init(
            "an extension of 40,000 bytes",
            chunks("3;\(repeated("x", 40_000))\r\nabc\r\n0\r\n\r\n"),
            "413 page closed",
            differs: .longExtension
        ),
        .init("a trailer of 40,000 bytes", chunks("0\r\nX: \(repeated("x", 40_000))\r\n\r\n"), "431 page closed"),
        .init("a request hidden behind chunks", chunks("0\r\n\r\n") + line("GET /2 HTTP/1.1"), "200 closed"),
    ]
}
