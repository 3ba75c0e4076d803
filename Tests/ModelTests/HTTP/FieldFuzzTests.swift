import Core
import FoundationEssentials
import HTTPFields
import Testing
import TestSupport
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

        let url = SourceURL(text: "http://a.example/", scheme: "http", host: "a.example", port: 80, path: "/")
        var jar = CookieJar(for: url)
        jar.take(text, from: url, now: now)
        return jar.fieldValue(for: url).map(hasControl) == true ? "cookie" : nil
    }

    private static func hasControl(_ text: String) -> Bool {
        text.unicodeScalars.contains { $0.value < 0x20 || (0x7F...0x9F).contains($0.value) }
    }
}
