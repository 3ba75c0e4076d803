import HTTPTypes
import Jobs
import MicroHTTP
import Wire

/// `/livez` and `/readyz`, for whatever watches over the service.
struct Health: Sendable {
    let live: LiveDownloads

    /// The process answers; that is all a restart could mend, so nothing else counts.
    func livez() -> ServerResponse { answer([HealthBody.Check(name: "server", isHealthy: true)]) }

    /// Whether new work is welcome here now.
    func readyz() -> ServerResponse {
        answer([
            HealthBody.Check(
                name: "recovery",
                isHealthy: live.isRecovered,
                detail: live.isRecovered ? nil : "What an earlier process left is being taken over."
            ),
            HealthBody.Check(
                name: "draining",
                isHealthy: !live.isDraining,
                detail: live.isDraining ? "The service is about to stop." : nil
            ),
        ])
    }

    private func answer(_ checks: [HealthBody.Check]) -> ServerResponse {
        let body = HealthBody(checks: checks)
        return .json(
            body.isHealthy ? .ok : .serviceUnavailable,
            body.encoded(),
            body.isHealthy ? [:] : [.retryAfter: "1"]
        )
    }
}
