import HTTPTypes
import MicroHTTP

/// What the service serves to be read: built into the program, so that it is there wherever the program is.
enum Documents {
    static var openAPI: ServerResponse {
        ServerResponse(
            status: .ok,
            headerFields: [.contentType: "application/yaml; charset=utf-8"],
            body: .bytes(PackageResources.openapi_yaml)
        )
    }
}
