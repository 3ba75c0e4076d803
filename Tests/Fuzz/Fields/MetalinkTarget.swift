import Core
import HTTPFields

@testable import TransferRules

extension FuzzTarget {
    /// Metalink documents, and the reader of XML.
    static let metalink = FuzzTarget(name: "metalink") { bytes in
        try checkEvents(bytes)
        guard let files = try? Metalink.files(parsing: bytes) else { return }
        for file in files {
            try check((1...1024).contains(file.urls.count), "a file has 1 to 1024 URLs")
            try check(file.sizeBytes ?? 0 >= 0, "a size is not negative")
            try check(Set(file.digests.map(\.algorithm)).count == file.digests.count, "one digest per algorithm")
            let written = Array(document(file).utf8)
            var again = try Metalink(parsing: written)
            again.hasUnreadableDigest = file.hasUnreadableDigest
            try checkSame(file, again, "a document that is written is read again")
        }
    }

    /// Elements are closed in order, and no deeper than the limit.
    private static func checkEvents(_ bytes: [UInt8]) throws {
        guard var reader = try? XMLReader(bytes) else { return }
        var (depth, count) = (0, 0)
        do {
            while let event = try reader.next() {
                count += 1
                switch event {
                case .start: depth += 1
                case .end: depth -= 1
                case .text: break
                }
                try check((0...XMLReader.maximumDepth).contains(depth), "elements nest up to a limit")
                try check(count <= 2 * bytes.count, "each event takes bytes")
            }
        } catch is XMLParseError {
            return
        }
        try check(depth == 0, "all elements are closed")
    }

    private static func document(_ file: Metalink) -> String {
        let name = file.name.map { " name=\"\(escaped($0))\"" } ?? ""
        let size = file.sizeBytes.map { "<size>\($0)</size>" } ?? ""
        let digests = file.digests.map { "<hash type=\"\($0.algorithm.rawValue)\">\($0.hex)</hash>" }.joined()
        let urls = file.urls.map { "<url>\(escaped($0))</url>" }.joined()
        return "<metalink xmlns=\"\(Metalink.namespace)\"><file\(name)>\(size)\(digests)\(urls)</file></metalink>"
    }

    /// Every character that is no letter, as a reference.
    private static func escaped(_ text: String) -> String {
        text.unicodeScalars.map { $0.properties.isAlphabetic ? "\($0)" : "&#x\(String($0.value, radix: 16));" }.joined()
    }
}
