import Glibc
import Linux
@testable import Service
import Store
import Testing

/// What a fault of the store or of the disk means to a caller.
struct FaultTests {
    @Test(arguments: [
        (StoreError.full, JobError.insufficientStorage), (.busy, .overloaded), (.closed, .draining),
        (.outcomeUnknown, .outcomeUnknown),
    ])
    func aKnownFaultOfTheStoreHasItsOwnAnswer(_ error: StoreError, _ answer: JobError) async {
        await #expect(throws: answer) { try await stored { throw error } }
    }

    @Test(arguments: [
        StoreError.refused("CHECK"), .misuse("x"), .failed("x"), .corrupt("x"), .unreadable("state 'x'"), .newerSchema,
        .cannotOpen("x"),
    ])
    func anyOtherIsAFaultOfTheService(_ error: StoreError) async {
        await #expect(throws: JobError.internal(cause: "\(error)")) { try await stored { throw error } }
    }

    @Test func whatIsNoErrorOfTheStoreIsAFaultOfTheServiceToo() async {
        let error = SystemError(code: EIO, call: "read")

        await #expect(throws: JobError.internal(cause: "the store: \(error)")) { try await stored { throw error } }
    }

    @Test func aFileThatCannotBeOpenedIsNotGone() {
        #expect(JobError(opening: SystemError(code: EMFILE, call: "openat2")) == .overloaded)
        for code in [EIO, EACCES, ENOMEM] {
            guard case .internal = JobError(opening: SystemError(code: code, call: "openat2")) else {
                Issue.record("errno \(code) is no fault of the service")
                continue
            }
        }
    }
}
