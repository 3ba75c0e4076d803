public import Service

/// A service whose queue nobody works on.
public func withIdleService(
    jobs: JobSettings = JobSettings(),
    _ body: (TestService) async throws -> Void
) async throws {
    let options = TestService.Options.with {
        $0.runsScheduler = false
        $0.jobs = jobs
    }
    try await withService(options) { try await body($0) }
}
