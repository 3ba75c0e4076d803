extension RawRequest {
    /// Outcomes that differ on some versions of libmicrohttpd, and why the server cannot make them the same.
    struct Difference: Sendable {
        let outcomes: [Library: String]
        let reason: String

        private init(_ outcomes: [Library: String], _ reason: String) {
            self.outcomes = outcomes
            self.reason = reason
        }
    }
}

extension RawRequest.Difference {
    static let unanswered = Self(
        [.v1_0_1: "closed", .newest: "closed"],
        "1.0 closes without an answer what does not look like HTTP"
    )
    static let emptyLines = Self(
        [.v1_0_1: "closed", .newest: "closed"],
        "at its strict level, 1.0 skips one empty line; 0.9.75 skips any, before the first callback"
    )
    static let nulAsCarriageReturn = Self(
        [.v0_9: "200 open"],
        "0.9.75 makes NUL of CR LF, so that both look alike at the first callback"
    )
    static let headTwice = headTwice("400")
    static let headOfLargeCookieTwice = headTwice("431")
    static let hugeLength = Self(
        [.v0_9: "413 page excess closed", .newest: "400 page closed"],
        "0.9.75 sends the head of this answer twice; 1.0.10 takes the text for no number"
    )
    static let spaceBehindLength = Self(
        [.v0_9: "400 page excess closed"],
        "0.9.75 takes the space for a part of the number"
    )
    static let spaceBehindCoding = Self(
        [.v0_9: "400 bad-framing closed"],
        "0.9.75 takes the space for a part of the coding, and does not read the chunks"
    )
    static let unknownCoding = Self(
        [.newest: "501 page closed"],
        "1.0.10 answers 501, before the first callback (RFC 9112, section 6.1, recommends it)"
    )
    static let `extension` = Self(
        [.v1_0_1: "400 page closed"],
        "1.0.1 takes the line feed behind an extension for the first byte of the data"
    )
    static let longExtension = Self(
        [.v0_9: "500 page closed", .v1_0_1: "closed"],
        "0.9.75 takes it for data that was not handled; 1.0.1 answers twice, and closes in between"
    )
    static let spaceBeforeExtension = Self(
        [.newest: "200 closed"],
        "1.0.10 allows it; the server does not see lines between chunks"
    )
    static let unseen = Self(
        [.v0_9: "200 closed"],
        "0.9.75 accepts it, and has overwritten it at the next callback"
    )
    static let invitation = Self(
        [.v0_9: "100 200 open"],
        "0.9.75 also sends `100 Continue` if the body is already there, or if there is none"
    )

    private static func headTwice(_ status: String) -> Self {
        Self([.v0_9: "\(status) page excess closed"], "0.9.75 sends the head of this answer twice")
    }
}
