import { existsSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { Node } from "../src/node/node.ts";
import type { Case, Message } from "./cases.ts";
import { readCases } from "./cases.ts";
import { difference } from "./compare.ts";
import { openVectorNode } from "./vectorNode.ts";

/**
 * `npm run conformance [-- --least N] [METHOD...]`: asks the embedded node what the vectors of ethereum/execution-apis
 * ask. `ORIEL_VECTORS` names their folder, or the one that holds it as `execution-apis`.
 */
const { values, positionals } = parseArgs({ options: { least: { type: "string" } }, allowPositionals: true });

const SIMULATION = "eth_simulateV1";

interface Score {
  passed: number;
  all: number;
}

const vectors = process.env.ORIEL_VECTORS;
const folders = vectors === undefined ? [] : [vectors, join(vectors, "execution-apis")];
const folder = folders.find((each) => existsSync(join(each, "chain.rlp")));
if (folder === undefined) {
  console.log("ORIEL_VECTORS names no folder with the vectors of execution-apis: skipped");
} else {
  const cases = readCases(folder).filter(({ method }) => positionals.length === 0 || positionals.includes(method));
  const scores = await runAll(await openVectorNode(folder), cases);
  const passed = report(scores);
  if (passed < Number(values.least ?? 0)) process.exitCode = 1;
}

async function runAll(node: Node, cases: readonly Case[]): Promise<Map<string, Score>> {
  const scores = new Map<string, Score>();
  for (const one of cases) {
    const failure = await run(node, one);
    const score = scores.get(one.method) ?? { passed: 0, all: 0 };
    score.all++;
    if (failure === undefined) score.passed++;
    else console.log(`${one.method}/${one.name}: ${failure}`);
    scores.set(one.method, score);
  }
  await node.close();
  return scores;
}

async function run(node: Node, { exchanges, isShapeOnly }: Case): Promise<string | undefined> {
  for (const { request, expected } of exchanges) {
    const answer = await node.handle(request, true);
    const found = difference(expected, JSON.parse(answer ?? "{}") as Message, isShapeOnly);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Prints the scores; answers how many cases passed in all. */
function report(scores: ReadonlyMap<string, Score>): number {
  const [total, plain] = [sum([...scores]), sum([...scores].filter(([method]) => method !== SIMULATION))];
  for (const [method, { passed, all }] of scores) console.log(`${method.padEnd(42)} ${passed}/${all}`);
  console.log(`${`without ${SIMULATION}`.padEnd(42)} ${plain.passed}/${plain.all}`);
  console.log(`${"all".padEnd(42)} ${total.passed}/${total.all}`);
  return total.passed;
}

function sum(scores: readonly (readonly [string, Score])[]): Score {
  const total = { passed: 0, all: 0 };
  for (const [, { passed, all }] of scores) {
    total.passed += passed;
    total.all += all;
  }
  return total;
}
