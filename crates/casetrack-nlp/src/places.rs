//! Places: a table of countries, states and larger cities, and the forms of addresses.
//!
//! The tables are our own, from general knowledge; they support the statistical recognizer and do not replace it.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use crate::words::{Gap, Shape, Word, entries};

/// Words of a text that form the name of a place: `first..last` are indexes of words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Place {
    pub first: usize,
    pub last: usize,
    /// Not only the name of a place: counts only if the text supports it.
    pub ambiguous: bool,
}

struct Entry {
    words: Vec<String>,
    ambiguous: bool,
}

/// Entries by the first word of their name, longest first.
static TABLE: LazyLock<HashMap<String, Vec<Entry>>> = LazyLock::new(|| {
    let mut table: HashMap<String, Vec<Entry>> = HashMap::new();
    let doubtful: HashSet<&str> = entries(AMBIGUOUS).collect();
    for name in [STATES, COUNTRIES, REGIONS, CITIES].into_iter().flat_map(entries) {
        let ambiguous = doubtful.contains(name);
        for spelling in [name.to_string(), name.to_uppercase()] {
            // As `words` splits them, with the points as they are.
            let words: Vec<String> = crate::words::words(&spelling).iter().map(|w| w.text.to_owned()).collect();
            if let Some(first) = words.first().cloned() {
                table.entry(first).or_default().push(Entry { words, ambiguous });
            }
        }
    }
    for entries in table.values_mut() {
        entries.sort_by_key(|entry| std::cmp::Reverse(entry.words.len()));
    }
    table
});

/// The place that begins at word `at`, as long as possible: "New York", "State of Delaware", "Commonwealth of Virginia".
pub(crate) fn place_at(words: &[Word<'_>], at: usize) -> Option<Place> {
    if !words[at].is_capital() {
        return None;
    }
    if matches!(
        words[at].text,
        "State" | "Commonwealth" | "Province" | "STATE" | "COMMONWEALTH" | "PROVINCE" | "Republic" | "REPUBLIC"
    ) && words.get(at + 1).is_some_and(|word| word.text.eq_ignore_ascii_case("of"))
        && at + 2 < words.len()
        && let Some(named) = table_place(words, at + 2)
    {
        return Some(Place { first: at, last: named.last, ambiguous: false });
    }
    table_place(words, at)
}

fn table_place(words: &[Word<'_>], at: usize) -> Option<Place> {
    let entries = TABLE.get(words[at].text)?;
    let entry = entries.iter().find(|entry| {
        words.len() - at >= entry.words.len()
            && entry.words.iter().zip(&words[at..]).all(|(name, word)| name == word.text || name == "'" && word.is('’'))
            && words[at + 1..at + entry.words.len()].iter().all(|word| word.gap < Gap::Blank)
    })?;
    Some(Place { first: at, last: at + entry.words.len(), ambiguous: entry.ambiguous })
}

/// Is `word` the code of a state, written as postal addresses write it?
pub(crate) fn is_state_code(word: &Word<'_>) -> bool {
    word.shape == Shape::Upper && STATE_CODES.contains(&word.text)
}

/// The words of streets, without points.
const STREETS: &[&str] = &[
    "Street",
    "St",
    "Avenue",
    "Ave",
    "Road",
    "Rd",
    "Drive",
    "Dr",
    "Lane",
    "Ln",
    "Boulevard",
    "Blvd",
    "Way",
    "Court",
    "Ct",
    "Place",
    "Pl",
    "Parkway",
    "Pkwy",
    "Highway",
    "Hwy",
    "Square",
    "Circle",
    "Terrace",
    "Plaza",
    "Broadway",
    "Route",
    "Turnpike",
    "Crescent",
    "Row",
];
/// The parts of a building, without points.
const UNITS: &[&str] = &["Suite", "Ste", "Floor", "Fl", "Unit", "Apt", "Room", "Building", "Bldg", "Box"];

/// An address: number, street, and what follows of unit, city, state, postal code and country.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Address {
    pub first: usize,
    /// After the street.
    pub street: usize,
    pub last: usize,
}

const STREET_WORDS: usize = 6;
const ADDRESS_WORDS: usize = 24;

/// The address whose house number is word `at`: "123 Main Street, Suite 4, Springfield, IL 62701".
pub(crate) fn address_at(words: &[Word<'_>], at: usize) -> Option<Address> {
    if words[at].shape != Shape::Number || words[at].text.len() > 6 {
        return None;
    }
    let street = (at + 1..words.len().min(at + 1 + STREET_WORDS))
        .take_while(|&i| words[i].gap < Gap::Line && (words[i].is_capital() || ordinal(words[i].text)))
        .filter(|&i| is_one_of(STREETS, words[i].text))
        .last()?;
    // "2 St" is no street; "201 Broadway" is.
    if street == at + 1 && !words[street].text.eq_ignore_ascii_case("Broadway") {
        return None;
    }
    let street = street + 1;
    let mut last = street;
    let mut i = street;
    // What follows belongs to the address as long as it looks like parts of one; it ends at a state, code or place.
    while i < words.len().min(at + ADDRESS_WORDS) && words[i].gap < Gap::Blank {
        let word = &words[i];
        if word.is(',') || word.is('#') || word.is('.') && is_one_of(UNITS, words[i - 1].text) {
            i += 1;
        } else if is_one_of(UNITS, word.text)
            || ordinal(word.text) && words.get(i + 1).is_some_and(|w| is_one_of(UNITS, w.text))
        {
            i = (i + 2).min(words.len());
            last = i;
        } else if let Some(place) = place_at(words, i) {
            i = place.last;
            last = i;
        } else if is_state_code(word) || postal_code(word.text) {
            i += 1;
            last = i;
        } else if word.shape == Shape::Title
            && words[i - 1].is(',')
            && let Some(end) = city_end(words, i)
        {
            i = end;
            last = i;
        } else {
            break;
        }
    }
    Some(Address { first: at, street, last })
}

/// Capitalised words that end at a comma or before a state: a city that the table lacks.
fn city_end(words: &[Word<'_>], at: usize) -> Option<usize> {
    let end =
        (at..words.len().min(at + 4)).find(|&i| words[i].shape != Shape::Title || place_at(words, i).is_some())?;
    let closed = words[end].is(',')
        && words.get(end + 1).is_some_and(|word| is_state_code(word) || place_at(words, end + 1).is_some());
    (end > at && (closed || is_state_code(&words[end]) || place_at(words, end).is_some())).then_some(end)
}

fn is_one_of(list: &[&str], word: &str) -> bool {
    list.iter().any(|entry| entry.eq_ignore_ascii_case(word.trim_end_matches('.')))
}

fn ordinal(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_digit()) && word.ends_with(|c: char| c.is_ascii_alphabetic())
}

fn postal_code(word: &str) -> bool {
    let digits = word.bytes().filter(u8::is_ascii_digit).count();
    (digits == 5 && word.len() == 5) || (digits == 9 && word.len() == 10)
}

/// States and territories of the United States, in the order of `STATE_CODES`.
const STATES: &str = "
    Alabama, Alaska, Arizona, Arkansas, California, Colorado, Connecticut, Delaware, Florida, Georgia, Hawaii,
    Idaho, Illinois, Indiana, Iowa, Kansas, Kentucky, Louisiana, Maine, Maryland, Massachusetts, Michigan,
    Minnesota, Mississippi, Missouri, Montana, Nebraska, Nevada, New Hampshire, New Jersey, New Mexico, New York,
    North Carolina, North Dakota, Ohio, Oklahoma, Oregon, Pennsylvania, Rhode Island, South Carolina, South Dakota,
    Tennessee, Texas, Utah, Vermont, Virginia, Washington, West Virginia, Wisconsin, Wyoming, District of Columbia,
    Puerto Rico, Guam, American Samoa, U.S. Virgin Islands, Northern Mariana Islands
";

/// As the postal service writes them.
pub(crate) const STATE_CODES: &[&str] = &[
    "AL", "AK", "AZ", "AR", "CA", "CO", "CT", "DE", "FL", "GA", "HI", "ID", "IL", "IN", "IA", "KS", "KY", "LA", "ME",
    "MD", "MA", "MI", "MN", "MS", "MO", "MT", "NE", "NV", "NH", "NJ", "NM", "NY", "NC", "ND", "OH", "OK", "OR", "PA",
    "RI", "SC", "SD", "TN", "TX", "UT", "VT", "VA", "WA", "WV", "WI", "WY", "DC", "PR", "GU", "AS", "VI", "MP",
];

/// Members of the United Nations and those that are commonly counted with them, by their short English names.
const COUNTRIES: &str = "
    Afghanistan, Albania, Algeria, Andorra, Angola, Antigua and Barbuda, Argentina, Armenia, Australia, Austria,
    Azerbaijan, Bahamas, Bahrain, Bangladesh, Barbados, Belarus, Belgium, Belize, Benin, Bhutan, Bolivia, Bosnia and
    Herzegovina, Botswana, Brazil, Brunei, Bulgaria, Burkina Faso, Burundi, Cabo Verde, Cambodia, Cameroon, Canada,
    Cape Verde, Central African Republic, Chad, Chile, China, Colombia, Comoros, Congo, Costa Rica, Côte d'Ivoire,
    Croatia, Cuba, Cyprus, Czech Republic, Czechia, Democratic Republic of the Congo, Denmark, Djibouti, Dominica,
    Dominican Republic, East Timor, Ecuador, Egypt, El Salvador, Equatorial Guinea, Eritrea, Estonia, Eswatini,
    Ethiopia, Fiji, Finland, France, Gabon, Gambia, Georgia, Germany, Ghana, Greece, Grenada, Guatemala, Guinea,
    Guinea-Bissau, Guyana, Haiti, Honduras, Hungary, Iceland, India, Indonesia, Iran, Iraq, Ireland, Israel, Italy,
    Ivory Coast, Jamaica, Japan, Jordan, Kazakhstan, Kenya, Kiribati, Kosovo, Kuwait, Kyrgyzstan, Laos, Latvia,
    Lebanon, Lesotho, Liberia, Libya, Liechtenstein, Lithuania, Luxembourg, Madagascar, Malawi, Malaysia, Maldives,
    Mali, Malta, Marshall Islands, Mauritania, Mauritius, Mexico, Micronesia, Moldova, Monaco, Mongolia, Montenegro,
    Morocco, Mozambique, Myanmar, Namibia, Nauru, Nepal, Netherlands, New Zealand, Nicaragua, Niger, Nigeria, North
    Korea, North Macedonia, Norway, Oman, Pakistan, Palau, Palestine, Panama, Papua New Guinea, Paraguay, Peru,
    Philippines, Poland, Portugal, Qatar, Romania, Russia, Rwanda, Saint Kitts and Nevis, Saint Lucia, Saint Vincent
    and the Grenadines, Samoa, San Marino, São Tomé and Príncipe, Saudi Arabia, Senegal, Serbia, Seychelles, Sierra
    Leone, Singapore, Slovakia, Slovenia, Solomon Islands, Somalia, South Africa, South Korea, South Sudan, Spain,
    Sri Lanka, Sudan, Suriname, Sweden, Switzerland, Syria, Taiwan, Tajikistan, Tanzania, Thailand, Togo, Tonga,
    Trinidad and Tobago, Tunisia, Turkey, Türkiye, Turkmenistan, Tuvalu, Uganda, Ukraine, United Arab Emirates,
    United Kingdom, United States, Uruguay, Uzbekistan, Vanuatu, Vatican City, Venezuela, Vietnam, Yemen, Zambia,
    Zimbabwe
";

/// Continents, parts of countries, dependent territories, and other names of countries.
const REGIONS: &str = "
    England, Scotland, Wales, Northern Ireland, Great Britain, Britain, United States of America, People's Republic
    of China, Republic of China, Republic of South Africa, Republic of Korea, Korea, Holland, Hong Kong, Macau,
    Macao, Cayman Islands, British Virgin Islands, Virgin Islands, Bermuda, Gibraltar, Jersey, Guernsey, Isle of
    Man, Curaçao, Aruba, Greenland, Europe, Asia, Africa, North America, South America, Latin America, Central
    America, Middle East, Antarctica, Caribbean, Scandinavia, Siberia, Tibet, European Union, Ontario, Quebec,
    Québec, British Columbia, Alberta, Manitoba, Saskatchewan, Nova Scotia, New Brunswick, Newfoundland and
    Labrador, Newfoundland, Prince Edward Island, Yukon, Nunavut, Northwest Territories, New South Wales,
    Queensland, Tasmania, South Australia, Western Australia, Northern Territory, Bavaria, Catalonia, Tortola, Grand
    Cayman, Great Plains, West Indies, British West Indies, Soviet Union, Yugoslavia, Czechoslovakia, Prussia,
    Pacific Ocean, Atlantic Ocean, Indian Ocean, Gulf of Mexico, Mediterranean, Silicon Valley, New England, U.S.,
    U.S.A., U.K., USA, UK, UAE, PRC
";

/// Capitals and larger cities.
const CITIES: &str = "
    New York City, Los Angeles, Chicago, Houston, Phoenix, Philadelphia, San Antonio, San Diego, Dallas, San Jose,
    Austin, Jacksonville, Fort Worth, Columbus, Indianapolis, Charlotte, San Francisco, Seattle, Denver, Nashville,
    Oklahoma City, Boston, El Paso, Portland, Las Vegas, Memphis, Detroit, Baltimore, Milwaukee, Albuquerque,
    Fresno, Tucson, Sacramento, Kansas City, Mesa, Atlanta, Omaha, Colorado Springs, Raleigh, Virginia Beach, Long
    Beach, Miami, Oakland, Minneapolis, Tulsa, Bakersfield, Tampa, Wichita, Aurora, New Orleans, Cleveland,
    Honolulu, Anaheim, Stockton, Lexington, Henderson, Orlando, Corpus Christi, Newark, Saint Paul, St. Paul,
    Cincinnati, Pittsburgh, Greensboro, Jersey City, Durham, Buffalo, Madison, Reno, Fort Wayne, Toledo, Saint
    Petersburg, St. Petersburg, Laredo, Chandler, Norfolk, Richmond, Baton Rouge, Boise, Spokane, Des Moines,
    Tacoma, Salt Lake City, Rochester, Huntsville, Birmingham, Montgomery, Little Rock, Akron, Tallahassee,
    Knoxville, Providence, Chattanooga, Fort Lauderdale, Tempe, Santa Clara, Santa Monica, Santa Barbara, Santa Fe,
    Santa Ana, Sunnyvale, Cupertino, Palo Alto, Menlo Park, Mountain View, Redwood City, Irvine, Pasadena, Burbank,
    Scottsdale, Boulder, Eugene, Savannah, Charleston, Hartford, Stamford, Springfield, Wilmington, Dover,
    Annapolis, Albany, Syracuse, Trenton, Princeton, Camden, Harrisburg, Lansing, Ann Arbor, Grand Rapids, Topeka,
    Lincoln, Pierre, Bismarck, Helena, Cheyenne, Carson City, Olympia, Salem, Juneau, Anchorage, Augusta, Concord,
    Montpelier, Jefferson City, Frankfort, Jackson, Columbia, Brooklyn, Manhattan, Queens, Bronx, Staten Island,
    Long Island, St. Louis, Saint Louis, Louisville, Atlantic City, Bethesda, Arlington, Alexandria, Reston, McLean,
    Plano, Irving, Cambridge, Wellesley, Waltham, Worcester, D.C., London, Manchester, Liverpool, Leeds, Sheffield,
    Bristol, Edinburgh, Glasgow, Cardiff, Belfast, Oxford, Nottingham, Leicester, Southampton, Dublin, Cork, Galway,
    Paris, Lyon, Marseille, Toulouse, Bordeaux, Strasbourg, Lille, Nice, Nantes, Berlin, Hamburg, Munich, München,
    Cologne, Köln, Frankfurt, Stuttgart, Düsseldorf, Leipzig, Dresden, Hanover, Nuremberg, Bremen, Heidelberg,
    Vienna, Salzburg, Graz, Zurich, Zürich, Geneva, Basel, Bern, Lausanne, Zug, Brussels, Antwerp, Ghent, Bruges,
    Amsterdam, Rotterdam, The Hague, Utrecht, Eindhoven, Luxembourg City, Rome, Milan, Naples, Turin, Florence,
    Venice, Bologna, Genoa, Palermo, Madrid, Barcelona, Valencia, Seville, Bilbao, Lisbon, Porto, Athens,
    Thessaloniki, Copenhagen, Aarhus, Stockholm, Gothenburg, Malmö, Oslo, Bergen, Helsinki, Reykjavik, Warsaw,
    Kraków, Krakow, Gdańsk, Prague, Brno, Bratislava, Budapest, Bucharest, Sofia, Belgrade, Zagreb, Ljubljana,
    Sarajevo, Skopje, Tirana, Vilnius, Riga, Tallinn, Minsk, Kyiv, Kiev, Odessa, Moscow, Novosibirsk, Chisinau,
    Tbilisi, Yerevan, Baku, Ankara, Istanbul, Izmir, Nicosia, Valletta, Tel Aviv, Jerusalem, Haifa, Amman, Beirut,
    Damascus, Baghdad, Tehran, Riyadh, Jeddah, Mecca, Kuwait City, Manama, Doha, Abu Dhabi, Dubai, Muscat, Sanaa,
    Cairo, Khartoum, Tripoli, Tunis, Algiers, Rabat, Casablanca, Dakar, Accra, Lagos, Abuja, Nairobi, Kampala,
    Kigali, Addis Ababa, Mogadishu, Kinshasa, Luanda, Lusaka, Harare, Maputo, Johannesburg, Cape Town, Pretoria,
    Windhoek, Gaborone, Antananarivo, Port Louis, Kabul, Islamabad, Karachi, Lahore, New Delhi, Delhi, Mumbai,
    Bombay, Bangalore, Bengaluru, Chennai, Madras, Kolkata, Calcutta, Hyderabad, Pune, Ahmedabad, Dhaka, Kathmandu,
    Colombo, Rangoon, Yangon, Bangkok, Chiang Mai, Hanoi, Ho Chi Minh City, Saigon, Phnom Penh, Vientiane, Kuala
    Lumpur, Penang, Jakarta, Manila, Beijing, Shanghai, Shenzhen, Guangzhou, Hangzhou, Nanjing, Wuhan, Chengdu,
    Chongqing, Tianjin, Suzhou, Xiamen, Qingdao, Kowloon, Taipei, Hsinchu, Kaohsiung, Tokyo, Osaka, Kyoto, Yokohama,
    Nagoya, Sapporo, Fukuoka, Hiroshima, Seoul, Busan, Pyongyang, Ulaanbaatar, Astana, Almaty, Tashkent, Sydney,
    Melbourne, Brisbane, Perth, Adelaide, Canberra, Hobart, Auckland, Wellington, Christchurch, Suva, Toronto,
    Montreal, Montréal, Vancouver, Calgary, Edmonton, Ottawa, Winnipeg, Halifax, Quebec City, Mississauga, Hamilton,
    Regina, Saskatoon, Mexico City, Guadalajara, Monterrey, Tijuana, Guatemala City, San Salvador, Tegucigalpa,
    Managua, Panama City, Havana, Kingston, Santo Domingo, San Juan, Port-au-Prince, Nassau, Bridgetown, Port of
    Spain, Bogotá, Bogota, Medellín, Caracas, Quito, Guayaquil, Lima, La Paz, Santiago, Buenos Aires, Montevideo,
    Asunción, Brasília, São Paulo, Sao Paulo, Rio de Janeiro, Georgetown, George Town, Road Town, Paramaribo
";

/// Places whose names are as often persons or other words: they count only with support from the text around them.
const AMBIGUOUS: &str = "
    Jordan, Chad, Jersey, Mesa, Austin, Charlotte, Phoenix, Madison, Lincoln, Jackson, Columbia, Concord, Pierre,
    Helena, Montgomery, Henderson, Chandler, Norfolk, Richmond, Durham, Aurora, Buffalo, Lexington, Stockton,
    Hamilton, Regina, Wellington, Kingston, Florence, Sofia, Nice, Cork, Lima, Salem, Dover, Camden, Olympia,
    Orlando, Eugene, Savannah, Bern, Bergen, Santiago, Valencia, Alexandria, Newark, Queens, Halifax, Augusta,
    Providence, Springfield, Guinea, Dominica, Nassau, Arlington, Irving, Bristol, Trenton, Princeton, Boulder,
    Porto, Zug, Leeds, Odessa, Rochester, Wilmington, Charleston, Frankfort, Irvine, Burbank, Georgetown, Tripoli,
    Colombo, McLean, Stamford, Worcester, Wichita, Jacksonville, Akron
";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words::words;

    fn text_of(text: &str, first: usize, last: usize) -> String {
        let words = words(text);
        let (start, end) = (words[first].start as usize, words[last - 1].end as usize);
        text.chars().skip(start).take(end - start).collect()
    }

    #[test]
    fn an_address_is_whole() {
        for (text, whole) in [
            (
                "at 123 Main Street, Suite 4, Springfield, IL 62701, and",
                "123 Main Street, Suite 4, Springfield, IL 62701",
            ),
            (
                "at 201 Broadway, 4th Floor, Boston, Massachusetts 02139 provides",
                "201 Broadway, 4th Floor, Boston, Massachusetts 02139",
            ),
            ("at 7 Elm Ave. Tell", "7 Elm Ave."),
        ] {
            let words = words(text);
            let found = (0..words.len()).find_map(|i| address_at(&words, i)).map(|a| text_of(text, a.first, a.last));
            assert_eq!(found.as_deref(), Some(whole));
        }
        let words = words("paid 500 Shares of 3 St");
        assert_eq!((0..words.len()).find_map(|i| address_at(&words, i)), None);
    }

    #[test]
    fn the_longest_place_is_found() {
        for (text, whole) in [
            ("State of New York law", "State of New York"),
            ("NEW JERSEY is", "NEW JERSEY"),
            ("West Virginia", "West Virginia"),
        ] {
            let place = place_at(&words(text), 0).unwrap();
            assert_eq!(text_of(text, place.first, place.last), whole);
        }
        assert!(place_at(&words("Jordan left"), 0).unwrap().ambiguous);
        assert!(place_at(&words("reading"), 0).is_none());
    }
}
