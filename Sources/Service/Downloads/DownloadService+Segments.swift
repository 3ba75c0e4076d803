public import Core
import Store
import Transfer
import TransferRules

extension DownloadService {
    /// The ranges of a download's file: live while it runs, otherwise the recorded ones.
    public func segments(of id: DownloadID) async throws -> [SegmentReading] {
        guard let download = try await store.download(id) else { throw ServiceError.notFound }
        if let live = liveSegments(of: download) { return live }
        guard let recorded = try await store.segments(of: id) else {
            throw ServiceError.notFound
        }
        // A claim may have started it in the meantime.
        if let live = liveSegments(of: recorded.download) { return live }
        let total = recorded.download.progress.totalBytes
        guard recorded.download.state == .completed else { return recorded.segments.readings(total: total) }
        let size = recorded.download.file?.sizeBytes ?? total
        return .whole(total: size, receivedBytes: size ?? recorded.download.progress.durableBytes)
    }

    private func liveSegments(of download: Download) -> [SegmentReading]? {
        download.state == .running ? running.segments(of: download.id, epoch: download.epoch) : nil
    }
}
