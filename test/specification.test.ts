import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { test } from "node:test";
import { readSections } from "./support/markdown.ts";

const ROOT = resolve(import.meta.dirname, "..");
const PAGE = join(ROOT, "docs/specification.md");

const SECTIONS = "1 2.1 2.2 2.3 2.4 2.5 2.6 2.7 4.1 4.2 4.3 4.4 5 6 7 8 9".split(" ");

/** Titles of tests and groups in a source, with `…` for what is filled in. What may be skipped holds nothing. */
const TITLE = /\b(?:test|describe)\(\s*(?:"((?:[^"\\]|\\.)*)"|`((?:[^`\\]|\\.)*)`)(?!\s*,\s*\{\s*skip)/g;

function titlesIn(source: string): string[] {
  const found = source.matchAll(TITLE);
  return [...found].map(([, plain, template]) =>
    (plain ?? template!.replace(/\$\{[^}]*\}/g, "…")).replace(/\\(.)/g, "$1"),
  );
}

/** Whether a source has a test, given as `group > name` or as a name alone. */
function hasTest(source: string, name: string): boolean {
  const titles = titlesIn(source);
  if (titles.includes("… …") && hasRow(source, name)) return true;
  let from = 0;
  return name.split(" > ").every((part) => {
    const at = titles.indexOf(part, from);
    from = at + 1;
    return at >= 0;
  });
}

/** Where the whole title is filled in, it is a section and a row that the source has as strings. */
function hasRow(source: string, name: string): boolean {
  const [section, ...row] = name.split(" ");
  return [section!, row.join(" ")].every((text) => source.includes(JSON.stringify(text)));
}

/** Files with tests named in a cell. */
function namedIn(cell: string): { file: string; name: string }[] {
  return cell.split("<br>").map((entry) => {
    const [, file, name] = /^`([\w./]+\.test\.ts)`: (.+)$/.exec(entry) ?? [];
    assert.ok(file !== undefined && name !== undefined, `"${entry}" names a file and a test`);
    return { file, name };
  });
}

const statements = [...readSections(PAGE).values()].flatMap(({ title, text, tables }) =>
  tables.map((rows) => ({ title, rows, count: Number(/^(\d+) statements\.$/m.exec(text)?.[1]) })),
);

test("every statement of the specification names tests that are there and always run", () => {
  const sources = new Map<string, string>();
  for (const { title, rows } of statements) {
    for (const { Statement, "Held by": cell } of rows) {
      assert.ok(Statement, title);
      for (const { file, name } of namedIn(cell!)) {
        assert.ok(existsSync(join(ROOT, file)), `${title}: ${file} is there`);
        const source = sources.get(file) ?? readFileSync(join(ROOT, file), "utf8");
        sources.set(file, source);
        assert.ok(hasTest(source, name), `${title}: ${file} has the test "${name}"`);
      }
    }
  }
});

test("the page has the sections of the specification, and as many statements as it says", () => {
  const numbers = statements.map(({ title }) => title.split(" ")[0]!);
  const total = Number(/lists its (\d+) checkable statements/.exec(readFileSync(PAGE, "utf8"))?.[1]);

  assert.deepEqual(numbers, SECTIONS);
  for (const { title, rows, count } of statements) assert.equal(rows.length, count, title);
  assert.equal(
    statements.reduce((sum, { rows }) => sum + rows.length, 0),
    total,
  );
});

test("a test that was renamed, removed, may be skipped or belongs to another group is missed", () => {
  const source = `
describe("pairs", () => { test("have a chain", () => {}); });
describe("tokens", () => { test(\`have a symbol on \${name}\`, async () => {}); });
test("runs on Linux", { skip: true }, () => {});
const ROWS = { "2.1": ["page"] };`;

  assert.ok(hasTest(source, "pairs > have a chain"));
  assert.ok(hasTest(source, "have a symbol on …"));
  for (const name of ["have a chain id", "have a symbol", "runs on Linux", "tokens > have a chain", "2.1 page"]) {
    assert.ok(!hasTest(source, name), name);
  }
  const filled = `${source}\ntest(\`\${section} \${row}\`, () => {});`;
  assert.deepEqual([hasTest(filled, "2.1 page"), hasTest(filled, "2.1 pages")], [true, false]);
});
