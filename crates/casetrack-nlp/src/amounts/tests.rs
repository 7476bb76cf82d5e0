use super::*;

fn amounts(text: &str) -> Vec<String> {
    let chars: Vec<char> = text.chars().collect();
    find(&Tokens::new(text), &Conventions::of([text]))
        .iter()
        .map(|mention| match &mention.value {
            Some(EntityValue::Amount(amount)) => {
                let surface: String = chars[mention.char_start as usize..mention.char_end as usize].iter().collect();
                format!("{surface} = {} {}", amount.value, amount.unit)
            }
            _ => unreachable!(),
        })
        .collect()
}

#[test]
fn every_form_gives_its_exact_value() {
    for (text, expected) in [
        ("a fee of $1,250,000 payable", "$1,250,000 = 1250000 USD"),
        ("USD 1.2 million was", "USD 1.2 million = 1200000 USD"),
        ("for € 3.5m.", "€ 3.5m = 3500000 EUR"),
        ("sum 1.250.000,50 EUR due", "1.250.000,50 EUR = 1250000.5 EUR"),
        ("at £200k each", "£200k = 200000 GBP"),
        ("Rs. 5 lakh only", "Rs. 5 lakh = 500000 INR"),
        ("₹12,34,567 in all", "₹12,34,567 = 1234567 INR"),
        ("pay twenty thousand dollars ($20,000) now", "twenty thousand dollars ($20,000) = 20000 USD"),
        ("Five Thousand and 50/100 Dollars ($5,000.50)", "Five Thousand and 50/100 Dollars ($5,000.50) = 5000.5 USD"),
        ("one million dollars (US$1,000,000)", "one million dollars (US$1,000,000) = 1000000 USD"),
        ("ten thousand ($10,000) dollars", "ten thousand ($10,000) dollars = 10000 USD"),
        ("50 cents each", "50 cents = 0.5 USD"),
        ("US$ 5.00 and", "US$ 5.00 = 5 USD"),
        ("U.S. $500", "U.S. $500 = 500 USD"),
        ("C$75.10", "C$75.10 = 75.1 CAD"),
        ("¥10,000", "¥10,000 = 10000 JPY"),
        ("net $(1,234)", "$(1,234) = -1234 USD"),
        ("loss of -$500", "-$500 = -500 USD"),
        ("12.5% of it", "12.5% = 12.5 %"),
        ("twelve percent (12%) of", "twelve percent (12%) = 12 %"),
        ("twelve (12) percent of", "twelve (12) percent = 12 %"),
        ("by 50 basis points", "50 basis points = 0.5 %"),
        ("$2.5\u{a0}billion", "$2.5\u{a0}billion = 2500000000 USD"),
        ("10 000 EUR", "10 000 EUR = 10000 EUR"),
        ("20,000 U.S. dollars", "20,000 U.S. dollars = 20000 USD"),
        ("$20,000 CAD", "$20,000 CAD = 20000 CAD"),
        (".5% interest", ".5% = 0.5 %"),
        ("1,5 % p.a.", "1,5 % = 1.5 %"),
        ("CHF 1'250.00", "CHF 1'250.00 = 1250 CHF"),
    ] {
        let text = text.replace("10 000", "10\u{a0}000");
        assert_eq!(amounts(&text), [expected.replace("10 000", "10\u{a0}000")], "{text}");
    }
}

/// Each text has these amounts and no others, as "value unit".
fn check(cases: &[(&str, &str)]) {
    let mut wrong = Vec::new();
    for (text, expected) in cases {
        let found: Vec<String> =
            amounts(text).iter().filter_map(|found| Some(found.rsplit_once(" = ")?.1.to_owned())).collect();
        if found.join("; ") != *expected {
            wrong.push(format!("{text:?}: {found:?}, not {expected:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_currency_belongs_to_the_number_of_its_cell() {
    check(&[
        ("Oven\t2\tEUR 18,400", "18400 EUR"),
        ("Shelves\t4\tGBP 3,150\nDesk\t1\tGBP 90", "3150 GBP; 90 GBP"),
        ("Oven\t2\t€18,400", "18400 EUR"),
        ("Oven\t2\t18,400 EUR\t3", "18400 EUR"),
        ("Oven\t2\tEUR\t18,400\n", "18400 EUR"),
        ("Revenue\t$\t1,234\t$\t5,678", "1234 USD; 5678 USD"),
        ("Rent\t18,400\tEUR\nFee\t200\tEUR", "18400 EUR; 200 EUR"),
        ("Oven,2,\"EUR 18,400\"", "18400 EUR"),
        ("Ofen;2;EUR 18.400,00", "18400 EUR"),
        ("| Oven | 2 | EUR 18,400 |", "18400 EUR"),
        ("Oven 2 EUR 18,400", "18400 EUR"),
        ("Oven    2    EUR 50 each", "50 EUR"),
        ("2\nEUR 18,400\n", "18400 EUR"),
        ("Item 2 USD 500 each", "500 USD"),
        ("EUR 100 USD 120", "100 EUR; 120 USD"),
        ("10 EUR 20 EUR 30 EUR", "10 EUR; 20 EUR; 30 EUR"),
        ("$100 EUR 92", "100 USD; 92 EUR"),
        ("pay 100 EUR 30 days after receipt", "100 EUR"),
        ("5\t%\t7", "5 %"),
        ("5\t% of sales", ""),
    ]);
}

#[test]
fn spaces_apostrophes_and_indian_groups_divide_digits() {
    check(&[
        ("CHF 1 250 000", "1250000 CHF"),
        ("CHF 1\u{202f}250\u{202f}000", "1250000 CHF"),
        ("CHF 1\u{2007}250\u{2009}000", "1250000 CHF"),
        ("USD 12 500.50 is", "12500.5 USD"),
        ("a total of 1 250 000,75 EUR", "1250000.75 EUR"),
        ("R 1 250 000 of rand", "1250000 ZAR"),
        ("5 000 zł", "5000 PLN"),
        ("Kč 12 500", "12500 CZK"),
        ("1'250'000 CHF", "1250000 CHF"),
        ("CHF 1’250’000.50", "1250000.5 CHF"),
        ("CHF 1´250´000", "1250000 CHF"),
        ("MXN 1'250,000.00", "1250000 MXN"),
        ("INR 1,00,000.50", "100000.5 INR"),
        ("Rs. 2.5 Lakhs and ₹ 3 lacs", "250000 INR; 300000 INR"),
        ("Rs 5 crore 20 lakh", "52000000 INR"),
        ("₹2 lakh crore", "2000000000000 INR"),
        ("Rs. 10 Cr and ₹2.5 L", "100000000 INR; 250000 INR"),
        ("EUR 0,500", "0.5 EUR"),
        ("in 2019 150 200 EUR", "200 EUR"),
        ("EUR 5 000 30 days later", "5000 EUR"),
        ("CHF 1\t250", "1 CHF"),
        ("Clause 5 100 EUR", "100 EUR"),
        ("steel of EUR 12 500kg", "12 EUR"),
    ]);
}

#[test]
fn letters_multiply_before_and_after_the_currency() {
    check(&[
        ("k€ 45", "45000 EUR"),
        ("45 k€", "45000 EUR"),
        ("45k €", "45000 EUR"),
        ("T€ 250", "250000 EUR"),
        ("250 T€", "250000 EUR"),
        ("TEUR 250", "250000 EUR"),
        ("kCHF 12.5", "12500 CHF"),
        ("MSEK 45", "45000000 SEK"),
        ("3.5 M€", "3500000 EUR"),
        ("M€ 3.5", "3500000 EUR"),
        ("EUR 3.5 Mio.", "3500000 EUR"),
        ("Mio. EUR 3.5", "3500000 EUR"),
        ("EUR Mrd. 2", "2000000000 EUR"),
        ("2 Mrd. EUR", "2000000000 EUR"),
        ("€m 3.5", "3500000 EUR"),
        ("12 €m", "12000000 EUR"),
        ("USDm 12", "12000000 USD"),
        ("$k 45", "45000 USD"),
        ("US$ million 5.2", "5200000 USD"),
        ("5 USD million", "5000000 USD"),
        ("$1.5T", "1500000000000 USD"),
        ("€ 5 m", "5000000 EUR"),
        ("£1.5 bn", "1500000000 GBP"),
        ("S$1.2m", "1200000 SGD"),
        ("SEK 1,2 mn", "1200000 SEK"),
        ("AUD 3.5 mil", "3500000 AUD"),
        ("$3 hundred million", "300000000 USD"),
        ("EUR 5 m²", "5 EUR"),
        ("MARS 5 and MSVC 2019", ""),
        ("K 5", ""),
    ]);
}

#[test]
fn both_ends_of_a_range_are_amounts() {
    check(&[
        ("between $5 and $7 million", "5000000 USD; 7000000 USD"),
        ("EUR 2-3 million", "2000000 EUR; 3000000 EUR"),
        ("2–3 million euros", "2000000 EUR; 3000000 EUR"),
        ("from £5 to £7 million", "5000000 GBP; 7000000 GBP"),
        ("between 5 and 7 million dollars", "5000000 USD; 7000000 USD"),
        ("$ 12 million to $ 15 million", "12000000 USD; 15000000 USD"),
        ("USD 5,000 - 7,000 per month", "5000 USD; 7000 USD"),
        ("$50-100", "50 USD; 100 USD"),
        ("10-15% of", "10 %; 15 %"),
        ("5 to 7 per cent", "5 %; 7 %"),
        ("from $500 to $1 million", "500 USD; 1000000 USD"),
        ("$5 and $7 million", "5 USD; 7000000 USD"),
        ("£5-10m a year", "5000000 GBP; 10000000 GBP"),
        ("$3-4k", "3000 USD; 4000 USD"),
        ("EUR 2–3bn in total", "2000000000 EUR; 3000000000 EUR"),
        ("€500-1,000k", "500000 EUR; 1000000 EUR"),
        ("EUR 5-10 m² of land", "5 EUR"),
        ("$500 to 2 employees", "500 USD"),
        ("Phase 1 - 5,000 USD", "5000 USD"),
        ("1 - 5,000 USD", "5000 USD"),
        ("Sections 2 to 5% of", "5 %"),
        ("USD 300 to 7 days", "300 USD"),
        ("5-1/2%", ""),
    ]);
}

#[test]
fn parentheses_are_negative_in_accounts_only() {
    check(&[
        ("interest is USD (20,000) per month", "20000 USD"),
        ("a fee (EUR 5,000) is due", "5000 EUR"),
        ("a fee\n(EUR 5,000) is due", "5000 EUR"),
        ("two hundred (200) dollars", "200 USD"),
        ("two hundred\n(200) dollars", "200 USD"),
        ("USD (20,000) (twenty thousand)", "20000 USD"),
        ("a rate of\n(5%) is", "5 %"),
        ("20,000 (twenty thousand) dollars", "20000 USD"),
        ("Net loss\t(EUR 5,000)\t(EUR 4,000)", "-5000 EUR; -4000 EUR"),
        ("Net loss\tUSD (20,000)\n", "-20000 USD"),
        ("Net loss $ (20,000) $ (15,000)\nTotal", "-20000 USD; -15000 USD"),
        ("| Loss | USD (500) |", "-500 USD"),
        ("Loss,\"EUR (3,000)\"", "-3000 EUR"),
        ("a net loss of $(1,234) per share", "1234 USD"),
        ("a loss of $(1,500) is due", "1500 USD"),
        ("Net loss\t$(1,500)\t$(900)", "-1500 USD; -900 USD"),
        ("Net loss $(1,500)\nTotal", "-1500 USD"),
        ("a loss of EUR (2.3) million was made", "2300000 EUR"),
        ("a loss of (£1,250) thousand was made", "1250000 GBP"),
        ("Net loss\t(£1,250) thousand\t2023", "-1250000 GBP"),
        // the only number of a line may be of either kind
        ("Net loss $ (20,000)\nTotal", ""),
    ]);
}

#[test]
fn a_unit_of_a_table_is_no_amount_and_a_fraction_may_be_one() {
    check(&[
        ("in £000s\nRevenue 1,250", ""),
        ("$000 Revenue 1,250", ""),
        ("£3/4 million", "750000 GBP"),
        ("USD 1/2 million in cash", "500000 USD"),
        ("$5/3 million and $5/0 million", ""),
        ("$5/10 minutes", "5 USD"),
    ]);
}

#[test]
fn dashes_stand_for_cents() {
    check(&[
        ("EUR 12,-- is due", "12 EUR"),
        ("Fr. 5'000.-,", "5000 CHF"),
        ("10.000,- €", "10000 EUR"),
        ("AED 10,000/-,", "10000 AED"),
        ("CHF 12.– each", "12 CHF"),
        ("kr 500:- in Swedish money", "500 SEK"),
        ("Rs. 500/- only", "500 INR"),
        ("€ 1.250,– netto", "1250 EUR"),
        ("UGX 10,000/= per day", "10000 UGX"),
        ("$10.-12", "10 USD"),
    ]);
}

#[test]
fn a_sign_of_several_currencies_is_what_the_document_shows() {
    check(&[
        ("a total of 1 250 000 kr", "1250000 kr"),
        ("a total of 1 250 000 kr under Swedish law", "1250000 SEK"),
        ("kr 500 in Norway, not in NOK", "500 NOK"),
        ("500 kr. in Denmark or Sweden", "500 kr"),
        ("¥1,200,000", "1200000 JPY"),
        ("RMB is the currency: ¥1,200,000", "1200000 CNY"),
        ("RMB 3 million", "3000000 CNY"),
        ("RMB¥500", "500 CNY"),
        ("Rs 500 and PKR 700", "500 PKR; 700 PKR"),
        ("50 Norwegian kroner", "50 NOK"),
        ("20 Mexican pesos", "20 MXN"),
        ("5 pounds of flour in England", ""),
        ("500 pounds", ""),
        ("five hundred pounds under the laws of England", "500 GBP"),
        ("two hundred and fifty thousand pounds", "250000 GBP"),
        ("two hundred and fifty pounds, which weighs", ""),
        ("Euro 2016 was in France", ""),
        ("Euro 25,000", "25000 EUR"),
        ("R. 5 and R 12 and R 2.10", ""),
        ("R25.50 and R 1 500", "25.5 ZAR; 1500 ZAR"),
        ("RS 232, NIS 2 and Re 2019", ""),
        ("San Jose, CA $500", "500 USD"),
        ("in 1990 Rand Worldwide", ""),
        ("500 pounds per month in England", "500 GBP"),
        ("R5 million", "5000000 ZAR"),
        ("HK$ 5,000.00 and NZ$ 1,000", "5000 HKD; 1000 NZD"),
    ]);
}

#[test]
fn a_point_before_three_digits_is_read_by_currency_and_document() {
    check(&[
        ("EUR 1.500", "1500 EUR"),
        ("1.500 EUR", "1500 EUR"),
        ("EUR 1.500.000", "1500000 EUR"),
        ("R$ 1.234,56 and R$ 1.500", "1234.56 BRL; 1500 BRL"),
        ("$1.125 per share", "1.125 USD"),
        ("EUR 1.125 for 1,000 units at 1,500.00", "1.125 EUR"),
        ("USD 2.500 and USD 1.250.000", "2500 USD; 1250000 USD"),
        ("EUR 1.250 million", "1250000 EUR"),
        ("EUR 0.500", "0.5 EUR"),
        ("1.500%", "1.5 %"),
    ]);
}

#[test]
fn east_asian_amounts_are_read() {
    check(&[
        ("1億2000万円を支払う", "120000000 JPY"),
        ("金1,234,567円とする", "1234567 JPY"),
        ("１，２３４，５６７円", "1234567 JPY"),
        ("￥１２，０００", "12000 JPY"),
        ("５００万円", "5000000 JPY"),
        ("3千万円", "30000000 JPY"),
        ("人民币500万元", "5000000 CNY"),
        ("1.5亿元", "150000000 CNY"),
        ("新台币3萬元", "30000 TWD"),
        ("100万美元", "1000000 USD"),
        ("5,000만원", "50000000 KRW"),
        ("JPY 1,200,000 yen", "1200000 JPY"),
        ("第12条 2023年4月1日 3人", ""),
        ("A5円", ""),
    ]);
    assert_eq!(amounts("総額１，０００円です"), ["１，０００円 = 1000 JPY"]);
}

#[test]
fn words_are_numbers_of_money_before_and_behind_the_currency() {
    check(&[
        ("USD two million (2,000,000)", "2000000 USD"),
        ("Rs. five lakhs", "500000 INR"),
        ("USD 1,000,000 (one million)", "1000000 USD"),
        ("five million US dollars (US$5,000,000)", "5000000 USD"),
        ("1,000,000 Euros and 12,000USD", "1000000 EUR; 12000 USD"),
        ("12 (twelve) percent", "12 %"),
    ]);
}

#[test]
fn a_number_is_read_with_its_scale_and_its_repetition() {
    for (text, expected) in [
        ("1,500 users", Some((1500.0, 1.0, 3))),
        ("3 million units", Some((3e6, 1e6, 2))),
        ("sixty (60) days", Some((60.0, 1.0, 4))),
        ("60 (sixty) days", Some((60.0, 1.0, 4))),
        ("sixty (90) days", Some((60.0, 1.0, 1))),
        ("days", None),
    ] {
        let found = number(&Tokens::new(text), 0).map(|found| (found.value, found.scale, found.end));
        assert_eq!(found, expected, "{text}");
    }
    assert_eq!(number(&Tokens::new("A4"), 1), None);
}

#[test]
fn other_numbers_are_no_amounts() {
    for text in [
        "Section 4.2 has 50 pages",
        "version 1.2.3",
        "call 555-1234",
        "(1,234)",
        "5 pounds of flour",
        "ALL 5 of them",
        "$ each",
        "percent of",
        "a%20b",
        "1/2%",
        "EUR",
        "2,000 kg",
        "one half of one percent",
    ] {
        assert_eq!(amounts(text), Vec::<String>::new(), "{text}");
    }
}

#[test]
fn a_letter_for_trillions_counts_only_with_dollars() {
    check(&[
        ("EUR 250T is due", ""),
        ("250T EUR is due", ""),
        ("€ 250T is due", ""),
        ("CHF 250T is due", ""),
        ("GBP 3T is due", ""),
        ("EUR 250t is due", ""),
        ("EUR 250 T is due", ""),
        ("250T€ is due", "250000 EUR"),
        ("USD 1.5T is due", "1500000000000 USD"),
        ("$2T is due", "2000000000000 USD"),
        ("1.5T USD is due", "1500000000000 USD"),
        ("250 TEUR is due", "250000 EUR"),
    ]);
}

#[test]
fn a_fraction_belongs_to_the_number_before_it() {
    check(&[
        ("$ 2 1/2 million", "2500000 USD"),
        ("$2-1/2 million", ""),
        ("EUR 10 1/2 million", "10500000 EUR"),
        ("$ 3 3/4 million", "3750000 USD"),
        ("USD 2 1/2 per share", "2.5 USD"),
        ("USD 2 1/3 million", ""),
        ("€3½m", "3500000 EUR"),
        ("€ 3 ½ million", "3500000 EUR"),
        ("2½ Mio. EUR", "2500000 EUR"),
        ("3½ million dollars", "3500000 USD"),
        ("2 1/2 million euros", "2500000 EUR"),
        ("4½% a year", "4.5 %"),
        ("4 1/2 % a year", "4.5 %"),
        ("2 and a half million dollars", "2500000 USD"),
        ("$3 million and a half", "3500000 USD"),
        ("EUR 2 million and three quarters.", "2750000 EUR"),
        ("$3 million and a half interest in the mine", "3000000 USD"),
        ("one and a half million euros", "1500000 EUR"),
        ("two and three-quarters million dollars", "2750000 USD"),
        ("half a million dollars", "500000 USD"),
        ("a half million dollars", "500000 USD"),
        ("a quarter of a million euros", "250000 EUR"),
        ("three quarters of a billion euros", "750000000 EUR"),
        // Days and shares are no fractions of the amount.
        ("$500 1/2/2023", "500 USD"),
        ("$1,000 1/2 of which", "1000 USD"),
        ("$5 and a quarter of it", "5 USD"),
        ("one half of one percent", ""),
    ]);
}

#[test]
fn a_year_is_no_amount() {
    check(&[
        ("Account,2023 EUR,2022 EUR\nRevenue,\"1,250,000\"", ""),
        ("Account\t2023 EUR\t2022 EUR\nRevenue", ""),
        ("| Account | EUR 2023 | EUR 2022 |", ""),
        ("Konto;2023 TEUR;2022 TEUR", ""),
        ("a fee of 2000 EUR, 2500 EUR or more", "2000 EUR; 2500 EUR"),
        ("Oven\t2000 EUR\t3", "2000 EUR"),
        ("From 2021 EUR 900 is due", "900 EUR"),
        ("since 2020 USD 500 more", "500 USD"),
        ("in 2020 USD 5,000 is due", "5000 USD"),
        ("Q4 USD 70 is due", "70 USD"),
    ]);
}

#[test]
fn the_places_of_a_document_decide_its_crowns() {
    check(&[
        ("1 250 000 kr to Nordlys AB in Stockholm", "1250000 SEK"),
        ("1 250 000 kr, Oslo", "1250000 NOK"),
        ("1 250 000 kr to Lys ApS", "1250000 DKK"),
        ("1 250 000 kr, Oslo and Stockholm", "1250000 kr"),
        ("1 250 000 kr", "1250000 kr"),
        ("Kr 500 and kr. 700", "500 kr; 700 kr"),
        ("SEK 5 and 1 250 kr, Oslo", "5 SEK; 1250 SEK"),
    ]);
}

#[test]
fn the_language_of_a_document_decides_its_crowns() {
    check(&[
        ("Hyran är 1 250 000 kr och betalas i januari", "1250000 SEK"),
        ("Husleien er 1 250 000 kr, og leietaker betaler", "1250000 NOK"),
        ("Lejen er 1.250.000 kr, og lejer betaler den", "1250000 DKK"),
        ("Verðið er 500 kr samkvæmt samningi", "500 ISK"),
        ("Hyran betalas till bolaget i Oslo med 500 kr", "500 NOK"),
        ("mellom selskapet og lejer: 500 kr", "500 kr"),
    ]);
}
