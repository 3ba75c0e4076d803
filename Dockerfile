# syntax=docker/dockerfile:1
FROM swift:6.3.1-bookworm AS build

# Debian serves only the newest version of a package in a release; a pinned one would cease to build.
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install -y --no-install-recommends \
        libcurl4-openssl-dev libmicrohttpd-dev libsqlite3-dev pkg-config zlib1g-dev \
    && rm -rf /var/lib/apt/lists/*

WORKDIR /source
# The packages change seldom: they are fetched apart, so that a change of the sources does not fetch them again.
COPY Package.* ./
RUN swift package resolve
COPY openapi.yaml openapi.json ./
COPY Sources Sources
COPY Tests Tests
COPY scripts/hardening scripts/hardening
RUN swift build -c release --product cormorant --static-swift-stdlib --disable-local-rpath \
    && install -D -s "$(swift build -c release --show-bin-path)/cormorant" /out/cormorant \
    && scripts/hardening /out/cormorant \
    && install -d -m 0750 -o 10001 -g 10001 /out/data

FROM debian:bookworm-slim

# The upgrade brings security fixes, those of libcurl above all, which the base image may not have yet.
# Debian serves only the newest version of a package in a release; a pinned one would cease to build.
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get upgrade -y \
    && apt-get install -y --no-install-recommends \
        ca-certificates libcurl4 libmicrohttpd12 libsqlite3-0 zlib1g \
    && rm -rf /var/lib/apt/lists/*

COPY --from=build /out/cormorant /usr/local/bin/cormorant
COPY --from=build --chown=10001:10001 /out/data /data

ARG VERSION=0.1.0
ARG REVISION=unknown
ARG CREATED=1970-01-01T00:00:00Z
LABEL org.opencontainers.image.title="Cormorant" \
    org.opencontainers.image.description="A download service: give it a URL, and it brings the bytes back whole." \
    org.opencontainers.image.licenses="Apache-2.0" \
    org.opencontainers.image.version="${VERSION}" \
    org.opencontainers.image.revision="${REVISION}" \
    org.opencontainers.image.created="${CREATED}" \
    org.opencontainers.image.base.name="docker.io/library/debian:bookworm-slim"

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
