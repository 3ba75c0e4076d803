import API
import Core
import Service
import ServiceSupport
import Testing
import TestSupport
import Transfer

/// The most bytes that a file may have: the client's word for its download, the operator's for all.
@Suite(.timeLimit(.minutes(5)))
struct SizeLimitTests {
    private static func options(_ maxDownloadBytes: Int64?) -> TestService.Options {
        .with { $0.engine.maxDownloadBytes = maxDownloadBytes }
    }

    @Test func theServicesLimitIsTheOneOfItsSettingsNow() async throws {
        let origin = Origin(Content(size: 1000))
        defer { origin.stop() }
        let folder = TemporaryFolder()
        let time = ManualTime()
        let (failed, paused) = try await withService(Self.options(999), folder: folder, time: time) { service in
            let failed = try await service.add(origin.url("/a.bin"))
            #expect(try await service.wait(failed, .failed).error?.error.code == .tooLarge)
            #expect(try await service.show(failed)["limits"]?["max_bytes"] == .null)
            return (failed, try await service.add(origin.url("/b.bin"), #","start":false,"limits":{"max_bytes":5000}"#))
        }
        try await withService(Self.options(1000), folder: folder, time: time) { service in
            try await service.act("retry", on: failed)
            try await service.wait(failed, .completed)
        }
        try await withService(Self.options(10), folder: folder, time: time) { service in
            #expect(try await service.show(paused)["limits"]?["max_bytes"]?.integer == 5000)
            try await service.act("resume", on: paused)
            #expect(try await service.wait(paused, .failed, .completed).error?.error.code == .tooLarge)
        }
    }
}
