"""Seeded texts of 1 to 510 word pieces in many scripts, to compare embeddings on."""
import random

POOLS = {
    "latin": """café naïve Zürich résumé façade señor Ångström œuvre Łódź Škoda doğru përkthim Übermaß coöperate tiếng Việt
        bibliothèque jalapeño smörgåsbord ground river quantum house seven paper window unbelievably antidisestablishmentarianism""",
    "cyrillic": "договор сторона поставщик обязуется передать товар покупателю срок оплаты Москва ёлка подъезд їжак джерело ќе ћирилица",
    "greek": "σύμβαση μέρος προμηθευτής αγοραστής πληρωμή Αθήνα ευθύνη φως ψυχή ὁ λόγος ἀρχή ΰψος Ωμέγα",
    "cjk": "契約 当事者 供給者は買主に商品を引き渡す 合同 双方 付款期限 東京 カタカナ ひらがな 계약 당사자 서울 지급 ，。 「責任」",
    "arabic": "العقد الطرف المورد يلتزم بتسليم البضائع إلى المشتري خلال ثلاثين يوما ،؟ مَكْتَبَة ١٢٣ قرارداد فروشنده",
    "hebrew": "חוזה צד הספק מתחייב למסור סחורה לקונה בתוך שלושים יום שָׁלוֹם ירושלים תשלום",
    "devanagari": "अनुबंध पक्ष आपूर्तिकर्ता खरीदार भुगतान दिल्ली दायित्व नियम क्षति हिन्दी १२३ ।",
    "emoji": "🙂 👍🏽 👩‍👩‍👧 🇨🇭 📄 ⚖️ ❤️ 🚀 ☃ ✓ → ∞ ½ 😂😂",
    "numbers": "0 7 42 1,250.00 3.14159 2024-02-29 30/06/1999 €1.5m $12,000 99.9% 10^-9 0x1F 1e6 §12(b)(iii) +41-44-123-45-67 MMXXIV",
    "punctuation": """. , ; : ! ? ... -- ( ) [ ] { } " ' ` ~ @ # % ^ & * _ + = | \\ / < > “ ” ‘ ’ – — • ¶ § «  » don't O'Neill e.g. and/or""",
}
SENTENCES = """The Supplier shall indemnify and hold harmless the Buyer against all losses arising from any breach of this Agreement.
Neither party shall be liable for indirect or consequential damages, except in the case of wilful misconduct.
This Agreement shall be governed by and construed in accordance with the laws of the State of Delaware.
Either party may terminate this Agreement on ninety (90) days' prior written notice to the other party.
The Licensee may not assign, sublicense or transfer its rights without the prior written consent of the Licensor.
All notices under this Section 12.4 must be in writing and are deemed received three Business Days after posting.
The Contractor shall maintain commercial general liability insurance of not less than $2,000,000 per occurrence.
If any provision is held to be invalid or unenforceable, the remaining provisions continue in full force and effect.
The Receiving Party shall keep the Confidential Information secret for five years after termination or expiry.
Interest accrues on overdue sums at 4% per annum above the base rate from the due date until actual payment.
Force majeure means an event beyond the reasonable control of the party affected, including flood, war and strike.
The Employer may, by notice, require the Contractor to remedy any defect within the Defects Liability Period.
Title to the Goods passes to the Buyer upon payment in full; risk passes upon delivery ex works (Incoterms 2020).
No waiver of any right hereunder is effective unless it is made in writing and signed by the waiving party.""".splitlines()


def texts(tokenizer, count=500, most=510, seed=1):
    """[(kind, text)]: a kind after the other, among them "legal" and "mixed"; lengths in word pieces, without [CLS] and [SEP],
    from 1 to `most`, every fifth at most 8. A word is never cut, so that a text ends up to a word before its length."""
    choose = random.Random(seed)
    pools = {kind: words.split() for kind, words in POOLS.items()}
    pools["mixed"] = [word for words in pools.values() for word in words] + SENTENCES
    pools["legal"] = SENTENCES
    pieces = {part: len(tokenizer.encode(part, add_special_tokens=False).ids)
              for pool in pools.values() for item in pool for part in {item, *item.split()}}
    made = []
    for i in range(count):
        kind = list(pools)[i % len(pools)]
        room = choose.randint(1, 8) if i // len(pools) % 5 == 0 else choose.randint(9, most)
        parts = []
        while True:
            part = choose.choice(pools[kind])
            if pieces[part] > room:  # begin a sentence at least
                part = part.split()[0]
            if pieces[part] > room and parts:
                break
            parts.append(part)
            room -= pieces[part]
        made.append((kind, " ".join(parts)))
    return made
