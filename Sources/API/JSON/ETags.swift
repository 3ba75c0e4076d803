public import Core
import HTTPFields

/// ETags, including their quotes.
public enum ETags {
    /// The strong tag of a download: it changes with everything that the resource shows (RFC 9110, section 8.8.1).
    ///
    /// - Parameters:
    ///   - receivedBytes: The value in the resource, like `phase` and `verifiedBytes`.
    ///   - readAt: The instant of the progress reading, which changes rate and remaining time; nil without a transfer.
    ///   - deferral: The shown text of a deferral, which does not change the revision.
    public static func download(
        revision: Int64,
        receivedBytes: Int64,
        phase: DownloadPhase?,
        verifiedBytes: Int64? = nil,
        readAt: Timestamp?,
        deferral: String? = nil
    ) -> String {
        let numbers = [verifiedBytes, readAt?.milliseconds].compactMap { $0.map(String.init) }
        let shown = [phase?.rawValue, deferral.map(digest)].compactMap(\.self) + numbers
        return "\"" + (["\(revision)", "\(receivedBytes)"] + shown).joined(separator: ".") + "\""
    }

    /// The strong tag of bytes that no revision counts, as of a document that is built into the program.
    static func content(_ bytes: [UInt8]) -> String { "\"\(digest(of: bytes))\"" }

    private static func digest(of text: String) -> String { digest(of: Array(text.utf8)) }

    private static func digest(of bytes: [UInt8]) -> String {
        var digest = XXH64()
        // Bytes have no padding.
        unsafe digest.update(bytes.span.bytes)
        return String(digest.value, radix: 16)
    }

    /// The tag of a finished file. The bytes of a generation never change after they are published.
    public static func file(id: DownloadID, generation: Int) -> String {
        "\"\(id.text).\(generation)\""
    }
}
