import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { TestContext } from "node:test";
import { test } from "node:test";
import { temporaryDirectory } from "../../../test/support/program.ts";
import { SimulatedChain } from "../../../test/support/simulatedChain.ts";
import { simulatedSource } from "../../../test/support/simulatedSource.ts";
import { eventLoopTurns, until } from "../../../test/support/waiting.ts";
import { toHex } from "../../chain/encoding/hex.ts";
import type { Verified } from "../../store/audit/verified.ts";
import { readVerified } from "../../store/audit/verified.ts";
import { openStore } from "../../store/openStore.ts";
import type { Store } from "../../store/store.ts";
import { Indexer } from "../indexer.ts";
import { STAGES } from "../stages.ts";
import { IdleTime } from "./idleTime.ts";
import { Verifier } from "./verifier.ts";

const LAST = 20;

class Verifying {
  readonly directory: string;
  readonly chain = new SimulatedChain({ seed: 8, traffic: { addresses: 8, logs: [0, 4] } });
  readonly damage: string[] = [];
  store!: Store;
  #stop = new AbortController();
  #ended: Promise<void> = Promise.resolve();

  constructor(t: TestContext) {
    this.directory = temporaryDirectory(t);
    t.after(() => this.stop().then(() => this.store.close()));
  }

  async index(): Promise<void> {
    this.store ??= await openStore(this.directory, this.chain.chainId);
    const source = simulatedSource(this.chain, { authoritative: true });
    const indexer = new Indexer({ store: this.store, source, stages: STAGES });
    while ((await indexer.step()) !== "idle");
  }

  start(): IdleTime {
    this.#stop = new AbortController();
    const { signal } = this.#stop;
    const idle = new IdleTime(signal, 0);
    const { directory, store } = this;
    const onDamage = (problem: string) => this.damage.push(problem);
    const pace = { rest: { min: 1, max: 1, factor: 0 }, saveMilliseconds: 0 };
    this.#ended = new Verifier({ url: directory, store, idle, signal, onDamage, ...pace }).run();
    return idle;
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#ended;
  }

  async state(): Promise<Verified> {
    return readVerified(await this.store.latest.meta("verified"));
  }

  async rounds(count: number): Promise<Verified> {
    const { rounds } = await this.state();
    await until(`${count} rounds`, async () => (await this.state()).rounds >= rounds + count);
    return this.state();
  }

  corrupt(sql: string): void {
    const database = new DatabaseSync(join(this.directory, "index.sqlite"));
    assert.ok(database.prepare(sql).run().changes > 0, sql);
    database.close();
  }
}

async function open(t: TestContext): Promise<Verifying> {
  const verifying = new Verifying(t);
  verifying.chain.mine(LAST);
  await verifying.index();
  return verifying;
}

const NEVER = new AbortController().signal;
const FLIP = (table: string, column: string, where: string, byte: string) =>
  `UPDATE ${table} SET ${column} = CAST(substr(${column}, 1, length(${column}) - 1) || x'${byte}' AS BLOB) WHERE ${where}`;

test("it goes over all blocks again and again, and finds which are damaged and which were mended", async (t) => {
  const verifying = await open(t);
  const idle = verifying.start();
  idle.begin(1e9, NEVER);
  const well = await verifying.rounds(2);
  assert.deepEqual([well.damaged, well.differences, well.problem], [[], 0, null]);
  const newest = `position = (SELECT max(position) FROM tx WHERE position < ${13 * 2 ** 20})`;
  const [row] = await verifying.store.database.all(
    `SELECT hex(substr(body, -1)), position / 1048576 FROM tx WHERE ${newest}`,
  );
  const [byte, block] = row as [string, number];

  verifying.corrupt(FLIP("tx", "body", newest, byte === "7F" ? "7E" : "7F"));
  const damaged = await verifying.rounds(2);
  verifying.corrupt(FLIP("tx", "body", newest, byte));
  const repaired = await verifying.rounds(2);

  assert.ok(damaged.damaged.includes(block), JSON.stringify(damaged));
  assert.ok(damaged.differences > 0);
  assert.match(damaged.problem!, /block|row|log/);
  assert.ok(verifying.damage.length > 0);
  assert.deepEqual([repaired.damaged, repaired.differences, repaired.problem], [[], 0, null]);
});

test("it finds what has no digest: a list, a counter, a balance", async (t) => {
  const verifying = await open(t);
  verifying.start().begin(1e9, NEVER);
  for (const sql of [
    "UPDATE address_tx_tail SET count = count + 1 WHERE owner = (SELECT max(owner) FROM address_tx_tail)",
    "UPDATE address_tx_tail SET sent = x'010100' WHERE owner = (SELECT max(owner) FROM address_tx_tail WHERE length(sent) > 0)",
    "DELETE FROM holding WHERE (address, asset) = (SELECT address, asset FROM holding LIMIT 1)",
  ]) {
    const before = await verifying.rounds(1);
    verifying.corrupt(sql);
    const after = await verifying.rounds(2);

    assert.ok(after.differences > before.differences, sql);
    assert.deepEqual(after.damaged, [], sql);
  }
});

test("it resumes after a restart, also with blocks added or removed", async (t) => {
  const verifying = await open(t);
  verifying.corrupt("DELETE FROM block_hash WHERE value IN (3, 17)");
  await verifying.store.setMeta({ verified: JSON.stringify({ next: 10 }) });
  const block = await verifying.store.latest.blocks.byNumber(17);
  const idle = verifying.start();
  idle.begin(1e9, NEVER);

  const all = await verifying.rounds(2);
  verifying.chain.fork(6, 9);
  await verifying.index();
  const forked = await verifying.rounds(2);

  // Block 3 was verified before the restart and is found in the next round.
  assert.match(verifying.damage[0]!, new RegExp(`^${toHex(block!.header.hash)}`));
  assert.deepEqual(all.damaged, [3, 17]);
  assert.deepEqual(forked.damaged, [3]);
});

test("it does nothing while the indexer is not idle", async (t) => {
  const verifying = await open(t);
  verifying.start();
  await eventLoopTurns(100);

  await verifying.stop();

  assert.equal((await verifying.state()).next, 0);
});
