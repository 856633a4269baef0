import assert from "node:assert/strict";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { test } from "node:test";
import pg from "pg";
import { Indexer } from "../src/indexer/indexer.ts";
import { STAGES } from "../src/indexer/stages.ts";
import { IN_MEMORY } from "../src/store/engine/databases.ts";
import { openStore, openStoreReadOnly } from "../src/store/openStore.ts";
import { fingerprint } from "./support/fingerprint/fingerprint.ts";
import { emptyStore, postgresUrl } from "./support/postgresServer.ts";
import { SimulatedChain } from "./support/simulatedChain.ts";
import { simulatedSource } from "./support/simulatedSource.ts";

const server = await postgresUrl();

/** What an administrator may have set for a role, which every session of it begins with. */
const SETTINGS = {
  bytea_output: "escape",
  client_encoding: "LATIN1",
  datestyle: "'German, DMY'",
  debug_parallel_query: "on",
  default_transaction_deferrable: "on",
  default_transaction_isolation: "serializable",
  enable_indexscan: "off",
  extra_float_digits: "-15",
  idle_in_transaction_session_timeout: "200",
  idle_session_timeout: "200",
  intervalstyle: "sql_standard",
  quote_all_identifiers: "on",
  search_path: "''",
  standard_conforming_strings: "off",
  synchronous_commit: "off",
  timezone: "'Pacific/Apia'",
  transform_null_equals: "on",
  work_mem: "64",
};

const chain = new SimulatedChain({ seed: 11, traffic: { sharedBlobs: 2, pools: 2, transactions: [0, 4] } });
chain.mine(8);

async function query(sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: server });
  await client.connect();
  await client.query(sql);
  await client.end();
}

async function contentOf(url: string): Promise<unknown> {
  const store = await openStore(url, chain.chainId);
  try {
    const indexer = new Indexer({ store, source: simulatedSource(chain), stages: STAGES });
    while ((await indexer.step()) !== "idle");
    return await store.read(fingerprint);
  } finally {
    await store.close();
  }
}

const expected = await contentOf(IN_MEMORY);

test("the index is the same whatever the settings of the role are", async (t) => {
  const role = `unusual_${process.pid}`;
  const sets = Object.entries(SETTINGS).map(([name, value]) => `ALTER ROLE ${role} SET ${name} = ${value}`);
  await query(`CREATE ROLE ${role} SUPERUSER LOGIN; ${sets.join(";")}`);
  t.after(() => query(`ALTER ROLE ${role} RESET ALL`));
  const url = new URL(emptyStore(server));
  url.username = role;

  assert.deepEqual(await contentOf(url.href), expected);
  const reader = await openStoreReadOnly(url.href);
  t.after(() => reader.close());
  assert.deepEqual(await reader.read(fingerprint), expected);
});

test("a database that has no encoding takes texts as they are, and one of another encoding is refused", async (t) => {
  const create = async (encoding: string) => {
    const name = `${encoding.toLowerCase()}_${process.pid}`;
    await query(`CREATE DATABASE ${name} ENCODING '${encoding}' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0`);
    t.after(() => query(`DROP DATABASE ${name} WITH (FORCE)`));
    return emptyStore(server.replace(/postgres$/, name));
  };

  assert.deepEqual(await contentOf(await create("SQL_ASCII")), expected);
  const latin = await create("LATIN1");
  await assert.rejects(openStore(latin, chain.chainId), {
    code: "unsupported",
    message: /has the encoding LATIN1: create it with ENCODING 'UTF8'/,
  });
});

test("a role whose transactions end before a commit may is refused", async (t) => {
  const role = `hurried_${process.pid}`;
  await query(`CREATE ROLE ${role} SUPERUSER LOGIN; ALTER ROLE ${role} SET transaction_timeout = '1min'`);
  t.after(() => query(`DROP ROLE ${role}`));
  const url = new URL(emptyStore(server));
  await (await openStore(url.href, chain.chainId)).close();
  url.username = role;

  const refusal = { code: "unsupported", message: /has a transaction_timeout, which would end commits: set it to 0/ };
  await assert.rejects(openStore(url.href, chain.chainId), refusal);
  await assert.rejects(openStoreReadOnly(url.href), refusal);
});

test("a server that cannot encrypt is refused in one line", async () => {
  await assert.rejects(openStore(`${emptyStore(server)}&sslmode=verify-full`, chain.chainId), {
    code: "store_unavailable",
    message: /does not support SSL/,
  });
});

test("a server that asks for a password is told from one that refuses it", async (t) => {
  const ask = (kind: number, text: string) => {
    const message = Buffer.alloc(9 + text.length);
    message.write("R");
    message.writeInt32BE(message.length - 1, 1);
    message.writeInt32BE(kind, 5);
    message.write(text, 9);
    return message;
  };
  const asking = createServer((socket) => {
    t.after(() => socket.destroy());
    socket.once("data", () => {
      socket.write(ask(10, "SCRAM-SHA-256\0\0"));
      socket.once("data", () => socket.write(ask(11, "r=nonce,s=c2FsdA==,i=4096")));
    });
    socket.on("error", () => {});
  }).listen(0, "127.0.0.1");
  t.after(() => asking.close());
  await once(asking, "listening");
  const url = `postgres://oriel@127.0.0.1:${(asking.address() as AddressInfo).port}/explorer`;

  await assert.rejects(openStore(url, chain.chainId), {
    code: "store_unavailable",
    message: /^the database asks for a password: .*postgres:\/\/USER:PASSWORD@HOST\/NAME/,
  });
});
