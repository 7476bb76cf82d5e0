/** Numbers, times and texts as people read them. */

const whole = new Intl.NumberFormat("en-GB");
const day = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric" });
const dayUtc = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric", timeZone: "UTC" });
const time = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" });

export const count = (value: number): string => whole.format(value);

/** "1 page", "3,000 pages" */
export const counted = (value: number, one: string, many = `${one}s`): string => `${count(value)} ${value === 1 ? one : many}`;

/** A day without a time, such as 2025-03-03, or an instant. */
export function date(value: string | null | undefined): string {
  if (!value) return "";
  const parsed = new Date(value);
  if (Number.isNaN(parsed.getTime())) return value;
  return /^\d{4}-\d{2}-\d{2}$/.test(value) ? dayUtc.format(parsed) : day.format(parsed);
}

export const moment = (value: string): string => time.format(new Date(value));

export function duration(seconds: number): string {
  if (seconds < 60) return counted(Math.max(1, Math.round(seconds)), "second");
  if (seconds < 3600) return counted(Math.round(seconds / 60), "minute");
  return `${count(Math.floor(seconds / 3600))} h ${Math.round((seconds % 3600) / 60)} min`;
}

export const percent = (share: number): string => `${Math.round(share * 100)} %`;

/** `agreement_date` as "Agreement date" */
export const label = (name: string): string => (name.charAt(0).toUpperCase() + name.slice(1)).replaceAll("_", " ");

export interface Piece {
  text: string;
  hit: boolean;
}

const ENDINGS = /(?:'s|ies|ing|ed|es|s|e|y)$/;
const fold = (text: string): string => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();

/** The words of a query, without operators, fields and what is excluded, cut to what their inflections share. */
export function terms(query: string): string[] {
  const plain = query.replace(/(^|\s)-\S+/g, " ").replace(/\b(?:document|type|date|page|bates|tag|field|in|path):("[^"]*"|\S+)/g, " ");
  const words = plain.replace(/\bentity:/g, " ").match(/[\p{L}\p{N}][\p{L}\p{N}'’.-]*/gu) ?? [];
  const kept = words.filter((word) => !/^(?:AND|OR|NOT)$/.test(word)).map((word) => fold(word).replace(/[.'’-]+$/, ""));
  const stems = kept.filter((word) => word.length > 1 && !STOP.has(word)).map((word) => (word.length > 4 ? word.replace(ENDINGS, "") : word));
  return [...new Set(stems)].slice(0, 32);
}

const STOP = new Set(
  "a an and are as at be by can did do does for from had has have how if in is it its of on or shall that the their there they this to was were what when where which who why will with would".split(" "),
);

/** A text in pieces, those that begin with a term of the query marked as hits. */
export function marked(text: string, stems: string[]): Piece[] {
  if (stems.length === 0) return [{ text, hit: false }];
  const pieces: Piece[] = [];
  let plain = "";
  for (const part of text.split(/([\p{L}\p{N}\p{M}]+)/u)) {
    const folded = fold(part);
    if (part !== "" && stems.some((stem) => folded.startsWith(stem) && folded.length <= stem.length + 4)) {
      if (plain) pieces.push({ text: plain, hit: false });
      plain = "";
      pieces.push({ text: part, hit: true });
    } else {
      plain += part;
    }
  }
  if (plain) pieces.push({ text: plain, hit: false });
  return pieces;
}

/** A text whose lines are as long as those of its page, as paragraphs that fit any width: a long line continues in one that begins small. */
export const flowed = (text: string): string => text.replace(/(?<=[^\n]{50})\n(?=\p{Ll})/gu, " ");

/** The beginning of a text on one line, cut at a word. */
export function beginning(text: string, most: number): string {
  const line = text.replace(/\s+/g, " ").trim();
  if (line.length <= most) return line;
  const end = line.lastIndexOf(" ", most);
  return `${line.slice(0, end > most / 2 ? end : most)} …`;
}

/** The number of the page in a place such as "p. 12, para. 8, ll. 1-4", and 1 if it names none. */
export function pageOf(place: string): number {
  const found = /\bpp?\. ?(\d+)/.exec(place);
  return found ? Number(found[1]) : 1;
}

/** Characters of a text from one offset to another, counted in Unicode scalar values as the engine counts them. */
export function slice(text: string, start: number, end: number): string {
  return Array.from(text).slice(start, end).join("");
}

/** A table as CSV. Cells that a spreadsheet would run as formulas are made text. */
export function csv(rows: string[][]): string {
  const cell = (text: string) => {
    const safe = /^[=+\-@\t\r]/.test(text) && !/^-?[\d.,]+$/.test(text) ? `'${text}` : text;
    return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
  };
  return `\ufeff${rows.map((row) => row.map(cell).join(",")).join("\r\n")}\r\n`;
}

/** Hands the user a file. */
export function download(name: string, content: Blob): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
