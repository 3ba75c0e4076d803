import Core
import Service
import Testing
import Transfer

@testable import Application

@Suite
struct SettingValueTests {
    private func resolved(_ key: String, _ text: String) throws -> Settings {
        try SettingsResolver(flags: [key: text]).resolve().settings
    }

    @Test
    func namesAreUniqueAndSnakeCase() {
        let keys = Setting.all.map(\.key)

        #expect(Set(keys).count == keys.count)
        for key in keys { #expect(key.wholeMatch(of: /[a-z][a-z0-9]*(_[a-z0-9]+)*/) != nil) }
    }

    /// What the help shows as the default is a text that a user may write.
    @Test
    func everyDefaultReadsItsOwnText() throws {
        for setting in Setting.all where setting.kind == .plain {
            var settings = Settings()

            try setting.assign(setting.standard, &settings)

            #expect(setting.show(settings) == setting.standard)
        }
    }

    @Test(arguments: [("auto", nil), ("64", 64), ("2", 2)])
    func theSlotsOfOneHostDependOnTheFreeOnesUnlessTheOperatorSaysOtherwise(_ perHost: String, _ most: Int?) throws {
        let settings = try SettingsResolver(flags: ["max_concurrent": "8", "max_per_host": perHost]).resolve().settings

        #expect(settings.jobs.maxPerHost == most)
        #expect(Settings().jobs.maxPerHost == nil)
    }

    @Test func retriesOfAMissingFileReachTheService() throws {
        #expect(Settings().jobs.notFoundRetries == 1)
        #expect(try resolved("not_found_retries", "3").jobs.notFoundRetries == 3)
    }

    @Test func theTimeOfFilesIsThatOfTheOriginUnlessTheOperatorSaysOtherwise() throws {
        #expect(Settings().engine.preservesModificationTime)
        #expect(try !resolved("preserve_mtime", "false").engine.preservesModificationTime)
        #expect(throws: (any Error).self) { try resolved("preserve_mtime", "sometimes") }
    }

    @Test func timeLimitsAndRetriesReachTheirParts() throws {
        let flags = [
            "connect_timeout": "5s", "silence_timeout": "20s", "give_up_after": "1h", "retry_delay": "2s",
            "max_retry_delay": "30s", "retry_statuses": "503, 403",
        ]
        let settings = try SettingsResolver(flags: flags).resolve().settings

        #expect(settings.engine.connectTimeout == .seconds(5) && settings.engine.slowTime == .seconds(20))
        #expect(settings.jobs.giveUpAfter == .seconds(3600) && settings.jobs.retryDelay == .seconds(2))
        #expect(settings.jobs.maxRetryDelay == .seconds(30) && settings.jobs.retryStatuses.sorted == [403, 503])
        #expect(Settings().engine.connectTimeout == .seconds(30) && Settings().engine.slowTime == .seconds(60))
        #expect(Settings().jobs.giveUpAfter == .seconds(86_400))
        #expect(Settings().jobs.retryStatuses == .transient)
    }

    @Test func aFloorOfSpeedIsTheEngines() throws {
        let settings = try SettingsResolver(flags: ["min_speed": "20KiB", "min_speed_time": "30s"]).resolve().settings

        #expect(settings.engine.lowSpeedLimit == LowSpeedLimit(bytesPerSecond: 20 << 10, time: .seconds(30)))
        #expect(Settings().engine.lowSpeedLimit == nil)
    }

    @Test(arguments: [
        ("listen", "[::1]:80", "[::1]:80"),
        ("public_hosts", "Example.COM, b.example", "example.com,b.example"),
        ("public_hosts", "[FD00::1], ::1, 192.0.2.7", "fd00::1,::1,192.0.2.7"),
        ("cors_origins", "https://app.example.com,*", "https://app.example.com,*"),
        ("queue_limit", "none", "none"),
        ("queue_limit", "100", "100"),
        ("not_found_retries", "0", "0"),
        ("retry_statuses", "503, 404", "503,404"),
        ("retry_statuses", "", ""),
        ("give_up_after", "48h", "2d"),
        ("workers", "2", "2"),
        (
            "rate_schedule",
            #"[{"days": ["sun", "mon"], "from": "08:00", "to": "18:00", "rate_limit": "2048KiB"}]"#,
            #"[{"days":["mon","sun"],"from":"08:00","rate_limit":"2MiB","to":"18:00"}]"#
        ),
        (
            "rate_schedule", #"[{"days":["sun"],"from":"22:00","to":"06:00","paused":true}]"#,
            #"[{"days":["sun"],"from":"22:00","paused":true,"to":"06:00"}]"#
        ),
        (
            "rate_schedule", #"[{"days":["sat"],"from":"22:00","to":"06:00","rate_limit":"none"}]"#,
            #"[{"days":["sat"],"from":"22:00","rate_limit":"none","to":"06:00"}]"#
        ),
        ("destinations", "public", "public"),
        ("allow_destinations", "10.0.0.0/8, fd00::/8", "10.0.0.0/8,fd00::/8"),
        ("max_download_bytes", "5GiB", "5GiB"),
        ("min_free_bytes", "1048576", "1MiB"),
        ("keep_finished", "720h", "30d"),
        ("keep_finished", "0", "0s"),
        ("keep_finished", "forever", "forever"),
        ("keep_files", "0", "0s"),
        ("keep_files", "7d", "7d"),
        ("keep_files", "forever", "forever"),
        ("digest", "none", "none"),
        ("file_mode", "0640", "0640"),
        ("file_mode", "664", "0664"),
        ("directory_mode", "0750", "0750"),
        ("file_group", "root", "root"),
        ("file_group", "4711", "4711"),
        ("webhook_url", "http://127.0.0.1:9/hook?x=1", "http://127.0.0.1:9/REDACTED"),
        ("max_body_bytes", "64KiB", "64KiB"),
        ("max_connections_per_address", "8", "8"),
        ("max_streams", "2000", "2000"),
        ("max_streams_per_token", "1", "1"),
        ("stream_heartbeat", "60s", "1m"),
        ("log_level", "debug", "debug"),
        ("log_format", "json", "json"),
        ("key_file", "/run/secrets/key", "/run/secrets/key"),
    ])
    func aTextBecomesItsValue(_ key: String, _ text: String, _ shown: String) throws {
        let setting = try #require(Setting.all.first { $0.key == key })

        #expect(setting.show(try resolved(key, text)) == shown)
    }

    @Test(arguments: [
        ("listen", "8080x"), ("data_dir", ""), ("max_concurrent", "0"), ("max_concurrent", "-1"), ("workers", "none"),
        ("destinations", "private"), ("allow_destinations", "10.1.2.3/8"), ("cors_origins", "https://a.example/path"),
        ("cors_origins", "app.example.com"), ("max_download_bytes", "5gb"), ("min_free_bytes", "-1"),
        ("keep_finished", "30"), ("keep_files", "never"), ("keep_files", "-1d"), ("digest", "md5"),
        ("webhook_url", "ftp://example.com/"),
        ("webhook_url", "http://user:word@example.com/"), ("max_body_bytes", "1.5MiB"), ("log_level", "loud"),
        ("log_format", "xml"), ("public_hosts", "a b"), ("rate_schedule", "[]"), ("rate_schedule", "fast"),
        ("rate_schedule", #"[{"days":["mon"],"from":"08:00","to":"18:00","rate_limit":"1B"}]"#),
        ("rate_schedule", #"[{"days":["mon"],"from":"24:00","to":"18:00","rate_limit":"1MiB"}]"#),
        ("rate_schedule", #"[{"days":["day"],"from":"08:00","to":"18:00","rate_limit":"1MiB"}]"#),
        ("rate_schedule", #"[{"days":["mon"],"from":"8","to":"18:00","rate_limit":"1MiB"}]"#),
        ("rate_schedule", #"[{"days":["mon"],"from":"08:00","to":"18:00","rate":"1MiB"}]"#),
        ("rate_schedule", #"[{"days":["mon"],"from":"08:00","to":"18:00","paused":false}]"#),
        ("public_hosts", "downloads.example.com:8443"), ("public_hosts", "[::1]:80"), ("public_hosts", "[192.0.2.7]"),
        ("public_hosts", "https://a.example"), ("public_hosts", "a.example/"), ("public_hosts", "*"),
        ("max_streams", "0"), ("max_streams", "none"), ("max_streams_per_token", "0"), ("stream_heartbeat", "15"),
        ("file_mode", "0888"), ("file_mode", "0440"), ("file_mode", "+640"), ("file_mode", "02640"),
        ("file_mode", "64"),
        ("file_mode", "rw-r-----"), ("directory_mode", "0600"), ("directory_mode", "01777"),
        ("file_group", ""), ("file_group", "no such group"), ("file_group", "-1"), ("file_group", "4294967295"),
        ("connect_timeout", "0s"), ("connect_timeout", "11m"), ("silence_timeout", "0"), ("give_up_after", "none"),
        ("retry_delay", "0s"), ("max_retry_delay", "2d"), ("retry_statuses", "200"), ("retry_statuses", "5xx"),
        ("stream_heartbeat", "-1s"), ("not_found_retries", "-1"), ("not_found_retries", "none"),
    ])
    func aTextThatSpellsNoValueIsRefused(_ key: String, _ text: String) {
        #expect(throws: SettingsError.self) { try resolved(key, text) }
    }

    @Test func theAccessToFilesIsTheEngines() throws {
        let flags = ["file_mode": "0640", "directory_mode": "0750", "file_group": "4711"]

        let engine = try SettingsResolver(flags: flags).resolve().settings.engine

        #expect(engine.fileMode == 0o640 && engine.directoryMode == 0o750 && engine.fileGroup == 4711)
    }

    @Test func aModeThatIsNoneIsToldWhatWasExpected() {
        let error = #expect(throws: SettingsError.self) { try resolved("file_mode", "0980") }

        #expect(error?.problems.first?.detail == "expects octal permissions from 0600 to 0777 that include 0600")
    }

    @Test(arguments: [
        ("127.0.0.1:8080", "", "any"), (":8080", "", "public"), (":8080", "any", "any"),
        ("[::1]:1", "public", "public"),
    ])
    func destinationsFollowExposureUnlessSaid(_ listen: String, _ choice: String, _ policy: String) throws {
        var resolver = SettingsResolver(flags: ["listen": listen, "allow_destinations": "10.0.0.0/8"])
        resolver.flags["destinations"] = choice.isEmpty ? nil : choice

        let resolved = try resolver.resolve()
        let settings = resolved.settings

        #expect(resolved.warnings.isEmpty)
        #expect(settings.allowedDestinations.count == 1)
        let allowances = settings.allowedDestinations
        #expect(
            settings.destinationPolicy
                == (policy == "any" ? .clientChosen(allowances: allowances) : .publicOnly(allowances: allowances))
        )
    }
}

@Suite
struct ByteSizeTests {
    @Test(
        arguments: [
            ("0", 0), ("1", 1), ("512B", 512), ("1KiB", 1024), ("10MiB", 10 << 20), ("3GiB", 3 << 30),
            ("2TiB", 2 << 40),
            ("5MB", 5_000_000), ("3kB", 3000), ("1GB", 1_000_000_000), ("1TB", 1_000_000_000_000),
            ("9223372036854775807", Int64.max),
        ] as [(String, Int64)]
    )
    func aSizeIsRead(_ text: String, _ bytes: Int64) {
        #expect(ByteSize.parse(text) == bytes)
        #expect(ByteSize.parse(ByteSize.text(bytes)) == bytes)
    }

    @Test(
        arguments: [
            "", "-1", "1.5MiB", "1 MiB", "1mb", "1mib", "MiB", "9223372036854775808", "9000000TiB", "9300000TB", "٣",
        ]
    )
    func anythingElseIsRefused(_ text: String) {
        #expect(ByteSize.parse(text) == nil)
    }

    @Test(
        arguments: [
            (0, "0 B"), (999, "999 B"), (1000, "1.0 KiB"), (1536, "1.5 KiB"), (102_400, "100 KiB"),
            (1_023_000, "999 KiB"),
            (1_048_576, "1.0 MiB"), (12_897_485, "12.3 MiB"), (5 << 30, "5.0 GiB"), (3000 << 40, "3000 TiB"),
        ] as [(Int64, String)]
    )
    func aSizeIsRoundedForPeople(_ bytes: Int64, _ text: String) {
        #expect(ByteSize.rounded(bytes) == text)
    }
}

@Suite
struct DurationTextTests {
    @Test(arguments: [("0", 0), ("0s", 0), ("30s", 30), ("15m", 900), ("24h", 86_400), ("7d", 604_800), ("90s", 90)])
    func aDurationIsRead(_ text: String, _ seconds: Int) {
        #expect(DurationText.parse(text) == .seconds(seconds))
        #expect(DurationText.parse(DurationText.text(.seconds(seconds))) == .seconds(seconds))
    }

    @Test(arguments: ["", "s", "30", "-1s", "1.5h", "1h30m", "30 s", "1w", "36526d", "99999999999999999999s"])
    func anythingElseIsRefused(_ text: String) {
        #expect(DurationText.parse(text) == nil)
    }

    @Test(arguments: [
        (0, "0:00"), (7, "0:07"), (725, "12:05"), (10_800, "3:00:00"), (359_999, "99:59:59"), (360_000, "4 d"),
        (-5, "0:00"),
    ])
    func aClockIsShown(_ seconds: Int, _ text: String) {
        #expect(DurationText.clock(.seconds(seconds)) == text)
    }
}

@Suite
struct ListenAddressTests {
    @Test(arguments: [
        ("127.0.0.1:8080", "127.0.0.1:8080", true),
        ("127.9.9.9:1", "127.9.9.9:1", true),
        ("[::1]:8080", "[::1]:8080", true),
        ("[::ffff:127.0.0.1]:1", "[::ffff:127.0.0.1]:1", true),
        ("localhost:80", "127.0.0.1:80", true),
        ("8080", "127.0.0.1:8080", true),
        ("0", "127.0.0.1:0", true),
        (":8080", "0.0.0.0:8080", false),
        ("[::]:8080", "[::]:8080", false),
        ("192.0.2.1:80", "192.0.2.1:80", false),
        ("[2001:db8::1]:65535", "[2001:db8::1]:65535", false),
    ])
    func anAddressIsRead(_ text: String, _ description: String, _ isLoopback: Bool) throws {
        let address = try #require(ListenAddress(text))

        #expect(address.description == description)
        #expect(address.isLoopback == isLoopback)
    }

    @Test(arguments: [
        "", ":", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:-1", "127.0.0.1:+80", "example.com:80",
        "::1:8080", "[::1]", "[127.0.0.1]:80", "[::1:80", "1.2.3:80", "127.0.0.1:80 ", "127.0.0.1:８０",
    ])
    func anythingElseIsRefused(_ text: String) {
        #expect(ListenAddress(text) == nil)
    }

    @Test(arguments: [(":80", "127.0.0.1:80"), ("[::]:80", "[::1]:80"), ("192.0.2.1:80", "192.0.2.1:80")])
    func aClientOnThisMachineReachesIt(_ text: String, _ reachable: String) throws {
        #expect(try #require(ListenAddress(text)).reachable.description == reachable)
    }
}
