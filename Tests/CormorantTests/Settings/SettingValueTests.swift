import Model
import Testing
import Transfers

@testable import cormorant

@Suite
struct SettingValueTests {
    private func resolved(_ key: String, _ text: String) throws -> Settings {
        try SettingsResolver(flags: [key: text]).resolve().settings
    }

    @Test
    func namesAreUniqueAndSnakeCase() {
        let keys = Setting.all.map(\.key)

        #expect(Set(keys).count == keys.count)
        for key in keys { #expect(key.allSatisfy { ("a"..."z").contains($0) || $0 == "_" }) }
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

    @Test(arguments: [("64", "auto", 16), ("3", "auto", 1), ("64", "64", 64), ("8", "2", 2)])
    func oneHostHasAQuarterOfTheSlotsUnlessTheOperatorSaysOtherwise(
        _ slots: String,
        _ perHost: String,
        _ downloads: Int
    ) throws {
        let settings = try SettingsResolver(flags: ["max_concurrent": slots, "max_per_host": perHost]).resolve()
            .settings

        #expect(settings.downloadsPerHost == downloads)
    }

    @Test func aFloorOfSpeedIsTheEngines() throws {
        let settings = try SettingsResolver(flags: ["min_speed": "20KiB", "min_speed_time": "30s"]).resolve().settings

        #expect(settings.engine.speedFloor == SpeedFloor(bytesPerSecond: 20 << 10, time: .seconds(30)))
        #expect(Settings().engine.speedFloor == nil)
    }

    @Test(arguments: [
        ("listen", "[::1]:80", "[::1]:80"),
        ("public_hosts", "Example.COM, b.example", "example.com,b.example"),
        ("public_hosts", "[FD00::1], ::1, 192.0.2.7", "fd00::1,::1,192.0.2.7"),
        ("cors_origins", "https://app.example.com,*", "https://app.example.com,*"),
        ("queue_limit", "none", "none"),
        ("queue_limit", "100", "100"),
        ("workers", "2", "2"),
        (
            "rate_schedule",
            #"[{"days": ["sun", "mon"], "from": "08:00", "to": "18:00", "rate_limit": "2048KiB"}]"#,
            #"[{"days":["mon","sun"],"from":"08:00","rate_limit":"2MiB","to":"18:00"}]"#
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
        ("digest", "none", "none"),
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
        ("cors_origins", "app.example.com"), ("max_download_bytes", "5GB"), ("min_free_bytes", "-1"),
        ("keep_finished", "30"), ("digest", "md5"), ("webhook_url", "ftp://example.com/"),
        ("webhook_url", "http://user:word@example.com/"), ("max_body_bytes", "1.5MiB"), ("log_level", "loud"),
        ("log_format", "xml"), ("public_hosts", "a b"), ("rate_schedule", "[]"), ("rate_schedule", "fast"),
        ("rate_schedule", #"[{"days":["mon"],"from":"08:00","to":"18:00","rate_limit":"1B"}]"#),
        ("rate_schedule", #"[{"days":["mon"],"from":"24:00","to":"18:00","rate_limit":"1MiB"}]"#),
        ("rate_schedule", #"[{"days":["day"],"from":"08:00","to":"18:00","rate_limit":"1MiB"}]"#),
        ("rate_schedule", #"[{"days":["mon"],"from":"8","to":"18:00","rate_limit":"1MiB"}]"#),
        ("rate_schedule", #"[{"days":["mon"],"from":"08:00","to":"18:00","rate":"1MiB"}]"#),
        ("public_hosts", "downloads.example.com:8443"), ("public_hosts", "[::1]:80"), ("public_hosts", "[192.0.2.7]"),
        ("public_hosts", "https://a.example"), ("public_hosts", "a.example/"), ("public_hosts", "*"),
        ("max_streams", "0"), ("max_streams", "none"), ("max_streams_per_token", "0"), ("stream_heartbeat", "15"),
        ("stream_heartbeat", "-1s"),
    ])
    func aTextThatSpellsNoValueIsRefused(_ key: String, _ text: String) {
        #expect(throws: SettingsError.self) { try resolved(key, text) }
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

        #expect(resolved.warnings.count == (policy == "any" ? 1 : 0))
        #expect((settings.destinationPolicy == .any ? "any" : "public") == policy)
        if policy == "public" {
            #expect(settings.destinationPolicy == .publicOnly(allowances: settings.allowedDestinations))
            #expect(settings.allowedDestinations.count == 1)
        }
    }
}
