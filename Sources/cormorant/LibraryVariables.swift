import Linux

/// Variables of the environment that a library would act on, and that the service does not want acted on
/// (docs/decisions/0026).
enum LibraryVariables {
    /// libcurl, and OpenSSL from 3.5 on, append the keys of every TLS connection to the file `SSLKEYLOGFILE`: whoever
    /// recorded the connection can read it with them. `QLOGDIR` has libcurl record HTTP/3. `CURL_SSL_BACKEND` has it
    /// choose another TLS library than the one that is asked about connections, where it is built with several.
    private static let unwanted = ["SSLKEYLOGFILE", "QLOGDIR", "CURL_SSL_BACKEND"]

    /// Removes them. To be called before libcurl is, and before there are threads.
    static func remove() { ProcessEnvironment.remove(unwanted) }
}
