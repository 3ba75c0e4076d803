import CLibcurl
import Glibc

/// The functions of OpenSSL that libcurl does not expose.
///
/// They are resolved at run time from the OpenSSL that libcurl uses. Using OpenSSL's headers would add a build
/// dependency, and they would have to match libcurl's OpenSSL. The signatures are from the manual pages SSL_pending(3),
/// SSL_CTX_set_alpn_select_cb(3), SSL_CTX_set_info_callback(3), SSL_CTX_set_options(3), SSL_get_SSL_CTX(3),
/// SSL_CTX_set_ex_data(3) and CRYPTO_get_ex_new_index(3).
private enum OpenSSL {
    typealias Pointer = UnsafeMutableRawPointer
    typealias Name = UnsafePointer<UInt8>
    typealias Information = @convention(c) (Pointer, Int32, Int32) -> Void

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

    /// Where the ``TLSAlerts`` and the number of a transfer are stored in an `SSL_CTX`; nil if there is no place.
    static let places: (alerts: Int32, number: Int32)? = {
        typealias NewIndex = @convention(c) (Int32, Int, Pointer?, Pointer?, Pointer?, Pointer?) -> Int32
        // CRYPTO_EX_INDEX_SSL_CTX.
        let contexts: Int32 = 1
        guard let newIndex = function("CRYPTO_get_ex_new_index", as: NewIndex.self) else { return nil }
        let places = (newIndex(contexts, 0, nil, nil, nil, nil), newIndex(contexts, 0, nil, nil, nil, nil))
        return places.0 >= 0 && places.1 >= 0 ? places : nil
    }()

    private static func function<Function>(_ name: String, as type: Function.Type) -> Function? {
        dlsym(nil, name).map { unsafeBitCast($0, to: type) }
    }
}

/// OpenSSL's state of a connection.
struct TLSSession {
    private let raw: UnsafeMutableRawPointer
    private let hasPending: @convention(c) (UnsafeMutableRawPointer) -> Int32

    /// - Parameter raw: An `SSL *`.
    init?(_ raw: UnsafeMutableRawPointer) {
        guard let hasPending = OpenSSL.hasPending, OpenSSL.selectedProtocol != nil else { return nil }
        self.raw = raw
        self.hasPending = hasPending
    }

    /// Whether OpenSSL has unread bytes from the socket.
    var hasUnread: Bool { hasPending(raw) != 0 }

    /// Whether client and server agreed on HTTP/2 (ALPN, RFC 7301).
    var speaksHTTP2: Bool {
        var name: UnsafePointer<UInt8>?
        var length: UInt32 = 0
        OpenSSL.selectedProtocol?(raw, &name, &length)
        return UnsafeBufferPointer(start: name, count: Int(length)).elementsEqual("h2".utf8)
    }
}

extension EasyHandle {
    /// The TLS session of the connection; nil without TLS or with a library other than OpenSSL.
    var tlsSession: TLSSession? { shim_openssl_session(raw).flatMap(TLSSession.init) }
}

/// A TLS alert that ended a connection (RFC 8446, section 6.2).
struct TLSAlert: RawRepresentable, Hashable, Sendable {
    let rawValue: UInt8

    static let noApplicationProtocol = Self(rawValue: 120)

    /// Whether the peer refused the client's certificate, or requires one.
    var concernsCertificate: Bool {
        // bad_certificate, unsupported_, revoked, expired, unknown; unknown_ca; bad_certificate_status_response,
        // certificate_required; in SSL 3 no_certificate.
        switch rawValue {
        case 41...46, 48, 113, 116: true
        default: false
        }
    }
}

/// The alerts that servers sent on the connections of a loop.
///
/// libcurl reports them only in texts, which differ between versions of OpenSSL. They arrive during the handshake or,
/// with TLS 1.3, with the first response. A connection therefore belongs to the transfer that opened it.
///
/// An `SSL_CTX` points to this object, so it must outlive all connections.
final class TLSAlerts {
    private var received: [TransferID: TLSAlert] = [:]
    private var awaited: Set<TransferID> = []

    func forget(_ transfer: TransferID) {
        awaited.remove(transfer)
        received[transfer] = nil
    }

    /// The last alert that ended a connection which `transfer` opened.
    func alert(for transfer: TransferID) -> TLSAlert? { received[transfer] }

    fileprivate func receive(_ alert: TLSAlert, for transfer: TransferID) {
        guard awaited.contains(transfer) else { return }
        received[transfer] = alert
    }

    /// Prepares the `SSL_CTX` of a new connection.
    fileprivate func prepare(_ context: UnsafeMutableRawPointer, for transfer: TransferID) {
        // SSL_OP_IGNORE_UNEXPECTED_EOF: the end of a connection without close_notify is an end with every version of
        // libcurl. It proves nothing about the body.
        _ = OpenSSL.setOptions?(context, 1 << 7)
        guard let places = OpenSSL.places, let setValue = OpenSSL.setValue, OpenSSL.value != nil,
            OpenSSL.context != nil, let setInformation = OpenSSL.setInformation
        else { return }
        let me = Unmanaged.passUnretained(self).toOpaque()
        let number = UnsafeMutableRawPointer(bitPattern: UInt(transfer.number))
        guard setValue(context, places.alerts, me) == 1, setValue(context, places.number, number) == 1 else { return }
        awaited.insert(transfer)
        setInformation(context, informationArrived)
    }
}

extension Transfer {
    /// Registers the callback for the `SSL_CTX` of each new connection. A library other than OpenSSL has none.
    func installTLSCallback(on handle: EasyHandle) {
        let context = Unmanaged.passUnretained(self).toOpaque()
        guard shim_easy_setopt_pointer(handle.raw, CURLOPT_SSL_CTX_DATA, context) == CURLE_OK else { return }
        _ = shim_easy_setopt_tls_context(handle.raw, prepareContext)
    }

    var tlsAlert: TLSAlert? { iteration.connectionCache.alerts.alert(for: id) }
}

/// `CURLOPT_SSL_CTX_FUNCTION`: called before each TLS handshake, also before that with a proxy.
private func prepareContext(
    _ easy: UnsafeMutableRawPointer,
    _ context: UnsafeMutableRawPointer?,
    _ transfer: UnsafeMutableRawPointer?
) -> CURLcode {
    guard shim_uses_openssl(), let context, let transfer else { return CURLE_OK }
    let owner = Transfer.of(transfer)
    owner.iteration.connectionCache.alerts.prepare(context, for: owner.id)
    return CURLE_OK
}

/// OpenSSL's information callback: also called for each step of a handshake.
private func informationArrived(_ session: UnsafeMutableRawPointer, _ kind: Int32, _ value: Int32) {
    // SSL_CB_READ_ALERT: SSL_CB_ALERT (0x4000) with SSL_CB_READ (4). The value has the level and the description.
    guard kind & 0x4004 == 0x4004, let places = OpenSSL.places, let context = OpenSSL.context?(session),
        let alerts = OpenSSL.value?(context, places.alerts),
        let number = OpenSSL.value?(context, places.number).map({ UInt64(UInt(bitPattern: $0)) })
    else { return }
    let alert = TLSAlert(rawValue: UInt8(truncatingIfNeeded: value))
    // close_notify and user_canceled are no errors.
    guard alert.rawValue != 0, alert.rawValue != 90 else { return }
    Unmanaged<TLSAlerts>.fromOpaque(alerts).takeUnretainedValue().receive(alert, for: TransferID(number: number))
}
