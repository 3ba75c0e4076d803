import Model
import Testing

@Suite struct LinkRulesTests {
    @Test(
        arguments: [
            (401, true), (403, true), (410, true), (404, false), (407, false), (400, false), (500, false), (503, false),
        ]
    )
    func aLinkIsToBlameForSomeStatuses(_ status: Int, _ concerns: Bool) {
        #expect(LinkRules.concerns(DownloadError(httpStatus: status), isSuspect: false) == concerns)
    }

    @Test func aLinkIsToBlameForWhatIsNotTheFile() {
        let page = DownloadError(.badResponse, message: "a page", httpStatus: 200)

        #expect(LinkRules.concerns(page, isSuspect: true))
        #expect(!LinkRules.concerns(page, isSuspect: false))
    }

    /// Credentials that cannot be read have the code of a refusal, and no link mends them.
    @Test func aRefusalThatNobodyAnsweredIsNoLinks() {
        #expect(!LinkRules.concerns(DownloadError(.authRequired, message: "no key"), isSuspect: false))
    }

    @Test(
        arguments: [
            (400, nil), (401, nil), (403, nil), (410, nil), (422, nil),
            (404, .transient(.notFound)), (429, .transient(.untilGivenUp)), (503, .transient(.untilGivenUp)),
            (204, .transient(.tries(2))), (302, .transient(.tries(2))), (501, .transient(.tries(2))),
        ] as [(Int, FailureClass?)]
    )
    func whoHasNoLinkIsToldFromWhoIsInTrouble(_ status: Int, _ expected: FailureClass?) {
        #expect(LinkRules.failureClass(status: status) == expected)
    }
}
