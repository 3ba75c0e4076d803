import CLinux
import Glibc
import Testing

@testable import Linux

@Suite struct FileTests {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    @Test func bytesAreReadWhereTheyWereWritten() throws {
        let file = try folder.directory.openFile(named: "part", access: .create)
        var bytes = [UInt8](repeating: 0, count: 4)

        try file.write([1, 2, 3], at: 5_000_000_000)
        let count = try file.read(into: &bytes, at: 4_999_999_999)

        #expect(count == 4)
        #expect(bytes == [0, 1, 2, 3])
    }

    @Test(arguments: [0, 784_111_740_000_000_007, 4_102_444_800_000_000_000] as [Int64])
    func theModificationTimeIsSetAlone(nanoseconds: Int64) throws {
        let file = try folder.directory.openFile(named: "part", access: .create)
        try file.write([1, 2], at: 0)

        #expect(try file.setModificationTime(nanoseconds: nanoseconds))
        try file.synchronize()

        #expect(try file.information().modifiedNanoseconds == nanoseconds)
        #expect(try file.information().size == 2)
    }

    @Test func aReadAcrossTheEndIsShort() throws {
        let file = try folder.directory.openFile(named: "part", access: .create)
        var bytes = [UInt8](repeating: 9, count: 4)

        try file.write([1, 2], at: 0)

        #expect(try file.read(into: &bytes, at: 1) == 1)
        #expect(try file.read(into: &bytes, at: 2) == 0)
    }

    @Test func aFullDeviceIsOutOfSpace() throws {
        let file = try File(path: "/dev/full", access: .update)

        let error = #expect(throws: SystemError.self) { try file.write([1], at: 0) }

        #expect(error?.isOutOfSpace == true)
    }

    @Test func aShortWriteIsGoneOnWithAndTheLimitIsAnError() async {
        await #expect(processExitsWith: .success) {
            let folder = try TemporaryFolder()
            try ProcessHardening.apply()
            var limit = rlimit(rlim_cur: 1000, rlim_max: 1000)
            try systemCall("setrlimit") { shim_setrlimit(CInt(SHIM_RLIMIT_FSIZE), &limit) }
            let file = try folder.directory.openFile(named: "part", access: .create)

            let error = #expect(throws: SystemError.self) { try file.write([UInt8](repeating: 1, count: 4096), at: 0) }

            // The first pwrite() took 1000 bytes, so there was a second, which the limit refused.
            try #require(error?.isFileTooLarge == true)
            try #require(file.information().size == 1000)
        }
    }

    @Test func allocatingTakesRoomAndKeepsTheSize() throws {
        let file = try folder.directory.openFile(named: "part", access: .create)

        let isReserved = try file.allocate(to: 1 << 20)

        let information = try file.information()
        #expect(information.size == 0)
        #expect(!isReserved || information.allocatedBytes >= 1 << 20)
    }

    @Test func allocatingOnWhatCannotReserveIsRefused() throws {
        // procfs has regular files and no fallocate().
        let file = try File(path: "/proc/self/comm", access: .update)

        #expect(try !file.allocate(to: 4096))
    }

    @Test func allocatingNothingIsFine() throws {
        let file = try folder.directory.openFile(named: "part", access: .create)

        #expect(try file.allocate(to: 0))
    }

    @Test func allocatingBeyondTheFileSystemIsAnError() throws {
        let file = try folder.directory.openFile(named: "part", access: .create)

        let error = #expect(throws: SystemError.self) { try file.allocate(to: .max) }

        #expect(error?.isFileTooLarge == true || error?.isOutOfSpace == true)
    }

    @Test func truncatingCutsAndExtends() throws {
        let file = try folder.directory.openFile(named: "part", access: .create)

        try file.write([1, 2, 3], at: 0)
        try file.truncate(to: 1)
        try file.truncate(to: 2)

        #expect(try file.readToEnd(limit: 10) == [1, 0])
    }

    @Test func hintsAndSynchronisationAreAccepted() throws {
        let file = try folder.directory.openFile(named: "part", access: .create)

        try file.write([1, 2, 3], at: 0)
        try file.startWriteback(offset: 0, length: 3)
        try file.synchronizeData()
        try file.synchronize()

        #expect(try file.readToEnd(limit: 3) == [1, 2, 3])
    }

    @Test func anUnsupportedWritebackHintIsNoFault() throws {
        let device = try File(path: "/dev/null", access: .update)

        #expect(throws: Never.self) { try device.startWriteback(offset: 0, length: 1) }
    }

    @Test func permissionsAreSetWhateverTheUmask() throws {
        let file = try folder.directory.openFile(named: "part", access: .create)
        #expect(try file.information().permissions == 0o600)

        try file.setPermissions(0o666)

        #expect(try file.information().permissions == 0o666)
        #expect(try file.information().isReadableByOthers)
    }

    @Test func moreThanTheLimitIsNotRead() throws {
        try folder.write("12345", to: "text")
        let file = try folder.directory.openFile(named: "text", access: .read)

        #expect(code { () throws(SystemError) in _ = try file.readToEnd(limit: 4) } == EFBIG)
    }

    @Test func closingTwiceIsFine() throws {
        let file = try folder.directory.openFile(named: "part", access: .create)

        try file.close()

        #expect(throws: Never.self) { try file.close() }
    }

    @Test func useAfterCloseTraps() async {
        await #expect(processExitsWith: .failure) {
            let file = try File(path: "/dev/null", access: .update)
            try file.close()
            try file.synchronize()
        }
    }

    @Test func theDescriptorDoesNotSurviveExec() throws {
        let file = try folder.directory.openFile(named: "part", access: .create)

        let flags = try file.descriptor.use("fcntl") { fcntl($0, F_GETFD) }

        #expect(flags & FD_CLOEXEC != 0)
    }
}
