#!/usr/bin/env bash
# Checks the subjects of the commits since the rule was made: `area: Verb object`, at most 72 characters. Merges are left out.
#   scripts/check/commits.sh [FROM]   since the commit FROM
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../env.sh"

FROM=${1:-01e7fab05110df1972b3925f96e66dc8802f2cfb}
if ! git merge-base --is-ancestor "$FROM" HEAD 2>/dev/null; then
    say "The history of this checkout does not reach back to $FROM; no subject is checked"
    exit 0
fi
wrong=$(git log --no-merges --format='%h %s' "$FROM..HEAD" | grep -vE '^[0-9a-f]+ ([a-z0-9]+([-_.][a-z0-9]+)*|\.ci)(, [a-z0-9_-]+)*: [A-Z][a-z]+( .+)?$' || true)
long=$(git log --no-merges --format='%h %s' "$FROM..HEAD" | awk '{ subject = substr($0, index($0, " ") + 1) } length(subject) > 72')
if [ -n "$wrong$long" ]; then
    fail "These subjects are not \"area: Verb object\" in at most 72 characters:" "$(printf '%s\n' "$wrong" "$long" | sort -u | sed '/^$/d')"
fi
say "The subjects of $(git rev-list --count --no-merges "$FROM..HEAD") commits keep the rule"
