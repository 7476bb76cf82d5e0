//! The word lists of the rules. All in lower case without points unless said otherwise; those in one string are separated by commas.

/// The entries of a list in one string.
pub(crate) fn entries(list: &'static str) -> impl Iterator<Item = &'static str> {
    list.split(',').map(str::trim)
}

/// Forms of incorporation, which make an organization of the capitalised words before them.
/// Entries that are other words in lower case count only as written here.
pub(crate) const LEGAL_FORMS: &str = "
    inc, incorporated, corp, corporation, llc, llp, lllp, ltd, limited, plc, gmbh, kgaa, spa, srl, pty, pvt, ltda,
    sarl, sas, bhd, pte, aktiengesellschaft, ohg, oyj, kk
";
/// As they are written, without points.
pub(crate) const LEGAL_FORMS_EXACT: &[&str] = &[
    "LP",
    "AG",
    "SA",
    "NV",
    "BV",
    "AB",
    "AS",
    "NA",
    "KG",
    "SE",
    "SpA",
    "Oy",
    "OY",
    "Co",
    "CO",
    "Company",
    "COMPANY",
    "Companies",
    "ApS",
    "SAS",
    "PLLC",
];

/// Words that end the name of an organization where a name stands before them.
pub(crate) const HEADS: &str = "
    bank, university, institute, foundation, association, trust, fund, funds, partners, partnership, authority,
    commission, agency, college, holdings, group, society, ministry, bureau, hospital, church, club, council, union,
    committee, enterprises, industries, technologies, systems, pharmaceuticals, ventures, associates, league,
    orchestra, records, airlines, motors, laboratories, communications, solutions, bancorp, securities, insurance,
    federation, newspaper, corps, regiment, brigade, academy, press, studios, entertainment, software, airways
";

/// Heads followed by an "of" part: "University of Oslo", "Bank of China".
pub(crate) const HEADS_OF: &str = "
    university, bank, department, ministry, institute, board, bureau, court, college, office, house, church,
    society, council, corps
";

/// Words that no name of an organization contains: the rules stop at them.
pub(crate) const STOPS: &str = "
    this, that, these, those, a, an, between, among, by, with, to, from, if, when, whereas, as, in, on, at, its,
    our, your, their, his, her, each, all, any, is, are, was, were, be, been, has, have, had, shall, will, may, can,
    or, not, no, it, he, she, they, we, you, i, but, such, into, under, upon, which, who, whose, where, while,
    since, after, before, during, because, so, then, there, here, than, per, via, agreement, agreements, exhibit,
    article, section, schedule, annex, appendix, contract, amendment, amended, dated, witness, whereof, name, title,
    date, dear, re, attn, attention, subject, page, table, figure, chapter, volume, signature, signed, officer,
    president, secretary, treasurer, chairman, without, against, within, above, below, party, parties, recitals,
    background, except, unless, notwithstanding, otherwise, pursuant, provided, hereof, hereto, herein, hereunder,
    thereof, thereto, therein, forth, hereby, hereinafter, made, entered, effective, however, january, february, march, april, june, july,
    august, september, october, november, december, monday, tuesday, wednesday, thursday, friday, saturday, sunday,
    although, though, both, also, only, other, every, some, source, note, notes, today, yesterday, according,
    former, formerly, including, like, neither, either, once, until, what, how, why, company, contractor, customer,
    buyer, seller, fax, telephone, phone, email, e-mail, address, signatory, mr, mrs, ms
";

/// Words that do not make a name by themselves or together, though they are written with capitals in contracts and reports.
pub(crate) const GENERIC: &str = "
    agreement, agreements, party, parties, section, sections, exhibit, exhibits, article, articles, schedule,
    schedules, annex, appendix, attachment, addendum, amendment, amendments, clause, paragraph, term, terms,
    conditions, condition, product, products, service, services, software, hardware, license, licence, licenses,
    territory, confidential, information, intellectual, property, rights, right, effective, date, closing, notice,
    notices, payment, payments, fee, fees, royalty, royalties, price, prices, purchase, order, orders, delivery,
    warranty, warranties, liability, indemnification, indemnity, insurance, termination, expiration, renewal,
    governing, law, laws, arbitration, dispute, disputes, assignment, force, majeure, entire, waiver, severability,
    counterparts, headings, miscellaneous, definitions, definition, interpretation, representations, representation,
    covenants, covenant, obligations, obligation, default, event, events, remedies, collateral, loan, loans, note,
    notes, credit, facility, interest, rate, principal, advance, advances, commitment, obligor, lien, liens,
    security, document, documents, certificate, certificates, statement, statements, report, reports, account,
    accounts, business, day, days, month, year, quarter, fiscal, period, initial, final, work, works, project,
    program, programs, plan, budget, site, website, content, trademark, trademarks, patent, patents, copyright,
    copyrights, marks, mark, know-how, technology, deliverables, specifications, specification, materials, material,
    equipment, goods, gas, pipeline, facilities, affiliate, affiliates, subsidiary, subsidiaries, person, persons,
    entity, entities, applicable, general, provisions, provision, scope, purpose, background, recitals, witness,
    whereof, whereas, therefore, now, in, signature, signatures, page, name, title, by, its, and, or, of, the, for,
    to, a, an, with, on, this, such, any, all, no, not, shall, will, table, contents, index, copy, original, tax,
    taxes, income, net, gross, sales, revenue, revenues, cost, costs, expenses, expense, capital, stock, shares,
    share, common, preferred, equity, assets, asset, liabilities, debt, cash, value, market, claim, claims, loss,
    losses, damages, damage, third, change, control, adverse, effect, permitted, excluded, minimum, maximum,
    monthly, annual, quarterly, user, users, end, customers, clients, employees, contractors, consultants, agents,
    members, shareholders, directors, officers, chief, executive, officer, president, vice, secretary, treasurer,
    director, manager, chairman, signatory, authorized, conformity, compliance, quality, audit, audits, inspection,
    records, books, confidentiality, limitation, non-disclosure, survival, address, telephone, facsimile, fax,
    phone, email, e-mail, attention, attn, tel, url, http, www, internet, web, data, support, maintenance, training,
    marketing, advertising, promotion, promotional, distribution, manufacturing, development, research, design,
    hosting, escrow, source, code, object, release, version, update, updates, upgrade, upgrades, error, errors,
    system, test, acceptance, discounts, discount, credits, invoice, invoices, quantity, units, unit, forecast,
    shipment, shipments, risk, acknowledgement, exclusivity, exclusive, non-exclusive, key, personnel, staff, team,
    number, item, items, description, type, total, amount, amounts, ebitda, gaap, libor, ip, cpi, usd, us$, dollars,
    dollar, euro, p.m, pm, am, et, al, inc, eod, nda, sla, faq, pdf, html, llc, corp, co, ltd, company, covid-19,
    rmb, hkd, eur, gbp, power, attorney, letter, letters, act, warrant, warrants, beneficiary, indenture,
    controller, venue, factor, jurisdiction, bonds, bond, lease, milestone, line, eligible, borrowing, switch,
    discontinued, beneficiaries, creditors, bailee, pledge, register, holder, holders, iso, cfr, usc, vs,
    id, sub-section, subsection, dated, between, among, redacted, omitted, void, prime
";

/// Words for the parties of a contract. Such a word is a party only within its document, never across documents.
pub(crate) const PARTY_WORDS: &str = "
    adviser, advisor, affiliate, agent, applicant, assignee, assignor, bank, borrower, buyer, carrier, client,
    company, consultant, contractor, corporation, creditor, custodian, customer, debtor, defendant, depositor,
    developer, distributor, employee, employer, endorser, executive, franchisee, franchisor, fund, grantee, grantor,
    guarantor, issuer, landlord, lender, lessee, lessor, licensee, licensor, manager, manufacturer, mortgagee,
    mortgagor, operator, owner, partnership, petitioner, plaintiff, promoter, provider, publisher, purchaser,
    receiver, representative, reseller, respondent, retailer, sender, seller, servicer, shipper, sponsor,
    sub-advisor, subadviser, subcontractor, sublicensee, supplier, tenant, transporter, trust, trustee, underwriter,
    university, vendor, partner, partners, member, investor
";

/// Party words of two.
pub(crate) const PARTY_PHRASES: &[&str] = &[
    "marketing affiliate",
    "marketing agent",
    "content provider",
    "service provider",
    "administrative agent",
    "collateral agent",
    "paying agent",
    "remarketing agent",
    "trust advisors",
    "joint venturer",
];

/// Party words that count as a party without a definition; the others have too many meanings.
pub(crate) const PLAIN_PARTY_WORDS: &str = "
    assignee, assignor, borrower, buyer, consultant, contractor, distributor, endorser, franchisee, franchisor,
    grantee, grantor, guarantor, landlord, lender, lessee, lessor, licensee, licensor, mortgagee, mortgagor,
    purchaser, reseller, seller, shipper, sublicensee, supplier, tenant, transporter, vendor, sponsor, servicer,
    client, developer, customer, sender, employer, issuer, promoter
";

/// Before the name of a person.
pub(crate) const HONORIFICS: &str = "
    mr, mrs, ms, miss, dr, prof, professor, hon, judge, justice, sir, senator, messrs, madam, mister, esq
";

/// Words of a position, after or before a person's name. A position is a run of these and of "of", "and", "&".
pub(crate) const POSITION_WORDS: &str = "
    chief, executive, officer, financial, operating, technology, technical, legal, marketing, medical, scientific,
    information, compliance, accounting, administrative, president, vice, senior, assistant, associate, deputy,
    acting, interim, managing, general, director, manager, partner, member, chairman, chairwoman, chair,
    chairperson, secretary, treasurer, controller, counsel, ceo, cfo, coo, cto, cio, evp, svp, vp, corporate,
    founder, co-founder, owner, principal, trustee, authorized, signatory, attorney, lawyer, analyst, author, judge,
    justice, witness, notary, engineer, auditor, editor, reporter, administrator, head, business, development,
    sales, operations, representative, attorney-in-fact, group, global, regional, national, commercial, finance,
    investment, portfolio, board, supervisory
";

/// The words that make a run of position words a position.
pub(crate) const POSITION_HEADS: &str = "
    officer, president, director, manager, partner, member, chairman, chairwoman, chair, chairperson, secretary,
    treasurer, controller, counsel, ceo, cfo, coo, cto, cio, evp, svp, vp, founder, co-founder, principal, trustee,
    signatory, attorney, lawyer, analyst, author, judge, justice, witness, notary, engineer, auditor, editor,
    reporter, administrator, head, representative, attorney-in-fact, owner
";

/// Common given names, sorted.
pub(crate) const GIVEN_NAMES: &str = "
    aaron, abigail, adam, adrian, ahmed, alan, albert, alejandro, alex, alexander, alexandra, alfred, ali, alice,
    alison, allan, allen, amanda, amy, ana, andrea, andreas, andrew, angela, ann, anna, anne, anthony, antonio,
    arnold, arthur, barbara, barry, benjamin, bernard, beth, betty, beverly, bob, brandon, brenda, brian, bruce,
    bryan, carl, carlos, carol, caroline, carolyn, catherine, charles, cheryl, chris, christian, christina,
    christine, christopher, cindy, claire, claude, craig, curtis, cynthia, daniel, danny, darren, dave, david,
    deborah, debra, dennis, derek, diana, diane, dmitri, donald, donna, doris, dorothy, douglas, duncan, dylan,
    earl, ed, eddie, edgar, edward, edwin, eileen, elaine, eleanor, elena, eli, elizabeth, ellen, emily, emma, eric,
    erik, ernest, esther, ethan, eugene, eva, evelyn, fatima, felix, fernando, florence, frances, francis,
    francisco, frank, franz, fred, frederick, gabriel, gail, gary, geoffrey, george, gerald, gilbert, giovanni,
    gloria, gordon, graham, greg, gregory, guy, hannah, hans, harold, harry, harvey, heather, hector, helen, helmut,
    henri, henry, herbert, howard, hugh, ian, igor, irene, isaac, isabel, ivan, jack, jacob, jacqueline, jacques,
    james, jamie, jan, jane, janet, janice, jason, jay, jean, jeff, jeffrey, jennifer, jeremy, jerome, jerry, jesse,
    jessica, jill, jim, joan, joanna, joel, johann, johannes, john, johnny, jon, jonathan, jorge, jose, josef,
    joseph, joshua, joyce, juan, judith, judy, julia, julian, julie, justin, karen, karl, kate, katherine, kathleen,
    kathryn, keith, kelly, kenneth, kevin, kim, kimberly, klaus, kyle, larry, laura, lauren, laurence, lawrence,
    lee, leo, leon, leonard, leslie, lewis, linda, lisa, lloyd, louis, louise, lucas, lucy, luis, luke, lynn,
    manuel, marc, marco, margaret, maria, marie, marilyn, mario, mark, martha, martin, mary, mathew, matt, matthew,
    maurice, max, maxwell, megan, melanie, melissa, michael, michel, michelle, miguel, mike, mohamed, mohammed,
    monica, nancy, natalie, nathan, neil, nicholas, nick, nicole, nigel, nina, norman, olga, oliver, olivia, oscar,
    otto, pablo, pamela, patricia, patrick, paul, paula, pedro, peggy, peter, philip, philippe, phillip, pierre,
    priya, rachel, ralph, ravi, raymond, rebecca, renee, ricardo, richard, rick, robert, roberto, robin, rodney,
    roger, roland, ronald, rosa, rosemary, ross, roy, russell, ruth, ryan, sally, samantha, samuel, sandra, sara,
    sarah, scott, sean, sebastian, sergei, sharon, sheila, shirley, simon, sofia, sophie, stanley, stefan,
    stephanie, stephen, steve, steven, stuart, sue, susan, suzanne, sven, sylvia, tanya, teresa, terry, theodore,
    theresa, thomas, tim, timothy, tina, todd, tom, tony, tracy, troy, tyler, valerie, vanessa, vera, victor,
    victoria, vincent, virginia, vladimir, walter, wayne, wendy, werner, wesley, william, wolfgang, yvonne, zachary
";

/// Between the parts of a person's name.
pub(crate) const PARTICLES: &[&str] =
    &["van", "von", "de", "der", "den", "di", "da", "del", "la", "le", "bin", "ibn", "al", "du", "dos", "ter", "zu"];

/// What ends the name of a document, a law or a defined term, never that of a person or an organization.
pub(crate) const NO_NAME_ENDS: &str = "
    agreement, agreements, act, date, dates, document, documents, certificate, certificates, lease, code, rule,
    rules, section, sections, note, notes, law, laws, option, rate, period, event, default, expenses, account,
    accounts, interest, interests, lien, liens, loan, loans, right, rights, property, extension, extensions, amount,
    fee, fees, price, plan, award, bonds, indenture, collateral, obligations, transfer, regulation, regulations,
    statement, report, form, policy, practices, procedures, schedule, exhibit, article, articles, amendment, patent,
    patents, product, products, information, services, mark, marks, trademark, trademarks, ceo, cfo, coo, cto,
    president, officer, director, day, days, bill, treaty, constitution, prize, championship, cup, war, battle, tax,
    taxes, costs, payment, payments, notice, territory, term, terms, language, sale, sales, site, page, pages,
    order, orders
";
