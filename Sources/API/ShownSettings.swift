import HTTPServer
import HTTPTypes

/// A setting of the service and where its value comes from.
public struct ShownSetting: Hashable, Sendable {
    public var name: String
    /// The value as the operator would write it. Secrets are redacted.
    public var value: String
    /// `default`, a flag, an environment variable or a settings file.
    public var origin: String
    public var description: String

    public init(name: String, value: String, origin: String, description: String) {
        self.name = name
        self.value = value
        self.origin = origin
        self.description = description
    }
}

/// `GET /settings`: the settings that the service was started with. Limits that a client changed are at `/limits`.
struct ShownSettings: Resource {
    static let usualLength = 16_384

    let items: [ShownSetting]

    func list(_ context: RequestContext) throws(Problem) -> ServerResponse {
        _ = try Query(context.request.query)
        return .json(.ok, encoded())
    }

    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.name("items")
            writer.array(items) { writer, item in
                writer.object { writer in
                    writer.member("name", item.name)
                    writer.member("value", item.value)
                    writer.member("origin", item.origin)
                    writer.member("description", item.description)
                }
            }
        }
    }
}
