import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));

/** Words that say nothing to a reader who knows geth, viem or PostgreSQL, and the usual ones. */
const PRIVATE_WORDS: readonly (readonly [RegExp, string])[] = [
  [/^#?(MOST|LONGEST|LARGEST)_/, "MAX_"],
  [/^#?most$|^#?most(?!Frequent)[A-Z]/, "max"],
  [/AT_ONCE|AtOnce/, "batchSize or maxConcurrent"],
  [/^#?(told|said|giver|taker|patience|trouble|troubles|beside|apart|surroundings)$/i, "a term of the field"],
  [/^#?(told|said)[A-Z]|(Told|Said|Patience|Trouble|Apart)$/, "reported, timeout, error, overflow"],
];

const DECLARED =
  /(?:\b(?:const|let|function|class|interface|type|readonly|async|get|static|private|override)\s+|^\s*)(#?[A-Za-z_]\w*)\??(?=\s*[:=(<])/gm;

const files = globSync(["src/**/*.ts", "test/**/*.ts", "bench/**/*.ts", "web/**/*.ts"], {
  cwd: root,
  exclude: (name) => name === "node_modules",
}).filter((file) => !import.meta.url.endsWith(file));

const isPrivate = (name: string) => PRIVATE_WORDS.find(([pattern]) => pattern.test(name));

test("declared names and file names use the terms of the field", () => {
  const found = files.flatMap((file) => {
    const source = readFileSync(`${root}/${file}`, "utf8");
    const names = [...source.matchAll(DECLARED)].map(([, name]) => name!);
    const base = file.replace(/^.*\//, "").replace(/(\.test)?\.ts$/, "");
    return [...new Set([base, ...names])].flatMap((name) => {
      const word = isPrivate(name);
      return word === undefined ? [] : [`${file}: ${name}, say ${word[1]}`];
    });
  });

  assert.deepEqual(found, []);
});

test("names are recognized where they are declared", () => {
  const source = ["const MOST_CALLS = 1;", "  #told: number;", "function readAtOnce() {}", 'let x = "said: y";'].join(
    "\n",
  );
  const names = [...source.matchAll(DECLARED)].map(([, name]) => name!);

  assert.deepEqual(names.filter(isPrivate), ["MOST_CALLS", "#told", "readAtOnce"]);
});
