#!/usr/bin/env bash
# Runs a built image with Docker, and drives it with a real client: bash scripts/image-smoke.sh IMAGE [PLATFORM]
set -euo pipefail
cd "$(dirname "$0")/.."

image=$1
platform=${2:-}
port=${PORT:-18787}
work=$(mktemp -d)
container=
model=
finish() {
  [ -z "$container" ] || docker rm --force "$container" >/dev/null 2>&1 || true
  [ -z "$model" ] || kill "$model" 2>/dev/null || true
  rm -rf "$work"
}
trap finish EXIT

node scripts/image-client.mjs model "$work/model.url" &
model=$!
for _ in $(seq 100); do [ -s "$work/model.url" ] && break; sleep 0.1; done

# On the host's network: the model listens on loopback alone.
container=$(docker run --detach --network host ${platform:+--platform "$platform"} \
  --env "UNLOOP_UPSTREAM=$(cat "$work/model.url")" --env UNLOOP_HOST=127.0.0.1 --env "UNLOOP_PORT=$port" "$image")
node scripts/image-client.mjs agent "http://127.0.0.1:$port" || { docker logs "$container"; exit 1; }
docker stop --time 10 "$container" >/dev/null
[ "$(docker inspect --format '{{.State.ExitCode}}' "$container")" = 0 ] || { echo "image: it did not end with 0 on SIGTERM"; exit 1; }
echo "image: $image${platform:+ ($platform)} guards a real client, and ends when asked to"
