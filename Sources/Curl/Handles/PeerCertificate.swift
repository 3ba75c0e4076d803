import Glibc

/// The certificate of a TLS server (RFC 5280), for messages.
final class PeerCertificate {
    private typealias Pointer = OpenSSL.Pointer

    private let raw: UnsafeMutableRawPointer
    private let release: @convention(c) (UnsafeMutableRawPointer) -> Void

    /// - Parameter raw: An `X509 *`, which is kept until this object ends.
    init?(_ raw: UnsafeMutableRawPointer) {
        guard
            let keep = OpenSSL.function("X509_up_ref", as: (@convention(c) (Pointer) -> Int32).self),
            let release = OpenSSL.function("X509_free", as: (@convention(c) (Pointer) -> Void).self),
            keep(raw) == 1
        else { return nil }
        (self.raw, self.release) = (raw, release)
    }

    deinit { release(raw) }

    /// The end of its validity, in seconds since 1970.
    var endSeconds: Int64? { seconds(of: "X509_get0_notAfter") }
    /// The begin of its validity, in seconds since 1970.
    var beginSeconds: Int64? { seconds(of: "X509_get0_notBefore") }
    /// The common name of the authority that signed it, or else its organisation.
    var issuer: String? { name(from: "X509_get_issuer_name") }

    private func seconds(of function: String) -> Int64? {
        guard
            let read = OpenSSL.function(function, as: (@convention(c) (Pointer) -> Pointer?).self),
            let convert = OpenSSL.function(
                "ASN1_TIME_to_tm",
                as: (@convention(c) (Pointer, UnsafeMutablePointer<tm>) -> Int32).self
            ),
            let time = read(raw)
        else { return nil }
        var parts = tm()
        return convert(time, &parts) == 1 ? Int64(timegm(&parts)) : nil
    }

    /// NID_commonName and NID_organizationName of OpenSSL's obj_mac.h.
    private static let nameParts: [Int32] = [13, 17]

    private func name(from function: String) -> String? {
        typealias Text = @convention(c) (Pointer, Int32, UnsafeMutablePointer<CChar>, Int32) -> Int32
        guard
            let read = OpenSSL.function(function, as: (@convention(c) (Pointer) -> Pointer?).self),
            let text = OpenSSL.function("X509_NAME_get_text_by_NID", as: Text.self), let name = read(raw)
        else { return nil }
        for part in Self.nameParts {
            var buffer = [CChar](repeating: 0, count: 128)
            let length = text(name, part, &buffer, Int32(buffer.count))
            guard length > 0 else { continue }
            return String(decoding: buffer.prefix(Int(length)).map(UInt8.init(bitPattern:)), as: UTF8.self).printable
        }
        return nil
    }

    /// The host names and addresses in its `subjectAltName`, at most `limit`.
    func names(atMost limit: Int) -> [String] {
        typealias Read =
            @convention(c) (Pointer, Int32, UnsafeMutablePointer<Int32>?, UnsafeMutablePointer<Int32>?) ->
            Pointer?
        // NID_subject_alt_name.
        guard
            let read = OpenSSL.function("X509_get_ext_d2i", as: Read.self), let names = read(raw, 85, nil, nil),
            let free = OpenSSL.function("GENERAL_NAMES_free", as: (@convention(c) (Pointer) -> Void).self),
            let count = OpenSSL.elementCount, let element = OpenSSL.element
        else { return [] }
        defer { free(names) }
        return Array((0..<max(count(names), 0)).lazy.compactMap { element(names, $0).flatMap(Self.text) }.prefix(limit))
    }

    /// - Parameter name: A `GENERAL_NAME *`.
    private static func text(of name: UnsafeMutableRawPointer) -> String? {
        typealias Value = @convention(c) (Pointer, UnsafeMutablePointer<Int32>) -> Pointer?
        guard
            let value = OpenSSL.function("GENERAL_NAME_get0_value", as: Value.self),
            let data = OpenSSL.function("ASN1_STRING_get0_data", as: (@convention(c) (Pointer) -> Pointer?).self),
            let length = OpenSSL.function("ASN1_STRING_length", as: (@convention(c) (Pointer) -> Int32).self)
        else { return nil }
        var kind: Int32 = -1
        guard let string = value(name, &kind), let start = data(string) else { return nil }
        let bytes = UnsafeRawBufferPointer(start: start, count: Int(length(string)))
        switch kind {
        // GEN_DNS and GEN_IPADD.
        case 2: return String(decoding: bytes.prefix(253), as: UTF8.self).printable
        case 7: return address(bytes)
        default: return nil
        }
    }

    private static func address(_ bytes: UnsafeRawBufferPointer) -> String? {
        guard let start = bytes.baseAddress, [4, 16].contains(bytes.count) else { return nil }
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        let family = bytes.count == 4 ? AF_INET : AF_INET6
        guard inet_ntop(family, start, &text, socklen_t(text.count)) != nil else { return nil }
        return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
