import CDocuments
import Core
import HTTPServer
import HTTPTypes

/// Documents that are built into the program, so they need no files beside it.
enum Documents {
    /// The description of the API, in one of its two forms.
    private struct Description: Sendable {
        let mediaType: String
        let bytes: [UInt8]
        let etag: String

        init(_ mediaType: String, _ bytes: [UInt8]) {
            self.mediaType = mediaType
            self.bytes = bytes
            etag = ETags.content(bytes)
        }

        func show(_ context: RequestContext) throws(Problem) -> ServerResponse {
            _ = try Query(context.request.query)
            return context.unlessKnown(etag) {
                let fields: HTTPFields = [.contentType: mediaType, .eTag: etag, .cacheControl: "no-cache"]
                return ServerResponse(status: .ok, headerFields: fields, body: .bytes(bytes))
            }
        }
    }

    private static let yaml = Description(
        "application/yaml; charset=utf-8",
        unsafe Array(UnsafeBufferPointer(start: cormorant_openapi_yaml, count: cormorant_openapi_yaml_length))
    )

    private static let json = Description(
        "application/json",
        unsafe Array(UnsafeBufferPointer(start: cormorant_openapi_json, count: cormorant_openapi_json_length))
    )

    @Sendable static func description(_ context: RequestContext) throws(Problem) -> ServerResponse {
        try yaml.show(context)
    }

    @Sendable static func descriptionAsJSON(_ context: RequestContext) throws(Problem) -> ServerResponse {
        try json.show(context)
    }

    /// The page that explains a problem type.
    @Sendable static func explanation(_ type: ProblemType, _ context: RequestContext) throws(Problem) -> ServerResponse
    {
        _ = try Query(context.request.query)
        return .text(type.page)
    }
}
