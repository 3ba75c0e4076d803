extension RawRequest {
    static let lengths: [Self] = [
        .init("a length", length(" 3", "abc"), "200 open", echo: "POST / - abc "),
        .init("a length of 0", length(" 0"), "200 open", echo: "POST / -  "),
        .init("a length with zeros before it", length(" 003", "abc"), "200 open", echo: "POST / - abc "),
        .init(
            "a length before a space",
            length(" 3 ", "abc"),
            "200 open",
            echo: "POST / - abc ",
            differs: .spaceBehindLength
        ),
        .init("a length behind a tab", length("\t3", "abc"), "200 open", echo: "POST / - abc "),
        .init("a length without space", length("3", "abc"), "200 open", echo: "POST / - abc "),
        .init("an empty length", length(""), badPage, differs: .headTwice),
        .init("a length with a plus", length(" +3", "abc"), badPage, differs: .headTwice),
        .init("a length below 0", length(" -1"), badPage, differs: .headTwice),
        .init("a length in hexadecimal", length(" 0x3", "abc"), badPage, differs: .headTwice),
        .init("a length with a letter", length(" 3x", "abc"), badPage, differs: .headTwice),
        .init("a length with a fraction", length(" 3.0", "abc"), badPage, differs: .headTwice),
        .init("a length with a space in it", length(" 3 3", "abc"), badPage, differs: .headTwice),
        .init("a list of lengths", length(" 3, 3", "abc"), badPage, differs: .headTwice),
        .init("a length with NUL", length(" 3\01", "abc"), badField, page: .since1),
        .init("a length of 2 to the 64th", length(" 18446744073709551616"), "413 page closed", differs: .hugeLength),
        .init(
            "a length of 2 to the 64th less 1",
            length(" 18446744073709551615"),
            "413 content-too-large closed",
            page: .since1
        ),
        .init("a length of 30 digits", length(" \(repeated("9", 30))"), "413 page closed", differs: .hugeLength),
        .init("a length beyond the limit", length(" 1048577"), "413 content-too-large closed"),
        .init("two equal lengths", post("Content-Length: 3\r\nContent-Length: 3", "abc"), badFraming, page: .newest),
        .init(
            "two different lengths",
            post("Content-Length: 3\r\nContent-Length: 4", "abcd"),
            badFraming,
            page: .newest
        ),
        .init(
            "a second length that is no number",
            post("Content-Length: 3\r\nContent-Length: x", "abc"),
            badFraming,
            page: .newest
        ),
        .init("a GET with a body", get("Content-Length: 3\r\n") + "abc", "200 open", echo: "GET / - abc "),
        .init(
            "a length of HTTP/1.0",
            "POST / HTTP/1.0\r\nContent-Length: 3\r\n\r\nabc",
            "200 closed",
            echo: "POST / - abc "
        ),
    ]

    static let codings: [Self] = [
        .init("chunked", coding(" chunked"), "200 closed", echo: "POST / -  "),
        .init("chunked in capitals", coding(" CHUNKED"), "200 closed"),
        .init("chunked before a space", coding(" chunked "), "200 closed", differs: .spaceBehindCoding),
        .init("chunked before a tab", coding("\tchunked\t"), "200 closed", differs: .spaceBehindCoding),
        .init(
            "chunked and a length",
            post("Content-Length: 3\r\nTransfer-Encoding: chunked", "0\r\n\r\n"),
            badFraming,
            page: .since1
        ),
        .init(
            "a length behind chunked",
            post("Transfer-Encoding: chunked\r\nContent-Length: 3", "0\r\n\r\n"),
            badFraming,
            page: .since1
        ),
        .init(
            "chunked and a length of 0",
            post("Content-Length: 0\r\nTransfer-Encoding: chunked", "0\r\n\r\n"),
            badFraming,
            page: .since1
        ),
        .init(
            "chunked twice in one field",
            coding(" chunked, chunked"),
            badFraming,
            page: .v1_0_1,
            differs: .unknownCoding
        ),
        .init(
            "chunked in two fields",
            post("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked", "0\r\n\r\n"),
            badFraming,
            page: .newest
        ),
        .init("gzip and chunked", coding(" gzip, chunked"), badFraming, page: .v1_0_1, differs: .unknownCoding),
        .init(
            "gzip in a field before chunked",
            post("Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked", "0\r\n\r\n"),
            badFraming,
            page: .v1_0_1,
            differs: .unknownCoding
        ),
        .init(
            "gzip in a field behind chunked",
            post("Transfer-Encoding: chunked\r\nTransfer-Encoding: gzip", "0\r\n\r\n"),
            badFraming,
            page: .newest
        ),
        .init("an unknown coding", coding(" xchunked"), badFraming, page: .v1_0_1, differs: .unknownCoding),
        .init("identity", coding(" identity", ""), badFraming, page: .v1_0_1, differs: .unknownCoding),
        .init("an empty coding", coding("", ""), badFraming, page: .v1_0_1, differs: .unknownCoding),
        .init(
            "an unknown coding and a length",
            post("Transfer-Encoding: x\r\nContent-Length: 3", "abc"),
            badFraming,
            page: .v1_0_1,
            differs: .unknownCoding
        ),
        .init("chunked with a parameter", coding(" chunked;a=b"), badFraming, page: .v1_0_1, differs: .unknownCoding),
        .init("chunked behind a comma", coding(" ,chunked"), badFraming, page: .v1_0_1, differs: .unknownCoding),
        .init("chunked in quotes", coding(" \"chunked\""), badFraming, page: .v1_0_1, differs: .unknownCoding),
        .init("chunked with a vertical tab", coding(" \u{b}chunked"), badField, page: .v1_0_1, differs: .unknownCoding),
        .init(
            "chunked with the Kelvin sign",
            coding(" chun\u{e2}\u{84}\u{aa}ed"),
            badFraming,
            page: .v1_0_1,
            differs: .unknownCoding
        ),
        .init(
            "chunked before a space and a colon",
            post("Transfer-Encoding : chunked", "0\r\n\r\n"),
            badField,
            page: .since1
        ),
        .init(
            "chunked of HTTP/1.0",
            "POST / HTTP/1.0\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            badFraming,
            page: .newest
        ),
        .init(
            "a GET with chunks",
            get("Transfer-Encoding: chunked\r\n") + "1\r\na\r\n0\r\n\r\n",
            "200 closed",
            echo: "GET / - a "
        ),
    ]
}
