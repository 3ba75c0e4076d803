import HTTPServer
import HTTPTypes
import Service

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
