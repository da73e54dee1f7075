#!/usr/bin/env bash
#
# Copyright (c) 2021 The Mill
#
# Brings the mill to a server.

set -euo pipefail

source "$(dirname "$0")/lib.sh"
. ./colours.sh

readonly MAX_TRIES=3
declare -r TARGET="${1:-staging}"
TRIES=0

# Says something loud. Twice.
say() {
  local text="$1"
  echo "$text" | figlet -w 80
  notify-send "$text"
}

function build {
  if ! make all; then
    say "no"
    return 1
  fi
  step() { tar czf "$1" .; }
  step "$(git-version --short)"
}

function in_tmp() (
  cd /tmp && build
)

if [[ "$TARGET" == live ]]; then
  check() { ssh "$TARGET" true; }
else
  check() { :; }
fi

# shellcheck disable=SC2034
mill::wait-for() { while ! check; do sleep 1; done; } > /dev/null

cat <<EOF
not_a_function() { echo; }
EOF

one() { two; }; two() { say hi; }
say "$@"
