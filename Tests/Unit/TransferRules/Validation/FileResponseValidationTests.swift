import Testing

@testable import Core
@testable import HTTPFields
@testable import TransferRules

/// What is asked of FTP and SFTP servers, and what follows from their word on a file.
struct FileResponseValidationTests {
    private static let old = HTTPDate(secondsSinceEpoch: 1_000_000)
    private static let epoch = HTTPDate(secondsSinceEpoch: 0)
    private static let now = HTTPDate(secondsSinceEpoch: 2_000_000)
    private static let validator = Validator(lastModified: old, isLastModifiedStrong: true, total: 100)

    private static func stored(
        _ durable: Int64,
        _ validator: Validator? = validator,
        hostHasNoRanges: Bool = false
    ) -> StoredState {
        StoredState(durableBytes: durable, validator: validator, hostHasNoRanges: hostHasNoRanges)
    }

    private static func request(from first: Int64?) -> SentRequest {
        SentRequest(range: first.map { RequestedRange(first: $0, last: nil, condition: .none(overlap: 0)) })
    }

    private static func response(_ size: Int64?, _ modifiedAt: HTTPDate? = old) -> FileResponse {
        FileResponse(size: size, modifiedAt: modifiedAt, receivedAt: now)
    }

    private static func from(_ first: Int64) -> ResumePlan {
        .range(from: first, through: nil, condition: .none(overlap: 0))
    }

    @Test(
        arguments: [
            (stored(0), 0, .plain), (stored(40), 40, from(40)), (stored(100), 100, from(100)),
            // Behind a hole, without a validator, by a weak one, without a size, after more bytes than there are.
            (stored(40), 30, .plain), (stored(40, nil), 40, .plain),
            (stored(40, Validator(lastModified: old, total: 100)), 40, .plain),
            (stored(40, Validator(lastModified: old, isLastModifiedStrong: true)), 40, .plain),
            (stored(40, Validator(etag: EntityTag("\"a\""), total: 100)), 40, .plain),
            // By a time that every version may have.
            (stored(40, Validator(lastModified: epoch, isLastModifiedStrong: true, total: 100)), 40, .plain),
            (stored(101), 101, .plain), (stored(40, hostHasNoRanges: true), 40, .plain),
        ] as [(StoredState, Int64, ResumePlan)]
    )
    func aTransferContinuesIfSizeAndTimeProveTheFile(_ stored: StoredState, _ position: Int64, _ plan: ResumePlan) {
        #expect(FileResponseValidation.plan(resuming: stored, at: position, trust: .full) == plan)
        #expect(FileResponseValidation.plan(resuming: stored, at: position, trust: .atEnd) == plan)
    }

    @Test(arguments: [(40, .plain), (100, from(100))] as [(Int64, ResumePlan)])
    func withoutAProvenStartAFileRestartsUnlessItIsWhole(_ durable: Int64, _ plan: ResumePlan) {
        #expect(FileResponseValidation.plan(resuming: Self.stored(durable), at: durable, trust: .never) == plan)
    }

    @Test(
        arguments: [
            (.ftp, false, .atEnd), (.ftp, true, .full), (.ftps, false, .never), (.ftps, true, .full),
            (.sftp, false, .full),
        ] as [(URLScheme, Bool, ResumeOffsetTrust)]
    )
    func aServerIsTakenAtItsWordAsFarAsItCanBeChecked(
        _ scheme: URLScheme,
        _ expectsDigest: Bool,
        _ trust: ResumeOffsetTrust
    ) {
        #expect(scheme.rules.offsetTrust(hasDigest: expectsDigest) == trust)
    }

    @Test(arguments: [true, false])
    func theEndOfABodyProvesItsLengthWhereItIsTheFiles(isEndProvable: Bool) {
        var response = Self.response(nil)
        response.isEndProvable = isEndProvable

        let decision = FileResponseValidation.validate(
            request: Self.request(from: nil),
            stored: Self.stored(0, nil),
            response: response
        )

        guard case .accept(let acceptance) = decision else {
            Issue.record("\(decision)")
            return
        }
        #expect(acceptance.isLengthProvable == isEndProvable)
    }

    @Test(
        arguments: [
            (response(99), .totalChanged), (response(101), .totalChanged), (response(0), .totalChanged),
            (response(nil), .validatorMissing), (response(100, nil), .validatorMissing),
            (response(100, HTTPDate(secondsSinceEpoch: 1_000_001)), .lastModifiedChanged),
            (response(100, HTTPDate(secondsSinceEpoch: 999_999)), .lastModifiedChanged),
        ] as [(FileResponse, RestartReason)]
    )
    func anythingButTheSameSizeAndTimeBeginsAnew(_ response: FileResponse, _ reason: RestartReason) {
        let decision = FileResponseValidation.validate(
            request: Self.request(from: 40),
            stored: Self.stored(40),
            response: response
        )

        #expect(decision == .restart(reason, withThisBody: nil))
    }

    @Test(
        arguments: [
            (response(100), true), (response(99), false), (response(nil), false), (response(100, nil), false),
            (response(100, HTTPDate(secondsSinceEpoch: 1_000_001)), false),
        ] as [(FileResponse, Bool)]
    )
    func aKnownVersionIsNotFetchedAgain(_ response: FileResponse, isKnown: Bool) {
        var request = Self.request(from: nil)
        request.known = KnownVersion(Self.validator, total: 100)

        let decision = FileResponseValidation.validate(
            request: request,
            stored: Self.stored(0, nil),
            response: response
        )

        #expect((decision == .notModified) == isKnown)
    }

    @Test func theSameSizeAndTimeLetItGoOn() {
        let decision = FileResponseValidation.validate(
            request: Self.request(from: 40),
            stored: Self.stored(40),
            response: Self.response(100)
        )

        let acceptance = AcceptedBody(
            writeOffset: 40,
            expectedLength: 60,
            total: 100,
            validator: Self.validator,
            isLengthProvable: true
        )
        #expect(decision == .accept(acceptance))
    }

    @Test func withEveryByteAtHandTheServerSaysWhetherTheFileIsTheSame() {
        let request = Self.request(from: 100)

        #expect(
            FileResponseValidation.validate(request: request, stored: Self.stored(100), response: Self.response(100))
                == .alreadyComplete
        )
        #expect(
            FileResponseValidation.validate(request: request, stored: Self.stored(100), response: Self.response(101))
                == .restart(.totalChanged, withThisBody: nil)
        )
    }

    @Test(arguments: [(100, true), (nil, true), (100, false)] as [(Int64?, Bool)])
    func aWholeFileIsTakenWithWhatProvesIt(_ size: Int64?, isOld: Bool) throws {
        let modifiedAt = isOld ? Self.old : HTTPDate(secondsSinceEpoch: 1_999_990)
        let response = Self.response(size, modifiedAt)

        let decision = FileResponseValidation.validate(
            request: Self.request(from: nil),
            stored: Self.stored(0, nil),
            response: response
        )

        guard case .accept(let acceptance) = decision else {
            Issue.record("\(decision)")
            return
        }
        #expect(acceptance.total == size && acceptance.expectedLength == size && acceptance.writeOffset == 0)
        #expect(acceptance.validator.isLastModifiedStrong == isOld)
        #expect(acceptance.validator.lastModified == modifiedAt)
    }

    @Test(
        arguments: [
            (response(100), .notResumable), (response(101), .totalChanged),
            (response(100, HTTPDate(secondsSinceEpoch: 1)), .lastModifiedChanged), (response(nil, nil), .notResumable),
        ] as [(FileResponse, RestartReason)]
    )
    func aWholeFileTakesThePlaceOfTheBytesAtHand(_ response: FileResponse, _ reason: RestartReason) {
        let decision = FileResponseValidation.validate(
            request: Self.request(from: nil),
            stored: Self.stored(40),
            response: response
        )

        guard case .restart(reason, withThisBody: let acceptance?) = decision else {
            Issue.record("\(decision)")
            return
        }
        #expect(acceptance.writeOffset == 0)
    }

    @Test func aFileThatHadBytesIsNotEmptyAtOnce() {
        let decision = FileResponseValidation.validate(
            request: Self.request(from: nil),
            stored: Self.stored(40),
            response: Self.response(0)
        )

        guard case .retry(let failure) = decision else {
            Issue.record("\(decision)")
            return
        }
        #expect(failure.failureClass == .transient(.retries(2)))
    }

    @Test func aRefusalToBeginThereIsAnAnswerToARequestThatAskedForIt() {
        let shorter = TransferFailure(curlCode: 36, stage: .header)
        let refused = TransferFailure(curlCode: 31, stage: .header)
        let missing = TransferFailure(curlCode: 78, stage: .header)

        #expect(
            FileResponseValidation.validate(request: Self.request(from: 40), failure: shorter)
                == .restart(.totalChanged, withThisBody: nil)
        )
        #expect(
            FileResponseValidation.validate(request: Self.request(from: 40), failure: refused)
                == .requestWithoutRange(.rangeNotSatisfiable, flagsHost: true)
        )
        #expect(FileResponseValidation.validate(request: Self.request(from: 40), failure: missing) == nil)
        #expect(FileResponseValidation.validate(request: Self.request(from: nil), failure: shorter) == nil)
    }

    @Test(
        arguments: [
            (67, 530, .authRequired, .credentials), (67, 421, .connectFailed, .transient(.untilGivenUp)),
            (9, 550, .fileNotFound, .transient(.notFound)), (9, 532, .authRequired, .credentials),
            (78, 550, .fileNotFound, .transient(.notFound)),
            (19, 450, .connectFailed, .transient(.untilGivenUp)), (19, 553, .badResponse, .transient(.retries(2))),
            (18, 426, .connectFailed, .transient(.untilGivenUp)), (13, 227, .badResponse, .transient(.retries(2))),
            (64, 500, .tlsFailed, .permanent),
        ] as [(Int, Int, DownloadError.Code, FailureClass)]
    )
    func aFailureIsWhatItsReplySays(
        _ curlCode: Int,
        _ reply: Int,
        _ code: DownloadError.Code,
        _ failureClass: FailureClass
    ) {
        let failure =
            TransferFailure(curlCode: curlCode, ftpReply: reply)
            ?? TransferFailure(curlCode: curlCode, stage: .header)

        #expect(failure.error.code == code)
        #expect(failure.failureClass == failureClass)
    }
}
