import Core
import HTTPFields
import TransferRules

/// What holds for the readers of header fields, whatever the field's value is.
public enum FieldProperties {
    private static let now = HTTPDate(secondsSinceEpoch: 1_700_000_000)

    /// - Returns: The property that does not hold; nil if all do.
    public static func fault(_ text: String) -> String? {
        validatorFault(text) ?? rangeFault(text) ?? nameFault(text) ?? otherFault(text)
    }

    private static func validatorFault(_ text: String) -> String? {
        if let tag = EntityTag(text) {
            if EntityTag(tag.fieldValue) != tag { return "tag" }
            if tag.opaque.isEmpty || tag.opaque.utf8.count > EntityTag.maximumBytes { return "length of a tag" }
            if hasControl(tag.opaque) { return "control in a tag" }
        }
        if let date = HTTPDate(text, now: now), HTTPDate(date.fieldValue, now: now) != date { return "date" }
        if let delay = RetryAfter(text, responseDate: nil, now: now)?.delay {
            if delay < .seconds(1) || delay > .seconds(366 * 86_400) { return "delay" }
        }
        return nil
    }

    private static func rangeFault(_ text: String) -> String? {
        if let range = ContentRange(text) {
            if ContentRange(range.fieldValue) != range { return "range" }
            switch range {
            case .bytes(let first, let last, let total):
                if first < 0 || last < first || last == .max || total.map({ $0 <= last }) == true { return "place" }
            case .unsatisfied(let total):
                if total < 0 { return "total" }
            }
        }
        for size: Int64 in [0, 1, 1000, .max] {
            guard case .part(let range) = RangeRequest(text, size: size) else { continue }
            if range.first < 0 || range.last < range.first || range.last >= size { return "requested range" }
        }
        return nil
    }

    private static func nameFault(_ text: String) -> String? {
        if let name = FileName.suggested(byContentDisposition: text)?.value {
            if name.isEmpty || name.utf8.count > 255 || name == "." || name == ".." { return "name" }
            if name.utf8.contains(UInt8(ascii: "/")) || hasControl(name) { return "byte in a name" }
        }
        if let essence = MediaType(text)?.essence, !essence.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) {
            return "media type"
        }
        return nil
    }

    private static func otherFault(_ text: String) -> String? {
        let digests =
            Digest.all(reprDigest: text) + Digest.all(digest: text) + [Digest(contentMD5: text)].compactMap(\.self)
        if !digests.allSatisfy({ $0.bytes.count == $0.algorithm.byteCount }) { return "digest" }
        _ = LinkField.all(text).map { ($0.priority, $0.relations, $0.type) }

        let url = DownloadURL(text: "http://a.example/", scheme: "http", host: "a.example", port: 80, path: "/")
        var jar = CookieJar(for: url)
        jar.store(text, from: url, now: now)
        return jar.fieldValue(for: url).map(hasControl) == true ? "cookie" : nil
    }

    private static func hasControl(_ text: String) -> Bool {
        text.unicodeScalars.contains { $0.value < 0x20 || (0x7F...0x9F).contains($0.value) }
    }
}
