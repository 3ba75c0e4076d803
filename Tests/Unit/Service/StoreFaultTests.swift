import Core
import Glibc
import Linux
import Logging
import Store
import TestSupport
import Testing
import Transfer

@testable import Service

@Suite(.hangLimit)
struct OutcomeRecorderTests {
    private let time = ManualTime()
    private let tries = Signal()

    private func recorder() -> OutcomeRecorder {
        OutcomeRecorder(time: time.source, logger: Logger(label: "tests") { _ in SwiftLogNoOpLogHandler() })
    }

    /// Fails with each of `errors` in turn, then returns the number of tries.
    private func write(_ errors: [StoreError]) throws -> Int {
        tries.fire()
        let number = tries.count
        guard number > errors.count else { throw errors[number - 1] }
        return number
    }

    @Test(
        arguments: [
            [], [.full], [.unavailable("locked"), .refused("CHECK")], [.failed("x"), .refused("x"), .misuse("x")],
        ]
            as [[StoreError]]
    )
    func aRecordIsRepeatedUntilTheStoreAcceptsIt(_ errors: [StoreError]) async {
        let recorded = Task { await recorder().record([:]) { try write(errors) } }
        for seconds in [1, 2, 4].prefix(errors.count) {
            await time.sleepers(atLeast: 1)
            time.advance(by: .seconds(seconds))
        }

        #expect(await recorded.value == errors.count + 1)
    }

    @Test(arguments: [StoreError.closed, .outcomeUnknown, .corrupt("x")])
    func aStoreThatWritesNothingMoreIsLeftToTheNextStart(_ error: StoreError) async {
        #expect(await recorder().record([:]) { try write([error]) } == nil)
        #expect(tries.count == 1)
    }

    @Test(arguments: [([], 1), ([.full], nil)] as [([StoreError], Int?)])
    func aTaskThatIsCancelledTriesOnce(_ errors: [StoreError], _ expected: Int?) async {
        let isCancelled = Signal()
        let task = Task {
            await isCancelled.wait()
            return await recorder().record([:]) { try write(errors) }
        }
        task.cancel()
        isCancelled.fire()

        #expect(await task.value == expected)
        #expect(tries.count == 1)
    }
}

/// What a fault of the store or of the disk means to a caller.
struct FaultTests {
    @Test(arguments: [
        (StoreError.full, ServiceError.insufficientStorage), (.unavailable("locked"), .overloaded),
        (.closed, .draining),
        (.outcomeUnknown, .outcomeUnknown),
    ])
    func aKnownFaultOfTheStoreHasItsOwnAnswer(_ error: StoreError, _ expected: ServiceError) {
        #expect(ServiceError(error as any Error) == expected)
    }

    @Test(arguments: [
        StoreError.refused("CHECK"), .misuse("x"), .failed("x"), .corrupt("x"), .unreadable("state 'x'"),
        .unknownSchema(found: "2", known: "1"),
        .cannotOpen("x"),
    ])
    func anyOtherIsAFaultOfTheService(_ error: StoreError) {
        #expect(ServiceError(error as any Error) == .internal(cause: "\(error)"))
    }

    @Test func otherErrorsOfTheStoreAreInternalErrors() {
        let error = SystemError(code: EIO, call: "read")

        #expect(ServiceError(error as any Error) == .internal(cause: "the store: \(error)"))
    }

    @Test func aFileThatCannotBeOpenedIsNotGone() {
        #expect(ServiceError(opening: FilesUnavailable(SystemError(code: EMFILE, call: "open"))) == .overloaded)
        for code in [EIO, EACCES, ENOMEM] {
            guard case .internal = ServiceError(opening: FilesUnavailable(SystemError(code: code, call: "open"))) else {
                Issue.record("errno \(code) is no fault of the service")
                continue
            }
        }
    }
}

@Suite struct ErrorTextTests {
    /// A line of the log is for people: no enumeration case and no memory address.
    @Test(
        arguments: [
            (StoreError.full, "the disk is full"),
            (StoreError.failed("SQLite error 10"), "the database cannot be used: SQLite error 10"),
            (
                StoreError.unavailable("another process has locked it"),
                "the database cannot be used now: another process has locked it"
            ),
            (StoreError.unreadableDownloads([UnreadableDownload(id: "x", reason: "y")]), "records cannot be read: x"),
            (ServiceError.internal(cause: "SQLite error 10"), "SQLite error 10"),
            (ServiceError.unprocessable([Violation("/url", .malformed, "No URL.")]), "/url: No URL."),
            (ServiceError.insufficientStorage, "the disk is full"),
        ] as [(any Error, String)]
    )
    func anErrorIsAPartOfASentence(_ error: any Error, _ text: String) {
        #expect("\(error)" == text)
    }
}
