import CLibcurl
import URLs

/// What went wrong in TLS on the connections of a loop.
///
/// libcurl reports it only in texts, which differ between versions of OpenSSL. It happens during the handshake or, with
/// TLS 1.3, with the first response. A connection therefore belongs to the transfer that opened it.
///
/// An `SSL_CTX` points to this object, so it must outlive all connections.
final class TLSFaults {
    /// What is known of the connections of one transfer.
    fileprivate struct Record {
        var alert: TLSAlert?
        var fault: TLSFault?
        /// The server's certificate, if it is trusted. Whether it is for the host is checked by libcurl later.
        var trusted: PeerCertificate?
    }

    private var records: [TransferID: Record] = [:]

    func forget(_ transfer: TransferID) { records[transfer] = nil }

    /// The last alert that ended a connection which `transfer` opened.
    func alert(for transfer: TransferID) -> TLSAlert? { records[transfer]?.alert }

    /// Why a connection which `transfer` opened failed; nil if OpenSSL noticed nothing.
    func fault(for transfer: TransferID) -> TLSFault? {
        records[transfer].flatMap { $0.fault ?? $0.alert.map(TLSFault.init) }
    }

    /// The first names of the certificate that was trusted last.
    func names(for transfer: TransferID) -> [String]? { records[transfer]?.trusted?.names(atMost: 4) }

    fileprivate func change(_ transfer: TransferID, _ body: (inout Record) -> Void) {
        guard var record = records[transfer] else { return }
        body(&record)
        records[transfer] = record
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
        guard setValue(context, places.faults, me) == 1, setValue(context, places.number, number) == 1 else { return }
        // Another connection of the same transfer, such as the one behind a proxy.
        if records[transfer] == nil { records[transfer] = Record() }
        setInformation(context, informationArrived)
        guard let setVerify = OpenSSL.setVerify, let mode = OpenSSL.verifyMode else { return }
        setVerify(context, mode(context), verified)
    }

    /// The faults and the transfer of an `SSL`.
    fileprivate static func place(of session: UnsafeMutableRawPointer) -> (faults: TLSFaults, transfer: TransferID)? {
        guard let places = OpenSSL.places, let context = OpenSSL.context?(session),
            let faults = OpenSSL.value?(context, places.faults),
            let number = OpenSSL.value?(context, places.number).map({ UInt64(UInt(bitPattern: $0)) })
        else { return nil }
        return (Unmanaged<TLSFaults>.fromOpaque(faults).takeUnretainedValue(), TransferID(number: number))
    }
}

extension Transfer {
    /// Registers the callback for the `SSL_CTX` of each new connection. A library other than OpenSSL has none.
    func installTLSCallback(on handle: EasyHandle) {
        let context = Unmanaged.passUnretained(self).toOpaque()
        guard shim_easy_setopt_pointer(handle.raw, CURLOPT_SSL_CTX_DATA, context) == CURLE_OK else { return }
        _ = shim_easy_setopt_tls_context(handle.raw, prepareContext)
    }

    var tlsAlert: TLSAlert? { iteration.connectionCache.faults.alert(for: id) }

    /// Why TLS failed.
    ///
    /// - Parameter code: libcurl's result. libcurl itself compares the names of a trusted certificate with the host.
    func tlsFault(_ code: CURLcode) -> TLSFault? {
        let faults = iteration.connectionCache.faults
        if let fault = faults.fault(for: id) { return fault }
        guard code == CURLE_PEER_FAILED_VERIFICATION, let names = faults.names(for: id) else { return nil }
        return .otherHost(names: names, host: request.url.host)
    }
}

/// `CURLOPT_SSL_CTX_FUNCTION`: called before each TLS handshake, also before that with a proxy.
private func prepareContext(
    _ easy: UnsafeMutableRawPointer,
    _ context: UnsafeMutableRawPointer?,
    _ transfer: UnsafeMutableRawPointer?
) -> CURLcode {
    guard shim_uses_openssl(), let context, let transfer else { return CURLE_OK }
    let owner = Transfer.of(transfer)
    owner.iteration.connectionCache.faults.prepare(context, for: owner.id)
    return CURLE_OK
}

/// OpenSSL's information callback: also called for each step of a handshake.
private func informationArrived(_ session: UnsafeMutableRawPointer, _ kind: Int32, _ value: Int32) {
    // SSL_CB_READ_ALERT: SSL_CB_ALERT (0x4000) with SSL_CB_READ (4). The value has the level and the description.
    if kind & 0x4004 == 0x4004 {
        let alert = TLSAlert(rawValue: UInt8(truncatingIfNeeded: value))
        // close_notify and user_canceled are no errors.
        guard alert.rawValue != 0, alert.rawValue != 90 else { return }
        guard let (faults, transfer) = TLSFaults.place(of: session) else { return }
        faults.change(transfer) { $0.alert = alert }
    } else if kind == 0x1002, value <= 0, let error = OpenSSL.firstError?(), error != 0 {
        // SSL_CB_CONNECT_EXIT of a handshake that failed. The library is in the bits above the reason, of which there
        // were fewer before version 3; ERR_LIB_SSL is 20.
        let library = error >> 23 & 0xFF == 20 ? 20 : error >> 24 & 0xFF
        guard library == 20, let fault = TLSFault(reason: error & 0xFFF) else { return }
        guard let (faults, transfer) = TLSFaults.place(of: session) else { return }
        faults.change(transfer) { $0.fault = $0.fault ?? fault }
    }
}

/// OpenSSL's verification callback: called for each certificate of a chain, or for the first that is refused. It
/// changes no result.
private func verified(_ isTrusted: Int32, _ store: UnsafeMutableRawPointer) -> Int32 {
    guard let session = OpenSSL.session(verifying: store), let (faults, transfer) = TLSFaults.place(of: session) else {
        return isTrusted
    }
    let certificate = OpenSSL.verifiedCertificate?(store).flatMap(PeerCertificate.init)
    if isTrusted == 0 {
        let sent = OpenSSL.receivedCertificates?(store).flatMap { OpenSSL.elementCount?($0) } ?? 0
        let result = OpenSSL.verificationError?(store) ?? 1
        let fault = TLSFault(verification: result, of: certificate, chainLength: Int(sent))
        faults.change(transfer) { $0.fault = fault }
    } else if OpenSSL.verificationDepth?(store) == 0 {
        faults.change(transfer) { $0.trusted = certificate }
    }
    return isTrusted
}
