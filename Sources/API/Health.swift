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

/// The body of a `/livez` or `/readyz` response.
public struct HealthBody: Hashable, Sendable {
    public var isHealthy: Bool
    public var checks: [Check]

    /// The result of one check.
    public struct Check: Hashable, Sendable {
        public var name: String
        public var isHealthy: Bool
        /// What is wrong, for the operator. It contains no path and no address.
        public var detail: String?

        public init(name: String, isHealthy: Bool, detail: String? = nil) {
            self.name = name
            self.isHealthy = isHealthy
            self.detail = detail
        }
    }

    /// Healthy if every check is healthy.
    public init(checks: [Check]) {
        isHealthy = checks.allSatisfy(\.isHealthy)
        self.checks = checks
    }

    /// The JSON of the body.
    public func encoded() -> [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("state", isHealthy ? "ok" : "unavailable")
            writer.name("checks")
            writer.array(checks) { writer, check in
                writer.object { writer in
                    writer.member("name", check.name)
                    writer.member("ok", check.isHealthy)
                    writer.member("detail", check.detail)
                }
            }
        }
        return writer.bytes
    }
}
