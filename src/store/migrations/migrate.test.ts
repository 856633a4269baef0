import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { test } from "node:test";
import { describeEngines } from "../../../test/support/engines.ts";
import { insertTokens, plainSearch } from "../../../test/support/namedTokens.ts";
import { temporaryDirectory } from "../../../test/support/program.ts";
import { SimulatedChain } from "../../../test/support/simulatedChain.ts";
import { simulatedSource } from "../../../test/support/simulatedSource.ts";
import { EMPTY } from "../../chain/encoding/bytes.ts";
import { STAGES } from "../../indexer/stages.ts";
import { auditStore } from "../audit/audit.ts";
import { fingerprint } from "../audit/fingerprint.ts";
import type { Database } from "../engine/database.ts";
import { NativeReads } from "../native/nativeReads.ts";
import { unwindBalances } from "../native/nativeWrite.ts";
import { openStore } from "../openStore.ts";
import { ByteWriter } from "../rows/encoding.ts";
import { LONGEST_BODY, readFullBody } from "../rows/longRows.ts";
import { writeSigned } from "../tokens/ledger/signedAmount.ts";
import { NameReads } from "../tokens/observe/nameReads.ts";
import { RankReads } from "../tokens/ranks/rankReads.ts";
import { core } from "./001_core.ts";
import { tokens } from "./002_tokens.ts";
import { observations } from "./003_observations.ts";
import { MIGRATIONS, migrate, SCHEMA_VERSION, schemaVersion } from "./migrate.ts";

describeEngines((tested) => {
  function open(t: TestContext): Database {
    const database = tested.open();
    t.after(() => database.close());
    return database;
  }

  test("an empty database gets the schema, once", async (t) => {
    const database = open(t);
    assert.equal(await schemaVersion(database), 0);
    await migrate(database);
    const tables = await database.tables();

    await migrate(database);

    assert.equal(await schemaVersion(database), SCHEMA_VERSION);
    assert.deepEqual(await database.tables(), tables);
    assert.ok(tables.includes("block") && tables.includes("journal"));
  });

  test("a newer database is refused and left alone", async (t) => {
    const database = open(t);
    await migrate(database);
    await database.upsert("meta", ["name", "value"], [["schema", String(SCHEMA_VERSION + 1)]]);

    await assert.rejects(migrate(database), { code: "store_newer" });
    assert.deepEqual(await database.all("SELECT value FROM meta WHERE name = 'schema'"), [
      [String(SCHEMA_VERSION + 1)],
    ]);
  });

  test("a database of another program is refused and left alone", async (t) => {
    for (const sql of ["CREATE TABLE note (text TEXT)", "CREATE TABLE meta (name TEXT, value TEXT)"]) {
      const database = open(t);
      await database.run(sql);
      const tables = await database.tables();

      await assert.rejects(migrate(database), { code: "store_corrupt" });
      assert.deepEqual(await database.tables(), tables);
    }
  });

  test("a migration that fails leaves the database as it was", async (t) => {
    const database = open(t);
    await database.run("CREATE VIEW journal AS SELECT 1");

    await assert.rejects(migrate(database));
    assert.deepEqual(await database.tables(), []);
  });

  test("what was observed before names could be searched for is found by them", async (t) => {
    const database = open(t);
    const named = Array.from({ length: 2500 }, (_, at) => ({
      token: at + 1,
      name: at % 3 === 0 ? null : `Coin ${at}`,
      symbol: `C${at % 50}`,
      holders: at % 7,
    }));
    for (const sql of [core, tokens, observations].flatMap((migration) => migration(database.dialect)))
      await database.run(sql);
    await database.insert("meta", ["name", "value"], [["schema", "3"]]);
    await insertTokens(database, named);

    await migrate(database, MIGRATIONS.slice(0, 9));

    assert.equal(await schemaVersion(database), 9);
    assert.deepEqual(await database.all("SELECT count(*) FROM token_due WHERE block = 0"), [[named.length]]);
    for (const query of ["c7", "coin 24", "2499"]) {
      const found = await new NameReads(database).find(query);
      assert.deepEqual(
        found.map(({ token }) => token),
        plainSearch(named, query),
      );
    }
    const ranked = await new RankReads(database).fromRank(
      ["ERC-20"],
      0,
      3000,
      await new RankReads(database).count(["ERC-20"]),
    );
    assert.deepEqual(
      ranked.map(({ token }) => token),
      named.toSorted((a, b) => b.holders - a.holders || a.token - b.token).map(({ token }) => token),
    );
  });

  const TRACE_TABLES = [
    ...["trace_block", "trace_call", "trace_address", "trace_address_hash", "trace_creation"],
    ...["trace_address_call_tail", "trace_address_call_run"],
  ];

  const ITEM_TABLES = ["item_transfer_tail", "item_transfer_run", "item_holder", "item_holder_count"];

  const EXCHANGE_TABLES = [
    "pool_observation",
    "pool_due",
    "exchange_block",
    "pool",
    "pool_creation",
    "pool_state",
    "position",
    "position_owner",
  ];

  /** What came with later schemas than the fourth. */
  const LATER = [
    ...["asset", "asset_count", "wrapper", "wrapped_coin"],
    ...["blob", "miner", "miner_hash", "miner_block_tail", "miner_block_run"],
    ...["token_rank", "token_rank_count", "transfer_place", "block_time"],
    ...["omitted_transfer", "tx_part", "log_chunk", "unlisted_log", "called"],
    ...["native_balance", "native_count", "native_change"],
    ...["signature_log_tail", "signature_log_run", "address_log_count"],
    ...EXCHANGE_TABLES,
    ...TRACE_TABLES,
    ...ITEM_TABLES,
  ];

  /** Puts transactions back into one row each, as they were before the eleventh migration; answers how many were divided. */
  async function joinRows(database: Database): Promise<number> {
    const rows = (await database.all("SELECT position, body FROM tx")) as [number, Uint8Array][];
    let divided = 0;
    for (const [position, row] of rows) {
      const body = await readFullBody(database, position, row);
      if (body.length <= LONGEST_BODY) continue;
      await database.run("UPDATE tx SET body = ? WHERE position = ?", body, position);
      divided++;
    }
    return divided;
  }

  /** As tables were before the fourteenth migration. */
  async function addHeldColumns(database: Database): Promise<void> {
    for (const table of ["holding", "item_holding"]) {
      await database.run(`ALTER TABLE ${table} ADD COLUMN held INTEGER NOT NULL DEFAULT 1`);
    }
  }

  test("an index in which every asset had a row lists those of addresses with many holdings", async (t) => {
    const chain = new SimulatedChain({ seed: 14, traffic: { transactions: [1, 3], wrappers: 4 } });
    chain.mine(200);
    const directory = temporaryDirectory(t);
    const store = await openStore(directory, chain.chainId);
    const blocks = await simulatedSource(chain).blocks(0, chain.length);
    await store.append({ head: chain.length - 1, blocks: blocks, stages: STAGES });
    const before = await store.read(fingerprint);
    const [listed] = await store.database.all("SELECT count(*) FROM asset_count");
    assert.ok((listed![0] as number) > 5);
    await addHeldColumns(store.database);
    await store.database.run("DELETE FROM asset_count");
    await store.database.run("UPDATE asset SET asset = asset + 1000000");
    for (const table of [
      "signature_log_tail",
      "signature_log_run",
      "address_log_count",
      "called",
      ...["native_balance", "native_count", "native_change"],
      ...EXCHANGE_TABLES,
      ...TRACE_TABLES,
      ...ITEM_TABLES,
    ]) {
      await store.database.run(`DROP TABLE ${table}`);
    }
    await store.database.run("DROP INDEX contract_position");
    await store.database.run("DROP INDEX blob_position");
    await store.database.run("DELETE FROM journal WHERE source = 'called'");
    await store.setMeta({ schema: "13" });
    await store.close();

    const migrated = await openStore(directory, chain.chainId);
    t.after(() => migrated.close());

    assert.equal(await migrated.read(fingerprint), before);
    assert.deepEqual(await migrated.read(auditStore), []);
  });

  test("an index of an older schema is filled, and its tokens derived again, to be what a new one is", async (t) => {
    const traffic = {
      transactions: [0, 2],
      miners: 12,
      sharedBlobs: 5,
      wrappers: 4,
      long: 0.02,
      blockTime: [-9, 12],
    } as const;
    const chain = new SimulatedChain({ seed: 12, traffic });
    chain.mine(1100);
    const directory = temporaryDirectory(t);
    const store = await openStore(directory, chain.chainId);
    const blocks = await simulatedSource(chain).blocks(0, chain.length);
    await store.append({ head: chain.length - 1, blocks: blocks, stages: STAGES });
    const before = await store.read(fingerprint);
    assert.ok((await joinRows(store.database)) > 10);
    for (const table of LATER) await store.database.run(`DROP TABLE ${table}`);
    await store.database.run("DROP INDEX contract_position");
    await addHeldColumns(store.database);
    await store.database.run("DELETE FROM journal WHERE source IN ('wrapper', 'called')");
    await store.database.run("ALTER TABLE token_observation DROP COLUMN ledger_supply");
    await store.setMeta({ schema: "4" });
    await store.close();

    const migrated = await openStore(directory, chain.chainId);
    t.after(() => migrated.close());
    while ((await migrated.derive(STAGES[0]!, 500)) > 0);

    assert.equal(await migrated.read(fingerprint), before);
    assert.deepEqual(await migrated.read(auditStore), []);
  });

  test("kept balances lose the ids of accounts, and can still be unwound", async (t) => {
    const database = open(t);
    await migrate(database, MIGRATIONS.slice(0, 24));
    const [one, other] = [new Uint8Array(20).fill(1), new Uint8Array(20).fill(2)];
    const [five, seven] = [writeSigned(5n), writeSigned(7n)];
    const before = new ByteWriter(100);
    for (const [address, id, balance] of [
      [one, 2 ** 50 - 1, five],
      [other, 0, EMPTY],
    ] as const) {
      before.raw(address);
      before.varint(id);
      before.string(balance);
    }
    const columns = ["block", "part", "accounts", "sum", "met", "filled", "before"];
    await database.insert("native_change", columns, [
      [1, 0, 1, five, 1, 0, EMPTY],
      [2, 0, 2, writeSigned(14n), 2, 0, before.copy()],
    ]);
    await database.insert(
      "native_balance",
      ["address", "id", "balance"],
      [
        [one, 2 ** 50 - 1, seven],
        [other, 2 ** 50 - 2, seven],
      ],
    );
    for (let level = 1; level <= 3; level++) {
      const digits =
        seven.subarray(0, level).reduce((sum, byte) => sum * 256 + byte, 0) * 256 ** Math.max(level - seven.length, 0);
      await database.insert("native_count", ["level", "digits", "accounts"], [[level, digits, 2]]);
    }

    await migrate(database);

    const reads = new NativeReads(database);
    const balances = async () => (await reads.fromRank(0, 9)).map(({ address, balance }) => [address[0], balance]);
    assert.deepEqual(await balances(), [
      [2, 7n],
      [1, 7n],
    ]);
    await unwindBalances(database, 1);
    assert.deepEqual(await balances(), [[1, 5n]]);
    assert.equal((await reads.tip())?.sum, 5n);
  });
});
