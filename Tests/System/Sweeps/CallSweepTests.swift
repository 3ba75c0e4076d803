import TestSupport
import Testing

/// Each call on files of a short life, those of the database among them, is the one at which the program is killed or
/// that fails. The client repeats its requests, and at the end nothing is lost, damaged or doubled.
///
/// Some of the calls in the ordinary run, all with `CORMORANT_TEST_CALLS=all`, and one by its number. One fault alone
/// with `CORMORANT_TEST_FAULT`, such as `killAfter`.
@Suite(
    .serialized,
    .timeLimit(.minutes(180)),
    .enabled(if: CallFaults.isAllowed, Comment(rawValue: CallFaults.reason))
)
struct CallSweepTests {
    @Test
    func aFaultDuringADownloadLosesDamagesAndDoublesNothing() async {
        await CallSweep(lives: [.download]).run()
    }

    @Test
    func aFaultDuringAMoveLeavesTheFileAtOneOfBothPlaces() async {
        await CallSweep(lives: [.move]).run()
    }

    @Test
    func aFaultDuringAForcedRunLeavesTheOldFileOrTheNewOne() async {
        await CallSweep(lives: [.forcedRun]).run()
    }

    @Test
    func aFaultDuringAnExpiryLeavesTheFileWholeOrGone() async {
        await CallSweep(lives: [.expiry]).run()
    }

    @Test
    func aFaultDuringABulkDeletionLeavesNoFileWithoutARecord() async {
        await CallSweep(lives: [.bulkDeletion]).run()
    }

    @Test
    func aFaultDuringABackupLeavesAWholeCopyOrNone() async {
        await CallSweep(lives: [.backup]).run()
    }

    @Test
    func aFaultDuringAMigrationLosesNoRecord() async {
        await CallSweep(lives: [.migration]).run()
    }

    @Test
    func aFaultDuringTheRecoveryFromAKillLosesDamagesAndDoublesNothing() async {
        await CallSweep(lives: Life.recoveries).run()
    }
}
