# syntax=docker/dockerfile:1
# Debian 13 in both stages: what the program is compiled with is what it runs with. Swift has no image for Debian 13;
# its toolchain for Debian 12 runs there. Every step holds for amd64 and arm64 (docs/DEPLOY.md).
FROM swift:6.3.1-bookworm AS toolchain

FROM debian:trixie-slim AS build
# Of the toolchain what a build needs, and nothing of the older Debian that it comes with. The paths are relative to it.
# hadolint ignore=DL3003
RUN --mount=type=bind,from=toolchain,source=/usr,target=/toolchain \
    cd /toolchain \
    && mkdir -p /opt/swift/usr \
    && cp --archive --parents --target-directory=/opt/swift/usr \
        bin/clang* bin/ld.lld bin/lld bin/llvm-* bin/swift* \
        lib/clang lib/swift lib/swift_static libexec/swift share/pm share/swift
ENV PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/opt/swift/usr/bin

WORKDIR /source
# The first line is what the toolchain and scripts/dependencies need, the second what the program needs.
# Debian serves only the newest version of a package in a release; a pinned one would cease to build.
# hadolint ignore=DL3008
RUN --mount=type=bind,source=scripts/deps,target=/source/scripts/deps \
    apt-get update \
    && apt-get install -y --no-install-recommends binutils libncurses6 libxml2 python3 \
    && scripts/deps build \
    && rm -rf /var/lib/apt/lists/*
# The packages change seldom: they are fetched apart, so that a change of the sources does not fetch them again.
COPY Package.swift dependencies.lock.json ./
COPY scripts/components.py scripts/dependencies scripts/
RUN scripts/dependencies --pin
COPY openapi.yaml openapi.json THIRD-PARTY-NOTICES.txt ./
COPY Sources Sources
COPY Tests Tests
COPY scripts/build-release scripts/hardening scripts/icu-data scripts/strip-release scripts/
RUN scripts/build-release \
    && mkdir /out \
    && scripts/strip-release "$(scripts/build-release --show-bin-path)/cormorant" /out/cormorant \
    && scripts/hardening /out/cormorant \
    && install -d -m 0750 /out/folders/data

FROM debian:trixie-slim AS files
# The upgrade brings security fixes, those of libcurl above all, which the base image may not have yet.
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get upgrade -y \
    && apt-get install -y --no-install-recommends \
        ca-certificates libcurl4t64 libmicrohttpd12t64 libsqlite3-0 tzdata zlib1g \
    && rm -rf /var/lib/apt/lists/*
COPY --from=build /out/cormorant /usr/local/bin/cormorant
COPY LICENSE THIRD-PARTY-NOTICES.txt /usr/share/doc/cormorant/
# The program, its libraries, certificates, time zones and licences: no shell, no package manager.
RUN --mount=type=bind,source=deploy/image/collect,target=/collect \
    bash /collect /usr/local/bin/cormorant /image

FROM scratch
COPY --from=files /image /
COPY --from=build --chown=10001:10001 /out/folders /

ARG VERSION=0.1.0
ARG REVISION=unknown
ARG CREATED=1970-01-01T00:00:00Z
LABEL org.opencontainers.image.title="Cormorant" \
    org.opencontainers.image.description="A download service: give it a URL, and it brings the bytes back whole." \
    org.opencontainers.image.licenses="Apache-2.0" \
    org.opencontainers.image.version="${VERSION}" \
    org.opencontainers.image.revision="${REVISION}" \
    org.opencontainers.image.created="${CREATED}"

ENV CORMORANT_LISTEN=0.0.0.0:8080 \
    CORMORANT_DATA_DIR=/data
VOLUME /data
EXPOSE 8080
# Numeric, so that a cluster can see that it is not root.
USER 10001:10001
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=3s --start-period=10s CMD ["/usr/local/bin/cormorant", "healthcheck"]
ENTRYPOINT ["/usr/local/bin/cormorant"]
CMD ["serve"]
