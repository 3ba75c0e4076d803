import HTTPServer
import HTTPTypes
import Service

/// `/livez` and `/readyz`, for monitoring and orchestration.
struct Health: Sendable {
    let running: RunningDownloads

    /// Succeeds if the process responds. Nothing else is checked, because a restart could fix nothing else.
    func livez(_: RequestContext) -> ServerResponse { response([HealthBody.Check(name: "server", isHealthy: true)]) }

    /// Whether this process accepts new work now.
    func readyz(_: RequestContext) -> ServerResponse {
        response([
            HealthBody.Check(
                name: "recovery",
                isHealthy: running.isRecovered,
                detail: running.isRecovered ? nil : "The service recovers the state of an earlier process."
            ),
            HealthBody.Check(
                name: "draining",
                isHealthy: !running.isShuttingDown,
                detail: running.isShuttingDown ? "The service is shutting down." : nil
            ),
        ])
    }

    private func response(_ checks: [HealthBody.Check]) -> ServerResponse {
        let body = HealthBody(checks: checks)
        return .json(
            body.isHealthy ? .ok : .serviceUnavailable,
            body.encoded(),
            body.isHealthy ? [:] : [.retryAfter: "1"]
        )
    }
}
