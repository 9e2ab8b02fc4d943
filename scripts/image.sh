#!/usr/bin/env bash
# Builds the image of the Dockerfile without a Docker engine, and drives it with a real client. For a machine where Debian's
# buildah and debootstrap can be had and root is ours; elsewhere `docker build .` does the first half.
# The base image is not pulled: it is made from Debian's packages and Node's binary of the npm package `node`.
set -euo pipefail
cd "$(dirname "$0")/.."

NODE_VERSION=${NODE_VERSION:-24.21.0}
BASE=docker.io/library/node:24-slim
PORT=${PORT:-18787}

[ "$(id -u)" -eq 0 ] || { echo "image: building in a chroot needs root"; exit 2; }
command -v npm >/dev/null || { echo "image: npm is not installed"; exit 2; }
if ! command -v buildah >/dev/null || ! command -v debootstrap >/dev/null; then
  echo "image: installing buildah and debootstrap"
  apt-get update -qq && apt-get install -qq -y --no-install-recommends buildah debootstrap >/dev/null || { echo "image: apt-get has no buildah or debootstrap; this needs Debian"; exit 2; }
fi
# The client at the end is the official SDK.
[ -d node_modules ] || npm ci --silent

work=$(mktemp -d)
server=
model=
finish() {
  # buildah runs the guard in processes below its own: the whole group has to end.
  [ -z "$server" ] || kill -- "-$server" 2>/dev/null || true
  [ -z "$model" ] || kill "$model" 2>/dev/null || true
  wait 2>/dev/null || true
  rm -rf "$work"
}
trap finish EXIT

storage=(--root "$work/storage" --runroot "$work/run" --storage-driver vfs)
images() { buildah "${storage[@]}" "$@"; }

echo "image: making $BASE of Debian's packages and Node $NODE_VERSION"
debootstrap --variant=minbase bookworm "$work/rootfs" >"$work/debootstrap.log" 2>&1 || { tail -n 20 "$work/debootstrap.log"; exit 1; }
npm install --silent --no-save --prefix "$work/node" "node@$NODE_VERSION" >/dev/null
install -m 755 "$work/node/node_modules/node/bin/node" "$work/rootfs/usr/local/bin/node"
mkdir -p "$work/rootfs/usr/local/lib/node_modules"
cp -r "$(npm root --global)/npm" "$work/rootfs/usr/local/lib/node_modules/npm"
ln -sf ../lib/node_modules/npm/bin/npm-cli.js "$work/rootfs/usr/local/bin/npm"
chroot "$work/rootfs" useradd --create-home --uid 1000 node
# Where a company's proxy signs what comes from the registry, the build has to trust it, too.
certificates=()
if [ -n "${NODE_EXTRA_CA_CERTS:-}" ]; then
  install -D -m 644 "$NODE_EXTRA_CA_CERTS" "$work/rootfs/usr/local/share/extra-ca.crt"
  certificates=(--env NODE_EXTRA_CA_CERTS=/usr/local/share/extra-ca.crt)
fi
base=$(images from scratch)
images copy --quiet "$base" "$work/rootfs" / >/dev/null
images config --env PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "${certificates[@]}" "$base"
images commit --quiet "$base" "$BASE" >/dev/null
images rm "$base" >/dev/null
rm -rf "$work/rootfs" "$work/node"

echo "image: building the Dockerfile"
images bud --quiet --isolation chroot --pull-never --format docker -t unloop . >"$work/build.log" 2>&1 || { tail -n 40 "$work/build.log"; exit 1; }

container=$(images from --pull-never unloop)
config() { images inspect --type image --format "{{$1}}" unloop; }
root=$(images mount "$container")
echo "image: user $(config .OCIv1.Config.User), $(du -sm "$root/app" | cut -f1) MB in /app"
images umount "$container" >/dev/null

node scripts/image-client.mjs model "$work/model.url" &
model=$!
for _ in $(seq 100); do [ -s "$work/model.url" ] && break; sleep 0.1; done

words() { images inspect --type image --format "{{range $1}}{{.}} {{end}}" unloop; }
read -r -a command <<<"$(words .OCIv1.Config.Entrypoint) $(words .OCIv1.Config.Cmd)"
setsid buildah "${storage[@]}" run --isolation chroot --env "UNLOOP_UPSTREAM=$(cat "$work/model.url")" --env UNLOOP_HOST=127.0.0.1 --env "UNLOOP_PORT=$PORT" \
  "$container" -- "${command[@]}" >"$work/server.log" 2>&1 &
server=$!
node scripts/image-client.mjs agent "http://127.0.0.1:$PORT" || { tail -n 20 "$work/server.log"; exit 1; }
