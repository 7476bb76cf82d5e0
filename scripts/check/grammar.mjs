// Checks the grammar of the Markdown files with Harper (https://writewithharper.com), for what the patterns of words.py cannot see.
//   node scripts/check/grammar.mjs [FILE...]   without arguments, all that are committed
// The package harper.js comes with those of the workbench: scripts/web.sh check calls this.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

const root = new URL("../../", import.meta.url).pathname;
const harper = `${root}crates/casetrack-web/ui/node_modules/harper.js/dist`;

// Rules of taste, and rules that take terms of the field for mistakes: none of what they reported when this list was made was one.
const LEFT_OUT = [
  "Codebase", "CompoundNouns", "CondenseAllThe", "Damages", "Dashes", "DiscourseMarkers", "DisjointPrefixes", "EllipsisLength", "Everyone",
  "ExpandConfiguration", "ExpandControl", "ExpandDependencies", "ExpandDirectory", "ExpandMemoryShorthands", "ExpandMinimum",
  "ExpandStandardInputAndOutput", "ExpandTimeShorthands", "ExpandWith", "ExpandWithout", "HavePronoun", "HowTo", "ItsContraction",
  "LongSentences", "MassNouns", "MergeWords", "MissingDeterminer", "MissingPreposition", "MissingTo", "MultipleFrequencyAdverbs", "NumericRangeEnDash",
  "OneOfTheSingular", "OrthographicConsistency", "Overall", "OxfordComma", "QuantifierNumeralConflict", "SentenceCapitalization",
  "SimplePastToPastParticiple", "Spaces", "SpellCheck", "SplitWords", "TheHowWhy", "TheirToTheyre", "ThereIsAgreement",
  "UseEllipsisCharacter", "UseTitleCase", "WereWhere", "WhomSubjectOfVerb", "WrongNegative",
];

const documents = () =>
  execFileSync("git", ["ls-files", "*.md", ":!samples/harbour-point", ":!scripts", ":!tests/fixtures/*"], { cwd: root, encoding: "utf8" }).trim().split("\n");
const files = process.argv.length > 2 ? process.argv.slice(2) : documents();
const { LocalLinter, Dialect } = await import(`${harper}/index.js`);
const { binary } = await import(`${harper}/binary.js`);
const linter = new LocalLinter({ binary, dialect: Dialect.American });
await linter.setup();
await linter.setLintConfig({ ...(await linter.getDefaultLintConfig()), ...Object.fromEntries(LEFT_OUT.map((rule) => [rule, false])) });

let problems = 0;
for (const file of files) {
  const text = readFileSync(file.startsWith("/") ? file : root + file, "utf8");
  for (const [rule, lints] of Object.entries(await linter.organizedLints(text, { language: "markdown" }))) {
    for (const lint of lints) {
      const { start, end } = lint.span();
      const around = text.slice(Math.max(0, start - 25), end + 25).replace(/\s+/g, " ");
      console.error(`${file}:${text.slice(0, start).split("\n").length}: ${rule}: …${around}…: ${lint.message()}`);
      problems += 1;
    }
  }
}
if (problems > 0) {
  console.error(`grammar.mjs: ${problems} problem(s). Rewrite the sentence, or leave the rule out if it is wrong here.`);
  process.exit(1);
}
console.log(`The grammar of ${files.length} documents is clean.`);
