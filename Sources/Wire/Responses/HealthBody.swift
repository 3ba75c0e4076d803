/// What `/livez` and `/readyz` answer.
public struct HealthBody: Hashable, Sendable {
    public var isHealthy: Bool
    public var checks: [Check]

    /// One thing that was looked at.
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
            writer.member("status", isHealthy ? "ok" : "unavailable")
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
