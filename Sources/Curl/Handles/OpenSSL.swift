import CLibcurl
import Glibc

/// The functions of OpenSSL that libcurl does not expose.
///
/// They are resolved at run time from the OpenSSL that libcurl uses. Using OpenSSL's headers would add a build
/// dependency, and they would have to match libcurl's OpenSSL. Each has the name and the signature of its manual page,
/// as in SSL_CTX_set_verify(3). All exist from version 1.1.1 on.
enum OpenSSL {
    typealias Pointer = UnsafeMutableRawPointer
    typealias Name = UnsafePointer<UInt8>
    typealias Information = @convention(c) (Pointer, Int32, Int32) -> Void
    typealias Verification = @convention(c) (Int32, Pointer) -> Int32

    // MARK: - Sessions

    static let hasPending = function("SSL_has_pending", as: (@convention(c) (Pointer) -> Int32).self)
    static let selectedProtocol = function(
        "SSL_get0_alpn_selected",
        as: (@convention(c) (Pointer, UnsafeMutablePointer<Name?>, UnsafeMutablePointer<UInt32>) -> Void).self
    )
    static let setOptions = function("SSL_CTX_set_options", as: (@convention(c) (Pointer, UInt64) -> UInt64).self)
    static let setInformation = function(
        "SSL_CTX_set_info_callback",
        as: (@convention(c) (Pointer, Information) -> Void).self
    )
    static let context = function("SSL_get_SSL_CTX", as: (@convention(c) (Pointer) -> Pointer?).self)
    static let setValue = function(
        "SSL_CTX_set_ex_data",
        as: (@convention(c) (Pointer, Int32, Pointer?) -> Int32).self
    )
    static let value = function("SSL_CTX_get_ex_data", as: (@convention(c) (Pointer, Int32) -> Pointer?).self)

    /// Where the ``TLSFaults`` and the number of a transfer are stored in an `SSL_CTX`; nil if there is no place.
    static let places: (faults: Int32, number: Int32)? = {
        typealias NewIndex = @convention(c) (Int32, Int, Pointer?, Pointer?, Pointer?, Pointer?) -> Int32
        // CRYPTO_EX_INDEX_SSL_CTX.
        let contexts: Int32 = 1
        guard let newIndex = function("CRYPTO_get_ex_new_index", as: NewIndex.self) else { return nil }
        let places = (newIndex(contexts, 0, nil, nil, nil, nil), newIndex(contexts, 0, nil, nil, nil, nil))
        return places.0 >= 0 && places.1 >= 0 ? places : nil
    }()

    /// The oldest error of this thread; 0 if there is none. Errors stay in the queue.
    static let firstError = function("ERR_peek_error", as: (@convention(c) () -> UInt).self)

    // MARK: - Verification

    static let verifyMode = function("SSL_CTX_get_verify_mode", as: (@convention(c) (Pointer) -> Int32).self)
    static let setVerify = function(
        "SSL_CTX_set_verify",
        as: (@convention(c) (Pointer, Int32, Verification) -> Void).self
    )
    static let verificationError = function("X509_STORE_CTX_get_error", as: (@convention(c) (Pointer) -> Int32).self)
    static let verificationDepth = function(
        "X509_STORE_CTX_get_error_depth",
        as: (@convention(c) (Pointer) -> Int32).self
    )
    static let verifiedCertificate = function(
        "X509_STORE_CTX_get_current_cert",
        as: (@convention(c) (Pointer) -> Pointer?).self
    )
    static let receivedCertificates = function(
        "X509_STORE_CTX_get0_untrusted",
        as: (@convention(c) (Pointer) -> Pointer?).self
    )
    static let elementCount = function("OPENSSL_sk_num", as: (@convention(c) (Pointer) -> Int32).self)
    static let element = function("OPENSSL_sk_value", as: (@convention(c) (Pointer, Int32) -> Pointer?).self)

    /// The `SSL` whose peer is verified.
    static func session(verifying store: Pointer) -> Pointer? {
        guard
            let place = function("SSL_get_ex_data_X509_STORE_CTX_idx", as: (@convention(c) () -> Int32).self),
            let value = function("X509_STORE_CTX_get_ex_data", as: (@convention(c) (Pointer, Int32) -> Pointer?).self)
        else { return nil }
        return value(store, place())
    }

    static func function<Function>(_ name: String, as type: Function.Type) -> Function? {
        dlsym(nil, name).map { unsafeBitCast($0, to: type) }
    }
}
