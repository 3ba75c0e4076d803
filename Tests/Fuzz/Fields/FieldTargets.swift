import Core
import HTTPFields
import TestSupport

@testable import Core

extension FuzzTarget {
    /// All parsers of header fields, with one value.
    static let fields = FuzzTarget(name: "fields") { bytes in
        let text = String(fieldBytes: bytes)
        if let fault = FieldProperties.fault(text) { throw BrokenProperty(description: fault) }
    }

    /// The name that an origin proposes, and the one that a response of ours has.
    static let contentDisposition = FuzzTarget(name: "content-disposition") { bytes in
        let text = String(fieldBytes: bytes)
        if let name = FileName.suggested(byContentDisposition: text) {
            try checkSafe(name)
            let written = ContentDisposition.attachment(filename: name.value)
            try checkSame(name.value, ContentDisposition(written).filename, "a name that is sent is read again")
        }
        let written = ContentDisposition.attachment(filename: text)
        try check(written.utf8.allSatisfy { (0x20...0x7E).contains($0) }, "the field is visible ASCII: \(written)")
        let read = ContentDisposition(written)
        try check(read.type == "attachment", "the type is read again")
        try check(read.filename?.utf8.elementsEqual(text.utf8) == true, "any text that is sent is read again")
    }

    /// Names and folders of clients, of origins and of URLs.
    static let fileNames = FuzzTarget(name: "file-names") { bytes in
        let text = String(decoding: bytes, as: UTF8.self)
        let name = FileName(sanitizing: text)
        try checkSafe(name)
        if let validated = try? FileName(validating: text) { try checkSafe(validated) }
        let id = DownloadID(first: Timestamp(milliseconds: 0))
        for candidate in name.candidates(for: id).prefix(2) { try checkSafe(candidate) }
        for candidate in [name.fitting(143), name.numbered(99, longest: 143)] {
            try checkSafe(candidate)
            try check(candidate.value.utf8.count <= 143, "a name fits the file system: \(candidate)")
        }
        try checkSafe(FileName.choose(requested: nil, suggested: nil, url: text, type: MediaType("text/html")))
        try checkSafe(FileName.choose(requested: nil, suggested: text, url: "http://a.example/", type: nil))
        if let named = FileName.suggested(byMetalink: text) { try checkSafe(named) }
        try checkFolders(text)
    }

    private static func checkFolders(_ text: String) throws {
        if let folder = try? RelativeDirectory(validating: text) {
            try check(folder.path == text, "a folder is never changed")
            try checkSafe(folder)
        }
        guard let template = try? DirectoryTemplate(parsing: text) else { return }
        var request = DownloadRequest(
            url: DownloadURL(text: "http://a.example/x", scheme: "http", host: "a.example", port: 80, path: "/x")
        )
        request.session = SessionName("nightly")
        request.labels = JSONText(canonical: #"{"env":"../prod\\","x":"con"}"#)
        if let folder = try? template.expanded(for: request, at: Timestamp(milliseconds: 0)) { try checkSafe(folder) }
    }

    private static func checkSafe(_ folder: RelativeDirectory) throws {
        try check(folder.path.utf8.count <= RelativeDirectory.maximumBytes, "a folder has a limit")
        for part in folder.parts { try checkSafe(FileName(validating: part)) }
    }

    /// The promise of ``FileName``, and that a client's name may be the same.
    private static func checkSafe(_ name: FileName) throws {
        let text = name.value
        try check(!text.isEmpty && text.utf8.count <= 255, "a name has 1 to 255 bytes: \(text)")
        try check(!text.utf8.contains { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "\\") }, "no separator: \(text)")
        try check(text != "." && text != ".." && !text.hasControl, "no dots and no controls: \(text)")
        do {
            _ = try FileName(validating: text)
        } catch {
            throw BrokenProperty(description: "a safe name is valid: \(error) \(Array(text.utf8))")
        }
    }
}
