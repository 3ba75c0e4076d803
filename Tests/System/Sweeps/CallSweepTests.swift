import TestSupport
import Testing

/// Each call on files of a short life, those of the database among them, is the one at which the program is killed or
/// that fails. The client repeats its requests, and at the end nothing is lost, damaged or doubled.
///
/// Some of the calls in the ordinary run, all with `CORMORANT_TEST_CALLS=all`, and one by its number.
@Suite(
    .serialized,
    .timeLimit(.minutes(30)),
    .enabled(if: CallFaults.isAllowed, Comment(rawValue: CallFaults.reason))
)
struct CallSweepTests {
    @Test(arguments: SweptFault.allCases)
    func aFaultDuringADownloadLosesDamagesAndDoublesNothing(_ fault: SweptFault) async throws {
        try await CallSweep(life: .download, fault: fault).run()
    }

    @Test(arguments: SweptFault.allCases)
    func aFaultDuringAMoveLeavesTheFileAtOneOfBothPlaces(_ fault: SweptFault) async throws {
        try await CallSweep(life: .move, fault: fault).run()
    }

    @Test(arguments: SweptFault.allCases)
    func aFaultDuringAForcedRunLeavesTheOldFileOrTheNewOne(_ fault: SweptFault) async throws {
        try await CallSweep(life: .forcedRun, fault: fault).run()
    }
}
