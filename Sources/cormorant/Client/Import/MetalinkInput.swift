import Client
import HTTPFields
import TransferRules

/// Metalink 4 (RFC 5854): one download for each file, with its mirrors, size and digests.
extension ImportReading {
    mutating func readMetalink(_ text: String) throws(ImportError) {
        let files: [Metalink]
        do {
            files = try Metalink.files(parsing: Array(text.utf8))
        } catch {
            throw ImportError([": \(error.explanation)"])
        }
        unit = "file"
        entries = files.enumerated().map { index, file in
            var new = Download.Request(url: file.urls[0])
            if file.urls.count > 1 { new.mirrors = Array(file.urls.dropFirst().prefix(Self.maximumMirrors)) }
            let parts = (file.name ?? "").split(separator: "/")
            new.filename = parts.last.map { String($0) }
            if parts.count > 1 { new.setFolder(parts.dropLast().joined(separator: "/")) }
            if let size = file.sizeBytes { new.expected = Client.Download.Expected(sizeBytes: size) }
            for digest in file.digests { new.add(digest) }
            return Entry(line: index + 1, new: new)
        }
    }

    private static let maximumMirrors = 32
}
