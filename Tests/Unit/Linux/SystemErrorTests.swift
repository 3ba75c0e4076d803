import Glibc
import Testing

@testable import Linux

@Suite struct SystemErrorTests {
    @Test(arguments: [ENOSPC, EDQUOT])
    func aFullDiskOrQuotaIsOutOfSpace(_ code: Int32) {
        let error = SystemError(code: code, call: "pwrite")

        #expect(error.isOutOfSpace)
        #expect(!error.isInputOutput)
    }

    @Test(arguments: [EIO, EROFS, ESTALE, ENODEV, ENOTCONN, ESHUTDOWN, EUCLEAN])
    func aFailingDeviceIsInputOutput(_ code: Int32) {
        let error = SystemError(code: code, call: "fsync")

        #expect(error.isInputOutput)
        #expect(!error.isOutOfSpace)
    }

    @Test(arguments: [ENOENT, ENOTDIR, ELOOP, ENAMETOOLONG, EXDEV])
    func aNameThatLeadsNowhereIsUnreachable(_ code: Int32) {
        #expect(SystemError(code: code, call: "open").isUnreachable)
    }

    @Test(arguments: [EIO, EACCES, EMFILE, ENOMEM])
    func aFileThatMayBeThereIsNot(_ code: Int32) {
        #expect(!SystemError(code: code, call: "open").isUnreachable)
    }

    @Test func theMessageSaysTheReasonAndThenNamesTheCall() {
        let error = SystemError(code: ENOSPC, call: "pwrite")
        #expect(error.message == "the disk is full" && "\(error)" == "No space left on device (pwrite)")
        #expect(SystemError(code: EPIPE, call: "write").message == "Broken pipe (write)")
    }

    @Test func anInterruptedCallIsMadeAgain() throws {
        var results: [(Int, Int32)] = [(-1, EINTR), (-1, EINTR), (7, 0)]

        let result = try systemCall("read") {
            let (result, code) = results.removeFirst()
            errno = code
            return result
        }

        #expect(result == 7)
    }

    @Test func anInterruptedCloseIsNotMadeAgain() {
        var calls = 0

        let code = code { () throws(SystemError) in
            try systemCall("close", retriesInterruption: false) { () -> Int in
                calls += 1
                errno = EINTR
                return -1
            }
        }

        #expect(code == EINTR)
        #expect(calls == 1)
    }

    @Test func aBadDescriptorTraps() async {
        await #expect(processExitsWith: .failure) {
            try systemCall("fsync") { fsync(-1) }
        }
    }
}
