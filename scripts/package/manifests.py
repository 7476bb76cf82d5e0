#!/usr/bin/env python3
"""Writes the manifests with which winget and Scoop install the archive for Windows. Called by scripts/package.sh after the archive.

Each names the archive by its address of the release and its SHA-256. Needs only the standard library.
"""

import hashlib
import json
import os
from pathlib import Path

from addresses import DESCRIPTION, DOCUMENTATION, PRIVACY, RELEASES, SITE, SUPPORT

VERSION, MACHINE = os.environ["VERSION"], os.environ["MACHINE"]
OUT = Path(os.environ["OUT"])
NAME = f"casetrack-{VERSION}-windows-{MACHINE}"
IDENTIFIER = "CaseTrack.CaseTrack"
# The newest version of the format that the winget of every supported Windows reads.
FORMAT = "1.10.0"


def winget(url, digest):
    """The three files of a version, by their names."""

    def manifest(kind, text):
        head = f"# yaml-language-server: $schema=https://aka.ms/winget-manifest.{kind}.{FORMAT}.schema.json\n"
        names = f"PackageIdentifier: {IDENTIFIER}\nPackageVersion: {VERSION}\n"
        return f"{head}{names}{text}ManifestType: {kind}\nManifestVersion: {FORMAT}\n"

    installer = f"""InstallerType: zip
NestedInstallerType: portable
NestedInstallerFiles:
  - RelativeFilePath: {NAME}\\bin\\casetrack.exe
    PortableCommandAlias: casetrack
Installers:
  - Architecture: x64
    InstallerUrl: {url}
    InstallerSha256: {digest.upper()}
"""
    locale = f"""PackageLocale: en-US
Publisher: The CaseTrack contributors
PublisherUrl: {SITE}
PublisherSupportUrl: {SUPPORT}
PrivacyUrl: {PRIVACY}
PackageName: CaseTrack
PackageUrl: {SITE}
License: MIT OR Apache-2.0
ShortDescription: {DESCRIPTION}
Moniker: casetrack
Tags:
  - documents
  - legal
  - mcp
  - search
Documentations:
  - DocumentLabel: Documentation
    DocumentUrl: {DOCUMENTATION}
"""
    return {
        f"{IDENTIFIER}.yaml": manifest("version", "DefaultLocale: en-US\n"),
        f"{IDENTIFIER}.installer.yaml": manifest("installer", installer),
        f"{IDENTIFIER}.locale.en-US.yaml": manifest("defaultLocale", locale),
    }


def scoop(url, digest):
    manifest = {
        "version": VERSION,
        "description": DESCRIPTION,
        "homepage": SITE,
        "license": {"identifier": "MIT|Apache-2.0"},
        "architecture": {"64bit": {"url": url, "hash": digest}},
        "extract_dir": NAME,
        "bin": "bin\\casetrack.exe",
        "pre_uninstall": '& "$dir\\bin\\casetrack.exe" stop | Out-Null',
    }
    return json.dumps(manifest, indent=4) + "\n"


def main():
    archive = OUT / f"{NAME}.zip"
    digest = hashlib.sha256(archive.read_bytes()).hexdigest()
    url = f"{RELEASES}/v{VERSION}/{archive.name}"
    for name, text in {**winget(url, digest), "scoop-casetrack.json": scoop(url, digest)}.items():
        (OUT / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
