import Glibc
import Testing

@testable import Linux

@Suite struct FileLockTests {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    @Test func aSecondLockSaysWhoHoldsTheFirst() throws {
        let lock = try FileLock(path: folder.path + "/lock")

        #expect(throws: FileLockError.held(byProcess: getpid())) { try FileLock(path: folder.path + "/lock") }
        withExtendedLifetime(lock) {}
    }

    @Test func aHolderThatWroteNothingReadableIsUnknown() throws {
        let lock = try FileLock(path: folder.path + "/lock")
        try folder.write("not a number", to: "lock")

        #expect(throws: FileLockError.held(byProcess: nil)) { try FileLock(path: folder.path + "/lock") }
        withExtendedLifetime(lock) {}
    }

    @Test func aReleasedLockIsFreeAndItsFileStays() throws {
        let lock = try FileLock(path: folder.path + "/lock")

        lock.release()
        lock.release()

        #expect(throws: Never.self) { try FileLock(path: folder.path + "/lock") }
        #expect(try folder.directory.exists("lock"))
    }

    @Test func aLongerNumberLeftBehindIsOverwritten() throws {
        try folder.write("99999999999999999999\n", to: "lock")

        let lock = try FileLock(path: folder.path + "/lock")

        #expect(try folder.text(of: "lock") == "\(getpid())\n")
        withExtendedLifetime(lock) {}
    }

    @Test func aMissingFolderIsNoConflict() {
        let expected = FileLockError.unavailable(SystemError(code: ENOENT, call: "open"))

        #expect(throws: expected) { try FileLock(path: folder.path + "/none/lock") }
    }

    @Test func aLockThatIsRemovedWithItsReleaseLeavesNothing() throws {
        let lock = try FileLock.acquire("lock", in: folder.directory)

        #expect(throws: FileLockError.held(byProcess: getpid())) { try FileLock.acquire("lock", in: folder.directory) }
        lock.releaseRemoving("lock", in: folder.directory)

        #expect(try !folder.directory.exists("lock"))
        #expect(throws: Never.self) { try FileLock.acquire("lock", in: folder.directory) }
    }

    @Test func aLockOnARemovedFileBlocksNoOtherProcess() throws {
        let lock = try FileLock.acquire("lock", in: folder.directory)
        try folder.directory.remove("lock")

        let other = try FileLock.acquire("lock", in: folder.directory)

        #expect(try folder.text(of: "lock") == "\(getpid())\n")
        withExtendedLifetime((lock, other)) {}
    }

    @Test func aLinkIsNoLockFile() throws {
        try folder.write("", to: "target")
        #expect(symlink(folder.path + "/target", folder.path + "/lock") == 0)

        let expected = FileLockError.unavailable(SystemError(code: ELOOP, call: "openat2"))
        #expect(throws: expected) { try FileLock.acquire("lock", in: folder.directory) }
    }
}
