import Core
import Linux
import TestSupport
@testable import Transfer

extension Bench {
    /// An assignment of which `durableBytes` are on the disk, as if an earlier process had brought them.
    func resumable(
        at durableBytes: Int64,
        total: Int64?,
        _ change: (inout DownloadRequest) -> Void = { _ in }
    ) async throws -> Assignment {
        var assignment = try assignment("/file.bin", change)
        assignment.download.source = content.source(finalURL: assignment.download.request.url.text)
        assignment.download.progress = .init(durableBytes: durableBytes, totalBytes: total)
        assignment.segments = [Segment(index: 0, start: 0, end: total, durableEnd: durableBytes)]
        assignment.blocks = content.blocks(before: durableBytes)
        try write(content.bytes(in: 0..<durableBytes), to: assignment.part)
        return assignment
    }

    /// Makes a part file with these bytes.
    func write(_ bytes: [UInt8], to part: PartName) throws {
        let file = try engine.folders.parts.openFile(named: part.text, access: .createIfMissing)
        try file.truncate(to: 0)
        try file.write(bytes, at: 0)
    }
}

extension Assignment {
    /// The part file of its generation.
    var part: PartName { PartName(id: download.id, generation: download.generation) }
}
