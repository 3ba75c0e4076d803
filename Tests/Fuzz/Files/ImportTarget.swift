import struct Client.Download
import struct Core.RequestedDownload

@testable import API

extension FuzzTarget {
    /// A file for `cormorant import`. The first byte chooses the format.
    static let imports = FuzzTarget(name: "imports") { bytes in
        let text = String(decoding: bytes.dropFirst(), as: UTF8.self)
        let format: ImportFormat =
            switch bytes.first {
            case UInt8(ascii: "u"): .urls
            case UInt8(ascii: "a"): .aria2
            case UInt8(ascii: "m"): .metalink
            case UInt8(ascii: "c"): .curl
            default: .recognised(in: text)
            }
        var reading = ImportReading()
        do throws(ImportError) {
            try reading.read(text, format)
        } catch {
            return try check(!error.lines.isEmpty && error.lines.allSatisfy { !$0.isEmpty }, "an error has a text")
        }
        try check(!reading.entries.isEmpty, "a file that is read names a URL")
        for entry in reading.entries {
            try check(entry.line > 0, "an entry has a line")
            try check(entry.new.filename?.contains("/") != true, "a name has no folder: \(entry.new)")
            let body = Array(try entry.new.json().utf8)
            // The service decides about the members; the JSON is its own, except for U+0000.
            do throws(BodyError) {
                _ = try RequestedDownload(parsing: body)
            } catch .json(let fault) {
                try check(fault.reason == .nullCharacter, "a request is JSON: \(fault)")
            } catch {}
        }
    }
}
