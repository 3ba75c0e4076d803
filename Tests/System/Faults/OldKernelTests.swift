import Glibc
import ServiceSupport
import TestSupport
import Testing

/// A kernel without `openat2(2)`, by a filter of seccomp(2).
enum OldKernel {
    static let library = Result { try PreloadedLibrary("seccomp").path }
    /// Whether the library can be built and its filter set.
    static let isAllowed =
        (try? library.get()).map {
            (try? PreloadedLibrary.run(#"LD_PRELOAD="$1" OPENAT2_ERROR=38 /bin/true"#, $0)) != nil
        } == true
    static let reason = "no C compiler is in the path, or seccomp(2) is refused"
}

/// The program without `openat2(2)`, which Linux has since 5.6 and older seccomp profiles refuse.
@Suite(
    .enabled(if: OldKernel.isAllowed, Comment(rawValue: OldKernel.reason)),
    .hangLimit
)
struct OldKernelTests {
    private let folder = TemporaryFolder()
    private let content = Content(size: 300_000)
    private let origin: Origin

    init() {
        origin = Origin(content)
    }

    /// What older kernels and profiles answer.
    @Test(arguments: [ENOSYS, EPERM])
    func aFileIsFetchedWithoutOpenat2(_ code: Int32) async throws {
        let service = try await ServiceProcess(
            dataFolder: folder("data"),
            arguments: ["--min-free-bytes", "0"],
            environment: ["LD_PRELOAD": try OldKernel.library.get(), "OPENAT2_ERROR": "\(code)"]
        )
        let client = ServiceClient(port: service.port)
        let body = #"{"url":"\#(origin.url("/a"))","directory":"one/two"}"#
        let id = try #require(try await client.post("/downloads", body).json["id"]?.text)
        try await client.wait(id, "state", "completed")

        #expect(content.matches(fileAt: folder("data/downloads/one/two/a")))
        #expect(try await service.terminate() == 0)
        origin.stop()
    }
}
