import assert from "node:assert/strict";
import { cpSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { TestContext } from "node:test";
import { after, before, test } from "node:test";
import { Indexer } from "../src/indexer/indexer.ts";
import { STAGES } from "../src/indexer/stages.ts";
import { openStore } from "../src/store/openStore.ts";
import { plainLedger } from "./support/plainLedger.ts";
import { makeTemporaryDirectory, runProgram, temporaryDirectory } from "./support/program.ts";
import { SimulatedChain } from "./support/simulatedChain.ts";
import { startSimulatedNode } from "./support/simulatedNode.ts";
import { simulatedSource } from "./support/simulatedSource.ts";
import type { TokenContract } from "./support/simulatedTokens.ts";
import { contractsOf, ledgerToken } from "./support/simulatedTokens.ts";

const chain = new SimulatedChain({ seed: 43, traffic: { honestTokens: 3, transactions: [2, 6], logs: [0, 2] } });
const { directory: good, remove } = makeTemporaryDirectory();

async function index(directory: string, fromBlock = 0): Promise<void> {
  const store = await openStore(directory, chain.chainId);
  const indexer = new Indexer({ store, source: simulatedSource(chain), stages: STAGES, fromBlock });
  while ((await indexer.step()) !== "idle");
  await store.close();
}

before(async () => {
  chain.mine(40);
  await index(good);
});

after(remove);

/** All tokens report the sums of their transfers, except those in `liars`. */
async function startNode(t: TestContext, liars: ReadonlyMap<string, TokenContract> = new Map()) {
  const honest = [...plainLedger(chain).keys()].map((address) => [address, ledgerToken(chain, address)] as const);
  const node = await startSimulatedNode(chain, { contracts: contractsOf(new Map([...honest, ...liars])) });
  t.after(() => node.close());
  return node;
}

const run = (t: TestContext, ...args: string[]) => runProgram(t, ["audit", ...args]).ended;

test("an audit recomputes tokens and compares balances with the contracts", async (t) => {
  const { url } = await startNode(t);
  const { code, stdout, stderr } = await run(t, "--data", good, "--rpc", url);

  assert.deepEqual([code, stderr], [0, ""]);
  assert.match(stdout, /^recomputed [1-9]\d* token transfers up to block 40$/m);
  assert.match(
    stdout,
    /^compared ([1-9]\d*) token balances with their contracts: \1 answered, 0 differ\nno differences\n$/m,
  );
});

test("a token that reports other balances is named, and is no problem of the index", async (t) => {
  const [honest] = chain.honestTokens;
  const { url } = await startNode(t, new Map([[honest!, ledgerToken(chain, honest!, (amount) => amount * 2n)]]));

  const { code, stdout, stderr } = await run(t, "--data", good, "--rpc", url);

  assert.deepEqual([code, stderr], [0, ""]);
  const lines = stdout.split("\n").filter((line) => line.startsWith(`token ${honest} says that 0x`));
  assert.ok(lines.length > 0, stdout);
  const [, reported, ledger] = /has (\d+), its transfers add up to (\d+)$/.exec(lines[0]!)!;
  assert.equal(BigInt(reported!), 2n * BigInt(ledger!));
  assert.match(stdout, new RegExp(`answered, ${lines.length} differ\nno differences\n$`));
});

test("balances are not compared with a node that calls nothing, nor in an index that began later", async (t) => {
  const silent = await startSimulatedNode(chain);
  t.after(() => silent.close());
  const later = temporaryDirectory(t);
  await index(later, 10);

  const unanswered = await run(t, "--data", good, "--rpc", silent.url);
  const { url } = await startNode(t);
  const begun = await run(t, "--data", later, "--rpc", url);

  assert.deepEqual([unanswered.code, begun.code], [0, 0]);
  assert.match(
    unanswered.stdout,
    /^compared [1-9]\d* token balances with their contracts: 0 answered, 0 differ\nno differences\n$/m,
  );
  assert.match(begun.stdout, /recomputed \d+ token transfers up to block 40\n.*\nno differences\n$/);
});

test("a balance that the transfers do not add up to is a difference", async (t) => {
  const data = join(temporaryDirectory(t), "data");
  cpSync(good, data, { recursive: true });
  const database = new DatabaseSync(join(data, "index.sqlite"));
  database.exec("DELETE FROM holding");
  database.close();

  const { code, stderr } = await run(t, "--data", data);

  assert.equal(code, 1);
  assert.match(stderr, /^there is no row of token \d+ that address \d+ has$/m);
});
