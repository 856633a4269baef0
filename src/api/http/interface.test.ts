import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { test } from "node:test";
import type { FastifyInstance } from "fastify";
import { serveChain } from "../../../test/support/api.ts";
import { answerErrorsAs } from "./failure.ts";
import { createHttpApp } from "./httpApp.ts";
import { serveRead } from "./httpRules.ts";
import { COSTS } from "./rateLimit.ts";

function addFailures(scope: FastifyInstance): void {
  serveRead(scope, "/read", COSTS.record, () => ({}));
  scope.post("/echo", async ({ body }) => ({ body }));
  scope.get("/fail", async () => {
    throw new Error("at https://key@node.example");
  });
}

const form = (key: string) => answerErrorsAs(({ message }) => ({ status: 200, body: { [key]: message } }));

function openApp(t: TestContext): FastifyInstance {
  const outer = { prefix: "/api", answerError: form("outer"), routes: addFailures, operations: [] };
  const inner = { prefix: "/api/inner", answerError: form("inner"), routes: addFailures, operations: [] };
  const app = createHttpApp({}, [outer, inner]);
  t.after(() => app.close());
  addFailures(app);
  return app;
}

const JSON_TYPE = { "content-type": "application/json" };
const LONG = "x".repeat(33_000);

/** Statuses and body keys of requests to a prefix. */
async function refusals(app: FastifyInstance, prefix: string): Promise<[status: number, keys: string][]> {
  const asked = [
    { url: `${prefix}/%zz` },
    { url: `${prefix}/nothing/here` },
    { method: "POST" as const, url: `${prefix}/read` },
    { method: "POST" as const, url: `${prefix}/echo`, payload: "{bad", headers: JSON_TYPE },
    { method: "POST" as const, url: `${prefix}/echo`, payload: `"${"x".repeat(140_000)}"`, headers: JSON_TYPE },
    { method: "POST" as const, url: `${prefix}/echo`, payload: "x", headers: { "content-type": "text/html" } },
    { url: `${prefix}/nothing?${LONG}` },
    { url: `${prefix}/read?${LONG}` },
    { url: `${prefix}/fail` },
  ];
  const found: [number, string][] = [];
  for (const request of asked) {
    const { statusCode, headers, body } = await app.inject(request);
    assert.match(String(headers["content-type"]), /^application\/json/, request.url.slice(0, 40));
    assert.equal(headers["access-control-allow-origin"], "*");
    assert.doesNotMatch(body, /node\.example/);
    found.push([statusCode, Object.keys(JSON.parse(body) as object).join(" ")]);
  }
  return found;
}

test("each interface answers every error below its prefix in its own form, and other paths keep the plain one", async (t) => {
  const app = openApp(t);

  const outer = await refusals(app, "/api");
  const inner = await refusals(app, "/api/inner");
  const plain = await refusals(app, "");

  const statuses = [400, 404, 405, 400, 413, 415, 414, 414, 500];
  assert.deepEqual(outer, Array(statuses.length).fill([200, "outer"]));
  assert.deepEqual(inner, Array(statuses.length).fill([200, "inner"]));
  assert.deepEqual(
    plain,
    statuses.map((status) => [status, "message"]),
  );
});

test("REST and JSON-RPC have their own forms, also for what is at none of their paths", async (t) => {
  const { app, close } = await serveChain({ seed: 32, blocks: 2, rpc: () => ({ handle: async () => "{}" }) });
  t.after(close);
  const keysOf = async (url: string) => {
    const { statusCode, body } = await app.inject({ url });
    return [statusCode, Object.keys(JSON.parse(body) as object).join(" ")];
  };

  assert.deepEqual(await keysOf("/api/v2/nothing"), [404, "message"]);
  assert.deepEqual(await keysOf("/api/v2/blocks/%zz"), [400, "message"]);
  assert.deepEqual(await keysOf("/api/v2/blocks/x"), [422, "message errors"]);
  assert.deepEqual(await keysOf(`/api/v2/blocks/1?${LONG}`), [414, "message"]);
  assert.deepEqual(await keysOf("/rpc/nothing"), [404, "jsonrpc id error"]);
  assert.deepEqual(await keysOf("/rpc/%zz"), [400, "jsonrpc id error"]);
  assert.deepEqual(await keysOf(`/rpc?${LONG}`), [414, "jsonrpc id error"]);
  assert.deepEqual(await keysOf("/rpcs"), [404, "message"]);
});
