#!/usr/bin/env bash
# Sets CaseTrack up, ingests the sample matter and asks it some questions.
# The data stays in ~/.cache/casetrack/demo afterwards, so that you can go on asking; the next run starts afresh.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/env.sh"

scripts/setup.sh

data=$HOME/.cache/casetrack/demo
matter="Harbour Point"

# Prints a command as you would type it, then runs it.
casetrack() {
    local word
    printf '\n$ casetrack'
    for word in "$@"; do
        case $word in
        *[!A-Za-z0-9_./-]*) printf ' "%s"' "$word" ;;
        *) printf ' %s' "$word" ;;
        esac
    done
    printf '\n\n'
    "$BIN" --data-dir "$data" "$@"
}

# The process that the last run left behind, if it is still there.
if [ -d "$data" ]; then "$BIN" --data-dir "$data" --quiet stop >/dev/null; fi
rm -rf -- "$data"
printf '\nEvery command below is run as: %s --data-dir %s ...\n' "$BIN" "$data"

casetrack new "$matter" --type contract --id HP-2025-014

casetrack ingest samples/harbour-point -c "$matter"

casetrack documents -c "$matter"
casetrack search "What is the late payment interest rate after the amendment?" -c "$matter" -k 3
casetrack search "Who approved the change order for the east stair?" -c "$matter" -k 2
casetrack search "Why was the tower crane stood down?" -c "$matter" -k 1

top=$("$BIN" --data-dir "$data" --json search "Why was the tower crane stood down?" -c "$matter" -k 1 |
    python3 -c 'import json, sys; print(json.load(sys.stdin)["results"][0]["chunk_id"])')
casetrack show "$top" -c "$matter"
casetrack summary -c "$matter"
casetrack verify -c "$matter"

printf '\nMore questions to ask: samples/README.md. To use your own files: README.md.\n'
