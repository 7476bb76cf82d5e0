"""The names, description and addresses under which directories of assistants list CaseTrack. Nothing is published under them yet: see docs/dev/releasing.md.

Standard library only. Used by npm.py, wheel.py, mcpb.py, manifests.py and directory.py.
"""

# The name in the MCP registry: a domain that its owner proves, and the name of the server.
MCP_NAME = "dev.casetrack/casetrack"
DESCRIPTION = "Search your own documents on your own machine, with citations to page, paragraph and line."
SITE = "https://casetrack.dev"
DOCUMENTATION = f"{SITE}/docs"
SUPPORT = f"{SITE}/support"
PRIVACY = f"{SITE}/privacy"
RELEASES = f"{SITE}/releases"
