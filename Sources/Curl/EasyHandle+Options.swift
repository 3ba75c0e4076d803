import CLibcurl

extension EasyHandle {
    func set(_ option: Option<Bool>, _ value: Bool) throws(CurlError) {
        try check(shim_easy_setopt_long(raw, option.code, value ? 1 : 0))
    }

    func set(_ option: Option<Int>, _ value: Int) throws(CurlError) {
        try check(shim_easy_setopt_long(raw, option.code, value))
    }

    func set(_ option: Option<String>, _ value: String) throws(CurlError) {
        try check(shim_easy_setopt_string(raw, option.code, value))
    }

    /// Sets a POST's body, which libcurl copies. The size has to be known before the copy.
    func setBody(_ body: [UInt8]) throws(CurlError) {
        try set(.post, true)
        try check(shim_easy_setopt_offset(raw, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(body.count)))
        // An empty array may have no address, and a null pointer would make libcurl ask for a read callback.
        let bytes = body.isEmpty ? [0] : body
        let code = bytes.withUnsafeBytes { buffer in
            shim_easy_setopt_pointer(raw, CURLOPT_COPYPOSTFIELDS, UnsafeMutableRawPointer(mutating: buffer.baseAddress))
        }
        try check(code)
    }

    /// Lets a server of files begin at this byte.
    func setFirstByte(_ first: Int64) throws(CurlError) {
        try check(shim_easy_setopt_offset(raw, CURLOPT_RESUME_FROM_LARGE, curl_off_t(first)))
    }

    func integer(_ info: CURLINFO) -> Int {
        var value = 0
        _ = shim_easy_getinfo_long(raw, info, &value)
        return value
    }

    func offset(_ info: CURLINFO) -> Int64 {
        var value: curl_off_t = 0
        _ = shim_easy_getinfo_offset(raw, info, &value)
        return Int64(value)
    }

    /// Nil where libcurl says -1: it knows none.
    func length(_ info: CURLINFO) -> Int64? {
        let value = offset(info)
        return value >= 0 ? value : nil
    }

    func text(_ info: CURLINFO) -> String {
        var value: UnsafePointer<CChar>?
        _ = shim_easy_getinfo_string(raw, info, &value)
        return value.map { String(cString: $0) } ?? ""
    }
}
