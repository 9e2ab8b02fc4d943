#!/usr/bin/env bash
# Makes the virtual environments of the Python clients: bash test/python/install.sh [DIRECTORY] [NAME...]
set -euo pipefail
here="$(cd "$(dirname "$0")" && pwd)"
root="${1:-$here/../../.python}"
shift || true
names=("$@")
[ "${#names[@]}" -gt 0 ] || names=(main llama crew qwen griptape browser package openapi)
for name in "${names[@]}"; do
  [ -x "$root/$name/bin/python" ] || python3 -m venv "$root/$name"
  "$root/$name/bin/pip" install --quiet --no-input --requirement "$here/requirements/$name.txt"
done
echo "made in $root: ${names[*]}"
