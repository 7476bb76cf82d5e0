#!/usr/bin/env python3
"""Makes crates/casetrack-vault/tests/vectors.json: things sealed by another implementation of the formats in docs/dev/vault-formats.md.

It shares no code with the program: the formats are written here a second time, over other libraries. The tests in
crates/casetrack-vault/src/vectors.rs open them.

    pip install pycryptodome argon2-cffi lz4 mnemonic
    python3 scripts/make/vault_vectors.py
"""

import base64
import hashlib
import hmac
import json
import pathlib
import struct
import unicodedata

import lz4.block
from argon2.low_level import Type, hash_secret_raw
from Crypto.Cipher import AES, ChaCha20_Poly1305
from Crypto.Hash import SHA256
from Crypto.Protocol.KDF import HKDF
from mnemonic import Mnemonic

OUT = pathlib.Path(__file__).resolve().parents[2] / "crates/casetrack-vault/tests/vectors.json"
BLOCK = 65536

COLLECTION = bytes(range(0x10, 0x20))
MASTER = bytes(range(0x40, 0x60))
PASSPHRASE = "Größe \N{LATIN SMALL LIGATURE FI}x"
RECOVERY = bytes(range(0x80, 0xA0))
KEYCHAIN = bytes(range(0xC0, 0xE0))
CREATED = 1_700_000_000_123


def hkdf(key, salt, info):
    return HKDF(key, 32, salt, SHA256, context=info)


def subkey(purpose):
    return hkdf(MASTER, COLLECTION, b"casetrack-vault-1 " + purpose)


def seal(key, nonce, plain, associated):
    """ChaCha20-Poly1305 with 12 bytes of nonce, XChaCha20-Poly1305 with 24."""
    cipher = ChaCha20_Poly1305.new(key=key, nonce=nonce)
    cipher.update(associated)
    sealed, tag = cipher.encrypt_and_digest(plain)
    return sealed + tag


def value(family, key, plain, nonce, compress):
    packed = b"\x00" + plain
    if compress:
        packed = b"\x01" + struct.pack("<I", len(plain)) + lz4.block.compress(plain, store_size=False)
    place = b"casetrack value" + bytes([1, len(family)]) + family + key
    return b"\x01" + nonce + seal(subkey(b"values"), nonce, packed, place)


def file(name, plain, file_id, file_key, nonce):
    head = b"CTVFILE\x01" + file_id
    out = head + nonce + seal(subkey(b"files"), nonce, file_key, head + name)
    blocks = [plain[at : at + BLOCK] for at in range(0, len(plain), BLOCK)] or [b""]
    for number, block in enumerate(blocks):
        last = number == len(blocks) - 1
        out += seal(file_key, number.to_bytes(11, "big") + bytes([last]), block, file_id)
    return out


def slot(kind, slot_id, parameters, wrapping, nonce):
    head = bytes([kind]) + slot_id + struct.pack("<q", CREATED)
    associated = b"casetrack slot" + b"CTVAULT\x01" + COLLECTION + head + parameters
    body = parameters + nonce + seal(wrapping, nonce, MASTER, associated)
    return head + struct.pack("<H", len(body)) + body


def header():
    salt = b"\xA1" * 16
    memory, passes, lanes = 64, 2, 2
    text = unicodedata.normalize("NFKC", PASSPHRASE).encode()
    key = hash_secret_raw(text, salt, passes, memory, lanes, 32, Type.ID)
    slots = slot(1, b"\xB1" * 16, struct.pack("<III", memory, passes, lanes) + salt, key, b"\xC1" * 24)
    salt = b"\xA2" * 16
    key = hkdf(RECOVERY, salt, b"casetrack-vault-1 recovery" + COLLECTION)
    slots += slot(2, b"\xB2" * 16, salt, key, b"\xC2" * 24)
    salt = b"\xA3" * 16
    key = hkdf(KEYCHAIN, salt, b"casetrack-vault-1 keychain" + COLLECTION)
    slots += slot(4, b"\xB3" * 16, salt, key, b"\xC3" * 24)
    vouched = b"CTVAULT\x01" + COLLECTION + struct.pack("<Q", 3) + b"\x03" + slots
    vouched += hmac.digest(subkey(b"header"), vouched, "sha256")
    return vouched + hashlib.sha256(vouched).digest()[:8]


def exported(passphrase, plain):
    """A file of age, as docs/dev/vault-formats.md has it."""
    def base64_of(data):
        return base64.b64encode(data).rstrip(b"=")

    file_key, salt, nonce = b"\x31" * 16, b"\x32" * 16, b"\x33" * 16
    work = 10
    wrapping = hashlib.scrypt(passphrase.encode(), salt=b"age-encryption.org/v1/scrypt" + salt, n=1 << work, r=8, p=1, maxmem=1 << 26, dklen=32)
    body = seal(wrapping, b"\0" * 12, file_key, b"")
    header = b"age-encryption.org/v1\n-> scrypt %s %d\n%s\n---" % (base64_of(salt), work, base64_of(body))
    header += b" " + base64_of(hmac.digest(hkdf(file_key, b"", b"header"), header, "sha256")) + b"\n"
    key = hkdf(file_key, nonce, b"payload")
    blocks = [plain[at : at + BLOCK] for at in range(0, len(plain), BLOCK)]
    sealed = [seal(key, number.to_bytes(11, "big") + bytes([number == len(blocks) - 1]), block, b"") for number, block in enumerate(blocks)]
    return header + nonce + b"".join(sealed)


def main():
    text = ("The tenant pays the rent in advance. " * 20).encode()
    long = bytes(at * 31 % 251 for at in range(2 * BLOCK + 3))
    sealed_long = file(b"dense/a", long, b"\xD1" * 16, b"\xE1" * 32, b"\xF1" * 24)
    vectors = {
        "passphrase": PASSPHRASE,
        "words": Mnemonic("english").to_mnemonic(RECOVERY),
        "keychain": base64.b64encode(KEYCHAIN).decode(),
        "header": header().hex(),
        "family": "page_text",
        "key": "00010203",
        "value": text.hex(),
        "value_as_it_is": value(b"page_text", b"\x00\x01\x02\x03", text, b"\x11" * 24, False).hex(),
        "value_compressed": value(b"page_text", b"\x00\x01\x02\x03", text, b"\x22" * 24, True).hex(),
        "file_name": "dense/a",
        "file_empty": file(b"dense/a", b"", b"\xD2" * 16, b"\xE2" * 32, b"\xF2" * 24).hex(),
        "file_short": file(b"dense/a", text, b"\xD3" * 16, b"\xE3" * 32, b"\xF3" * 24).hex(),
        # Three blocks: byte n is n * 31 % 251.
        "file_long_bytes": len(long),
        "file_long_sha256": hashlib.sha256(sealed_long).hexdigest(),
        "export": exported(PASSPHRASE, text).hex(),
        "id": bytes(range(16)).hex(),
        "id_masked": AES.new(subkey(b"ids"), AES.MODE_ECB).encrypt(bytes(range(16))).hex(),
    }
    OUT.write_text(json.dumps(vectors, indent=1) + "\n")


if __name__ == "__main__":
    main()
