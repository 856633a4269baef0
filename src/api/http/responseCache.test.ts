import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { test } from "node:test";
import type { FastifyInstance } from "fastify";
import fastify from "fastify";
import { autocommit } from "../../../test/support/autocommit.ts";
import { contractNamed } from "../../../test/support/contracts.ts";
import { eventLoopTurns } from "../../../test/support/waiting.ts";
import { parseArtifact } from "../../chain/contract/artifact.ts";
import { ContractStore } from "../../store/contracts/contractStore.ts";
import type { Database } from "../../store/engine/database.ts";
import { databasesAt, IN_MEMORY } from "../../store/engine/databases.ts";
import { applyHttpRules } from "./httpRules.ts";
import { cacheable, ResponseCache } from "./responseCache.ts";

interface Served {
  readonly app: FastifyInstance;
  readonly database: Database;
  readonly made: () => number;
  /** Requests a URL until it is cached, without counting. */
  readonly begin: (...urls: string[]) => Promise<void>;
  height: number;
  epoch: string;
}

/** An app with a single path whose handler responds by URL. */
async function serve(
  t: TestContext,
  make: (url: string) => object | Promise<object>,
  abis?: ContractStore,
): Promise<Served> {
  const database = await databasesAt(IN_MEMORY).open("index");
  await autocommit(database).run("CREATE TABLE item (id INTEGER PRIMARY KEY)");
  const app = fastify();
  applyHttpRules(app);
  let made = 0;
  const begin = async (...urls: string[]) => {
    for (const url of urls) await app.inject(url);
    made = 0;
  };
  const served: Served = { app, database, made: () => made, begin, height: 1, epoch: "" };
  const responses = new ResponseCache(database, { heights: () => served.height, epoch: () => served.epoch, abis });
  app.get("/*", async (request, reply) =>
    responses.serve(request, reply, async () => {
      made++;
      return make(request.url);
    }),
  );
  t.after(async () => {
    await app.close();
    await database.close();
  });
  return served;
}

test("what follows from the index is made once for each of its states", async (t) => {
  const served = await serve(t, (url) => cacheable("index", { url }));
  const get = async (url: string) => served.app.inject(url);
  await served.begin("/a", "/a?b");

  const first = await get("/a");
  const second = await get("/a");
  assert.equal(served.made(), 1);
  assert.deepEqual(first.json(), { url: "/a" });
  assert.equal(second.body, first.body);
  assert.equal(second.headers.etag, first.headers.etag);
  assert.match(String(second.headers["content-type"]), /^application\/json/);
  assert.deepEqual((await get("/a?b")).json(), { url: "/a?b" });
  assert.equal(served.made(), 2);

  await autocommit(served.database).insert("item", ["id"], [[1]]);
  await get("/a");
  assert.equal(served.made(), 3, "the index is another");
  served.height = 2;
  await get("/a");
  assert.equal(served.made(), 4, "the height is another");
});

test("a fork that cannot be read while a response is made fails that response alone", async (t) => {
  const database = await databasesAt(IN_MEMORY).open("index");
  const app = fastify();
  t.after(() => Promise.all([app.close(), database.close()]));
  const forkedAt = async () => {
    throw new Error("the disk is gone");
  };
  const responses = new ResponseCache(database, { heights: () => 0, epoch: () => "", forkedAt });
  const make = async () => {
    await eventLoopTurns();
    return {};
  };
  app.get("/", (request, reply) => responses.serve(request, reply, make));

  assert.equal((await app.inject("/")).statusCode, 500);
});

test("what is asked for once pushes out nothing", async (t) => {
  const text = "x".repeat(900_000);
  const served = await serve(t, () => cacheable("index", { text }));
  await served.begin("/a");
  await served.app.inject("/a");
  for (let at = 0; at < 60; at++) await served.app.inject(`/${at}`);
  assert.equal(served.made(), 61);
  await served.app.inject("/a");
  assert.equal(served.made(), 61);
});

test("a matching ETag gets 304 before the response is built", async (t) => {
  const served = await serve(t, (url) => cacheable("index", { url, height: served.height }));
  const ask = (url: string, etag: unknown) => served.app.inject({ url, headers: { "if-none-match": String(etag) } });
  const { etag } = (await served.app.inject("/a")).headers;

  for (const known of [etag, `W/${etag}`, `"other", ${etag}`]) {
    const { statusCode, body, headers } = await ask("/a", known);
    assert.deepEqual([statusCode, body, headers.etag], [304, "", etag]);
  }
  assert.equal(served.made(), 1);
  assert.equal((await ask("/b", etag)).statusCode, 200, "it is another's");
  served.height = 2;
  const changed = await ask("/a", etag);
  assert.deepEqual([changed.statusCode, changed.json().height], [200, 2]);
  const restarted = await serve(t, (url) => cacheable("index", { url }));
  const other = await restarted.app.inject({ url: "/a", headers: { "if-none-match": String(etag) } });
  assert.equal(other.statusCode, 200, "another run may count the same");
});

test("what follows from the index is made again when ABIs are imported", async (t) => {
  const contractStore = await ContractStore.open(IN_MEMORY);
  t.after(() => contractStore.close());
  const served = await serve(t, (url) => cacheable("index", { url }), contractStore);
  await served.begin("/a");
  await served.app.inject("/a");
  await contractStore.refresh();
  await served.app.inject("/a");
  assert.equal(served.made(), 1);

  await contractStore.add([parseArtifact(JSON.stringify(contractNamed("ERC20")), "")!]);
  await contractStore.refresh();

  await served.app.inject("/a");
  await served.app.inject("/a");
  assert.equal(served.made(), 2);
});

test("responses of scope state are rebuilt when the node's head changes", async (t) => {
  const served = await serve(t, (url) => cacheable("state", { url, epoch: served.epoch }));
  await served.begin("/a");
  const first = await served.app.inject("/a");
  await served.app.inject("/a");
  assert.equal(served.made(), 1);

  served.epoch = "another";
  const { etag } = first.headers;
  const second = await served.app.inject({ url: "/a", headers: { "if-none-match": String(etag) } });
  assert.deepEqual([second.statusCode, second.json().epoch, served.made()], [200, "another", 2]);
  const third = await served.app.inject({ url: "/a", headers: { "if-none-match": String(second.headers.etag) } });
  assert.deepEqual([third.statusCode, served.made()], [304, 2]);
});

test("responses of scope index stay cached when the node's head changes", async (t) => {
  const served = await serve(t, (url) => cacheable("index", { url }));
  await served.begin("/a");
  await served.app.inject("/a");
  served.epoch = "another";
  await served.app.inject("/a");
  assert.equal(served.made(), 1);
});

test("what a node was asked for is made every time", async (t) => {
  const served = await serve(t, (url) => ({ url }));
  for (const made of [1, 2, 3]) {
    await served.app.inject("/a");
    assert.equal(served.made(), made);
  }
});

test("what was made while the index changed is not kept", async (t) => {
  const served: Served = await serve(t, async (url) => {
    if (served.made() === 1) await autocommit(served.database).insert("item", ["id"], [[1]]);
    return cacheable("index", { url });
  });
  await served.begin("/a");
  const [first, second] = [await served.app.inject("/a"), await served.app.inject("/a")];
  assert.equal(served.made(), 2);
  assert.notEqual(first.headers.etag, second.headers.etag);
});

test("a flood of URLs does not fill the memory, and the last of them are still there", async (t) => {
  const text = "x".repeat(900_000);
  const served = await serve(t, () => cacheable("index", { text }));
  await served.begin(...Array.from({ length: 60 }, (_, at) => `/${at}`));
  for (let at = 0; at < 60; at++) await served.app.inject(`/${at}`);
  assert.equal(served.made(), 60);
  await served.app.inject("/59");
  assert.equal(served.made(), 60, "kept");
  await served.app.inject("/0");
  assert.equal(served.made(), 61, "forgotten");
});
