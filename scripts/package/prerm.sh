#!/bin/sh
# Run by dpkg before the package is removed. Ends its processes, and names what only the users themselves may change.
set -e
[ "$1" = remove ] || exit 0
program=/usr/bin/casetrack

getent passwd | while IFS=: read -r user _ _ _ _ home _; do
    config=$home/.config
    unit=$config/systemd/user/casetrack.service
    if [ -e "$unit" ] && grep -qF "\"$program\"" "$unit"; then
        systemctl --user --machine="$user@.host" disable --now casetrack.service >/dev/null 2>&1 || true
        echo "casetrack: delete the service of $user: $unit"
    fi
    for file in "$home/.claude.json" "$home/.cursor/mcp.json" "$home/.codeium/windsurf/mcp_config.json" "$home/.codex/config.toml" \
        "$home/.gemini/settings.json" "$config/Claude/claude_desktop_config.json" "$config/zed/settings.json" \
        "$config/Code/User/mcp.json" "$config/Code - Insiders/User/mcp.json"; do
        if [ -e "$file" ] && grep -qF "\"$program\"" "$file"; then
            echo "casetrack: an assistant of $user would still start CaseTrack; take it out of $file"
        fi
    done
done

# The background processes save what they have open, then end.
for process in /proc/[0-9]*; do
    if [ "$(readlink "$process/exe" || true)" = "$program" ]; then kill "${process#/proc/}" || true; fi
done
