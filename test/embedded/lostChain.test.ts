import assert from "node:assert/strict";
import { cpSync, existsSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, before, test } from "node:test";
import { pointEvaluation } from "../../src/node/blobs/pointEvaluation.ts";
import { Chain } from "../../src/node/chain.ts";
import { developmentGenesis } from "../../src/node/developmentGenesis.ts";
import { Rules } from "../../src/node/rules.ts";
import { openStore } from "../../src/store/openStore.ts";
import { indexes, urlsOf } from "../support/networks.ts";
import { makeTemporaryDirectory, runProgram, temporaryDirectory } from "../support/program.ts";

const { directory: good, remove } = makeTemporaryDirectory();
const CHAIN_ID = 968;
const start = (data: string) => ["start", "--network", "testnet", "--no-demo", "--port", "0", "--data", data];

before(async () => {
  const program = runProgram({ after: () => {} }, [...start(good), "--poll", "50"]);
  const { testnet } = await urlsOf(program, 1);
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "hardhat_mine", params: ["0x5"] });
  const headers = { "content-type": "application/json", connection: "close" };
  await fetch(`${testnet}/rpc`, { method: "POST", body, headers });
  await indexes(testnet!, 5);
  await program.stop();
});

after(remove);

async function openChain(directory: string): Promise<void> {
  const genesis = developmentGenesis({ chainId: CHAIN_ID, gasLimit: 30_000_000, timestamp: 1, funded: [] });
  const chain = await Chain.open(directory, genesis, new Rules(genesis, pointEvaluation));
  await chain.close();
}

const openIndex = async (directory: string) => (await openStore(directory, CHAIN_ID)).close();

const OPEN = { "node.sqlite": openChain, "index.sqlite": openIndex } as const;

const inDatabase = (sql: string) => (file: string) => {
  const database = new DatabaseSync(file);
  database.exec(sql);
  database.close();
};

const half = (file: string) => truncateSync(file, Math.floor(statSync(file).size / 16_384) * 8192);
const isNone = (file: string) => writeFileSync(file, "no database at all ".repeat(1000));

const DAMAGE: Readonly<
  Record<string, readonly [file: keyof typeof OPEN, damage: (file: string) => void, reason: RegExp]>
> = {
  "a chain without a byte": ["node.sqlite", (file) => truncateSync(file), /is lost: node\.sqlite has no bytes/],
  "a chain that is cut": ["node.sqlite", half, /the chain in \S+ cannot be opened: .*malformed/],
  "a chain of a hundred bytes": ["node.sqlite", (file) => truncateSync(file, 100), /the chain in \S+ cannot be opened/],
  "a chain that is something else": [
    "node.sqlite",
    isNone,
    /the chain in \S+ cannot be opened: file is not a database/,
  ],
  "a chain without tables": [
    "node.sqlite",
    (file) => {
      rmSync(file);
      inDatabase("PRAGMA user_version = 1")(file);
    },
    /is lost: node\.sqlite has no meta, nodes, blocks/,
  ],
  "a chain without one of its tables": ["node.sqlite", inDatabase("DROP TABLE nodes"), /node\.sqlite has no nodes/],
  "a chain without blocks": ["node.sqlite", inDatabase("DELETE FROM blocks"), /is lost: it has no blocks/],
  "a chain of which the log alone is left": [
    "node.sqlite",
    (file) => {
      rmSync(file);
      writeFileSync(`${file}-wal`, "a log");
    },
    /is lost: node\.sqlite is missing, but its write-ahead log is there/,
  ],
  "an index without a byte": ["index.sqlite", (file) => truncateSync(file), /index\.sqlite has no bytes/],
  "an index that is cut": ["index.sqlite", half, /the database file is damaged/],
  "an index of a hundred bytes": ["index.sqlite", (file) => truncateSync(file, 100), /the database file is damaged/],
  "an index that is something else": ["index.sqlite", isNone, /the database file is damaged or not a database/],
};

for (const [what, [file, damage, reason]] of Object.entries(DAMAGE)) {
  test(`${what} is refused, left as it is and not begun anew`, async (t) => {
    const directory = join(temporaryDirectory(t), "data");
    cpSync(join(good, "testnet"), directory, { recursive: true });
    await OPEN[file](directory);
    const path = join(directory, file);
    damage(path);
    const left = () => (existsSync(path) ? readFileSync(path) : undefined);
    const before = left();

    await assert.rejects(OPEN[file](directory), { code: "store_corrupt", message: reason });

    assert.deepEqual(left(), before);
  });
}

test("a chain that was deleted while its index stays is refused, until a reset", async (t) => {
  const data = join(temporaryDirectory(t), "data");
  cpSync(good, data, { recursive: true });
  rmSync(join(data, "testnet", "node.sqlite"));

  const { code, stderr } = await runProgram(t, start(data)).ended;
  truncateSync(join(data, "testnet", "index.sqlite"));
  const again = runProgram(t, [...start(data), "--reset"]);
  await indexes((await urlsOf(again, 1)).testnet!, 0);

  assert.equal(code, 1);
  assert.match(
    stderr,
    /^oriel: the chain in \S+ is lost: node\.sqlite is missing, and it is indexed up to block 5; put a copy back, or begin again with --reset\n$/,
  );
});

test("an index that was deleted without its log is made again from the chain", async (t) => {
  const data = join(temporaryDirectory(t), "data");
  cpSync(good, data, { recursive: true });
  rmSync(join(data, "testnet", "index.sqlite"));
  writeFileSync(join(data, "testnet", "index.sqlite-wal"), "of another file");

  const program = runProgram(t, start(data));

  await indexes((await urlsOf(program, 1)).testnet!, 5);
});
