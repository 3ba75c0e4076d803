import Core
import HTTPServer
import HTTPTypes
import Service

extension Downloads {
    // MARK: - GET /downloads/{id}/segments

    func segments(_ id: DownloadID, _ context: RequestContext) async throws -> ServerResponse {
        _ = try Query(context.request.query)
        let segments = try await service.segments(of: id)
        let bytes = SegmentsBody(segments: segments).encoded()
        // No revision counts what the segments show.
        let etag = ETags.content(bytes)
        return context.unlessKnown(etag) { .json(.ok, bytes, [.eTag: etag]) }
    }
}

/// The JSON of the segments of a download.
struct SegmentsBody: Resource {
    static let usualLength = 1024

    let segments: [SegmentReading]

    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.name("items")
            writer.segments(segments)
        }
    }
}

extension JSONWriter {
    mutating func segments(_ segments: [SegmentReading]) {
        array(segments) { writer, segment in
            writer.object { writer in
                writer.member("first_byte", segment.start)
                writer.member("last_byte", segment.end.map { $0 - 1 })
                writer.member("received_bytes", segment.receivedBytes)
                writer.member("state", segment.state.rawValue)
                writer.member("bytes_per_second", segment.bytesPerSecond.map { Int64($0) })
                writer.member("authority", segment.authority)
            }
        }
    }
}
