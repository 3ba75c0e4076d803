import Core
import FoundationEssentials
import HTTPFields
import TestSupport
import Testing
import TransferRules

/// Any text may stand in a field: no reader traps, and what one makes of it is what its grammar allows.
///
/// `CORMORANT_FUZZ_RUNS` sets how many texts, `CORMORANT_TEST_SEED` the first seed.
@Suite struct FieldFuzzTests {
    private static let shards = 4
    private static let now = HTTPDate(secondsSinceEpoch: 1_700_000_000)

    @Test(arguments: 0..<shards)
    func noTextIsReadAsWhatItsGrammarForbids(shard: Int) {
        let environment = ProcessInfo.processInfo.environment
        let runs = environment["CORMORANT_FUZZ_RUNS"].flatMap { Int($0) } ?? 20_000
        let seed = environment["CORMORANT_TEST_SEED"].flatMap { UInt64($0) } ?? 1
        if shard == 0 { print("field test: \(runs) texts from seed \(seed)") }
        var generator = SplitMix64(seed: seed &+ UInt64(shard) &* 0x9E37)

        for _ in 0..<runs / Self.shards {
            let text = FieldText.random(&generator)
            let fault = Self.fault(text)

            #expect(fault == nil, "\(fault ?? "") \(Array(text.utf8))")
            if fault != nil { return }
        }
    }

    private static func fault(_ text: String) -> String? {
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

/// Texts for readers of fields: some right, many nearly so, some anything.
enum FieldText {
    private static let valid = [
        "bytes 0-499/1234", "bytes */9223372036854775807", "bytes=0-499", "bytes=-500", "\"tag\"", "W/\"tag\"",
        "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994", "120",
        "attachment; filename=\"a b.bin\"", "attachment; filename*=UTF-8''%e2%82%ac.bin", "text/html; charset=utf-8",
        "sha-256=:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=:", "md5=1B2M2Y8AsgTpgAmY7PhCfg==",
        "<http://b.example/x>; rel=duplicate; pri=1", "id=1; Path=/; Max-Age=9; Secure",
    ]

    private static let pieces = [
        "bytes", " ", "=", "-", "/", "*", "0", "9", "9223372036854775807", "18446744073709551616", "W/", "\"", "\\",
        ",", ";", ":", "filename", "UTF-8''", "%", "%00", "%2F", "..", "<", ">", "GMT", "Feb", "31", "99", "\u{0}",
        "\u{1}", "\r\n", "\u{7F}", "\u{85}", "\u{FF}", "\u{FFFD}", "\u{202E}", "\u{1F600}", "rel", "pri", "Max-Age",
    ]

    static func random(_ generator: inout SplitMix64) -> String {
        switch Int.random(in: 0..<4, using: &generator) {
        case 0: anything(&generator)
        case 1: (0..<Int.random(in: 0...12, using: &generator)).map { _ in generator.pick(pieces) }.joined()
        default: nearlyRight(&generator)
        }
    }

    /// Bytes as a head is read: as UTF-8, or else as Latin-1.
    private static func anything(_ generator: inout SplitMix64) -> String {
        let bytes = (0..<Int.random(in: 0...40, using: &generator)).map { _ in
            UInt8.random(in: 0...255, using: &generator)
        }
        if let text = String(validating: bytes, as: UTF8.self) { return text }
        return String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    }

    private static func nearlyRight(_ generator: inout SplitMix64) -> String {
        var scalars = Array(generator.pick(valid).unicodeScalars)
        for _ in 0..<Int.random(in: 0...3, using: &generator) {
            let place = Int.random(in: 0...scalars.count, using: &generator)
            switch Int.random(in: 0..<3, using: &generator) {
            case 0: scalars.insert(contentsOf: generator.pick(pieces).unicodeScalars, at: place)
            case 1 where place < scalars.count: scalars.remove(at: place)
            case 2 where place < scalars.count:
                scalars[place] = Unicode.Scalar(UInt8.random(in: 0...255, using: &generator))
            default: break
            }
        }
        var text = String.UnicodeScalarView()
        text.append(contentsOf: scalars)
        return String(text)
    }
}
