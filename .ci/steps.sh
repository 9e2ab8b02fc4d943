# For the scripts beside it: steps that are counted, and a last line with the sums.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
export CI=true NO_COLOR=1 FORCE_COLOR=0 npm_config_update_notifier=false
log=$(mktemp -d)
trap 'rm -rf "$log"' EXIT
passed=0
failed=0
ran=()
left_out=()

# Runs one step under a name; a failing step is told and the rest still runs.
step() {
  local name=$1 file="$log/${#ran[@]}.log" start=$SECONDS
  shift
  echo "== $name: $*"
  if "$@" >"$file" 2>&1; then
    passed=$((passed + 1))
    tail -n 12 "$file"
    echo "-- ok, $((SECONDS - start)) s"
  else
    failed=$((failed + 1))
    tail -n 400 "$file"
    echo "-- FAILED: $name, $((SECONDS - start)) s"
  fi
  ran+=("$name")
  count "$file"
}

# Names a step that cannot be run here, and why.
leave_out() {
  echo "-- left out: $1 ($2)"
  left_out+=("$1 ($2)")
}

# Adds the test runner's own figures ("Tests  3 failed | 601 passed") to ours.
count() {
  local line
  line=$(grep -E '^ *Tests +' "$1" | tail -n 1)
  passed=$((passed + $(grep -oE '[0-9]+ passed' <<<"$line" | grep -oE '[0-9]+' || echo 0)))
  failed=$((failed + $(grep -oE '[0-9]+ failed' <<<"$line" | grep -oE '[0-9]+' || echo 0)))
}

list() {
  local names
  names=$(printf '; %s' "$@")
  echo "${names#; }"
}

# Ends the script that calls it.
finish() {
  echo
  echo "ran in $((SECONDS / 60)) min $((SECONDS % 60)) s: $(list "${ran[@]}")"
  [ "${#left_out[@]}" -eq 0 ] || echo "left out: $(list "${left_out[@]}")"
  echo "$passed passed, $failed failed"
  [ "$failed" -eq 0 ]
  exit
}
