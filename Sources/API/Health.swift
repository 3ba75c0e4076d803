import HTTPServer
import HTTPTypes
import Service

/// `/livez` and `/readyz`, for whatever watches over the service.
struct Health: Sendable {
    let running: RunningDownloads

    /// The process answers. A restart could fix nothing else, so nothing else is checked.
    func livez(_: RequestContext) -> ServerResponse { response([HealthBody.Check(name: "server", isHealthy: true)]) }

    /// Whether new work is welcome here now.
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

/// What `/livez` and `/readyz` answer.
public struct HealthBody: Hashable, Sendable {
    public var isHealthy: Bool
    public var checks: [Check]

    /// One check.
    public struct Check: Hashable, Sendable {
        public var name: String
        public var isHealthy: Bool
        /// What is wrong, for the operator; names no path and no address.
        public var detail: String?

        public init(name: String, isHealthy: Bool, detail: String? = nil) {
            self.name = name
            self.isHealthy = isHealthy
            self.detail = detail
        }
    }

    /// Healthy where every check is.
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
