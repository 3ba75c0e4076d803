import CLinux
import Glibc
import Testing

@testable import Linux

/// What changes the whole process runs in a process of its own.
@Suite struct ProcessHardeningTests {
    @Test func aHardenedProcessCannotBeDumped() async {
        await #expect(processExitsWith: .success) {
            try ProcessHardening.apply()

            var limit = rlimit()
            try systemCall("getrlimit") { shim_getrlimit(CInt(SHIM_RLIMIT_CORE), &limit) }
            try #require(shim_get_dumpable() == 0)
            try #require(limit.rlim_cur == 0 && limit.rlim_max == 0)
        }
    }

    @Test(arguments: [SIGPIPE, SIGXFSZ])
    func aHardenedProcessOutlivesTheSignal(_ number: Int32) async {
        await #expect(processExitsWith: .success) { [number] in
            try ProcessHardening.apply()
            raise(number)
        }
    }

    @Test func theUmaskIsLeftAlone() async {
        await #expect(processExitsWith: .success) {
            umask(0o027)
            try ProcessHardening.apply()

            try #require(Umask.bits == 0o027)
            try #require(umask(0) == 0o027)
        }
    }

    @Test func theDescriptorLimitIsRaisedToTheHardOne() async {
        await #expect(processExitsWith: .success) {
            var limit = rlimit(rlim_cur: 64, rlim_max: 128)
            try systemCall("setrlimit") { shim_setrlimit(CInt(SHIM_RLIMIT_NOFILE), &limit) }

            try #require(ProcessHardening.raiseDescriptorLimit() == 128)
            try #require(ProcessHardening.raiseDescriptorLimit() == 128)
        }
    }

    @Test func theWallClockIsInThisCentury() {
        // 2020-01-01 and 2100-01-01.
        #expect((1_577_836_800_000..<4_102_444_800_000).contains(WallClock.nowMilliseconds))
    }
}

struct HostNameTests {
    @Test(arguments: ["localhost", "127.0.0.1", "::1"])
    func aNameThatResolvesIsKnown(name: String) {
        #expect(!HostName.isUnknown(name))
    }

    /// A label has 63 bytes at most (RFC 1035, section 2.3.4), so that no server needs to be asked.
    @Test func anInvalidNameIsUnknown() {
        #expect(HostName.isUnknown(String(repeating: "x", count: 64) + "."))
    }
}

struct LocalTimeTests {
    @Test func anOffsetIsOneThatTheWorldHas() {
        for instant in [-1_000_000_000_000, 0, 1_767_225_600_000] as [Int64] {
            #expect((-14 * 60...14 * 60).contains(LocalTime.utcOffsetMinutes(atMilliseconds: instant)))
        }
    }
}
