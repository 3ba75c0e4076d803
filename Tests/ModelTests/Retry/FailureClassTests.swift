import Core
import Testing
import TransferRules

@Suite struct FailureClassTests {
    @Test(
        arguments: [
            (400, .permanent), (401, .credentials), (403, .credentials), (404, .transient(.notFound)),
            (407, .credentials), (408, .transient(.untilGivenUp)), (410, .permanent), (412, .permanent),
            (416, .permanent), (425, .transient(.untilGivenUp)), (429, .transient(.untilGivenUp)), (451, .permanent),
            (500, .transient(.untilGivenUp)), (501, .transient(.tries(2))), (502, .transient(.untilGivenUp)),
            (503, .transient(.untilGivenUp)), (504, .transient(.untilGivenUp)), (505, .transient(.tries(2))),
            (508, .transient(.tries(2))), (511, .transient(.middlebox)), (520, .transient(.untilGivenUp)),
            (524, .transient(.untilGivenUp)), (525, .transient(.tries(2))), (599, .transient(.tries(2))),
        ] as [(Int, FailureClass)]
    )
    func aStatusHasItsClass(_ status: Int, failureClass: FailureClass) {
        #expect(FailureClass(httpStatus: status) == failureClass)
        #expect(DownloadError(httpStatus: status).failureClass == failureClass)
    }

    @Test(
        arguments: [
            (1, .protocolForbidden, .permanent), (3, .internal, .permanent),
            (5, .dnsFailure, .transient(.untilGivenUp)), (6, .dnsFailure, .transient(.untilGivenUp)),
            (7, .connectFailed, .transient(.untilGivenUp)), (8, .badResponse, .transient(.tries(2))),
            (16, .connectFailed, .transient(.untilGivenUp)), (18, .connectFailed, .transient(.untilGivenUp)),
            (23, .ioError, .io), (27, .internal, .transient(.untilGivenUp)),
            (28, .lowSpeed, .transient(.untilGivenUp)), (33, .rangeUnsupported, .startOver(tries: 3)),
            (35, .tlsFailed, .transient(.tries(3))), (47, .tooManyRedirects, .permanent),
            (52, .connectFailed, .transient(.untilGivenUp)), (55, .connectFailed, .transient(.untilGivenUp)),
            (56, .connectFailed, .transient(.untilGivenUp)), (58, .tlsFailed, .permanent), (60, .tlsFailed, .permanent),
            (61, .contentDecoding, .startOver(tries: 1)), (63, .tooLarge, .permanent),
            (80, .tlsFailed, .transient(.tries(3))), (92, .connectFailed, .transient(.untilGivenUp)),
            (97, .connectFailed, .transient(.untilGivenUp)), (98, .tlsFailed, .permanent),
            (9999, .internal, .transient(.tries(3))),
        ] as [(Int, DownloadError.Code, FailureClass)]
    )
    func aTransportCodeHasItsClass(_ transportCode: Int, code: DownloadError.Code, failureClass: FailureClass) {
        let failure = TransferFailure(transportCode: transportCode, stage: .body)

        #expect(failure.error.code == code)
        #expect(failure.failureClass == failureClass)
        #expect(failure.error.transportCode == transportCode)
    }

    @Test func theStageTellsTimeoutsAndBrokenHeadsApart() {
        #expect(TransferFailure(transportCode: 28, stage: .header).error.code == .timeout)
        #expect(TransferFailure(transportCode: 56, stage: .header).error.code == .connectFailed)
        #expect(TransferFailure(transportCode: 61, stage: .header).failureClass == .transient(.tries(2)))
    }

    @Test func everyCodeIsSnakeCase() {
        for code in DownloadError.Code.allCases {
            #expect(code.rawValue.utf8.allSatisfy { $0 == UInt8(ascii: "_") || (0x61...0x7A).contains($0) })
        }
    }
}
