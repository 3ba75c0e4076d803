import Core
import Curl
import HTTPFields
import TransferRules

extension TransferFailure {
    /// The failure of a TLS connection. It is final if the certificate, the name or the version of TLS is refused;
    /// anything else is an outage like a lost connection.
    ///
    /// - Parameter code: The `CURLcode`.
    init(_ fault: TLSFault, code: Int) {
        self.init(
            DownloadError(.tlsFailed, message: fault.explanation, curlCode: code),
            failureClass: fault.isFinal ? .permanent : .transient(.untilGivenUp)
        )
    }
}

extension TLSFault {
    /// The sentence for a client.
    fileprivate var explanation: String {
        switch self {
        case .otherHost(let names, let host):
            names.isEmpty
                ? "The certificate names no host, so it is not for \(host)."
                : "The certificate is for \(names.joined(separator: ", ")), not for \(host)."
        case .expired(let seconds): "The certificate expired\(Self.date(seconds, after: " at "))."
        case .notYetValid(let seconds):
            "The certificate is not valid yet, only from\(Self.date(seconds, after: " ", or: " later")) on."
        case .unknownAuthority(let issuer):
            "No trusted authority signed the certificate\(Self.quoted(issuer, after: "; its issuer is "))."
        case .missingIntermediate(let issuer):
            "The server does not send the certificate of its issuer\(Self.quoted(issuer, after: ", ")), which is not"
                + " trusted by itself."
        case .certificateRefused(let code): "The certificate was refused with the verify result \(code) of OpenSSL."
        case .notTLS: "The server does not speak TLS on this port."
        case .noCommonVersion: "The server has no version or cipher of TLS that is allowed; these are TLS 1.2 and 1.3."
        case .unknownName: "The server does not know the name of the host."
        case .alert(let alert):
            "The server ended the TLS handshake with the alert \(alert.rawValue)\(alert.name.map { " (\($0))" } ?? "")."
        }
    }

    private static func date(_ seconds: Int64?, after text: String, or other: String = "") -> String {
        seconds.map { text + HTTPDate(secondsSinceEpoch: $0).fieldValue } ?? other
    }

    private static func quoted(_ name: String?, after text: String) -> String {
        name.map { "\(text)'\($0)'" } ?? ""
    }
}
