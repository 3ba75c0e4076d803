import Core
import Store
import Transfer

/// Removes the file of a completed download, unless another download has taken its name.
struct FileRemover {
    let store: Store
    let engine: Engine

    /// The caller holds the lock of the path, so that nobody takes it meanwhile.
    ///
    /// - Throws: ``ServiceError/fileNotRemoved(_:)``, or an error of the store.
    func remove(_ file: PublishedFile, of download: Download) async throws {
        guard try await !store.hasLostFile(download) else { return }
        let isContested = try await store.mayHaveLostFile(download)
        do {
            // The other download may have put its file there, of the same bytes: only the recorded file itself goes.
            try await isContested ? engine.discardFile(file) : engine.remove(file)
        } catch {
            throw ServiceError.fileNotRemoved("\(error)")
        }
    }
}
