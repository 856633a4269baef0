import assert from "node:assert/strict";
import type { AddressInfo } from "node:net";
import type { TestContext } from "node:test";
import { test } from "node:test";
import type { HttpOptions } from "../../client/src/index.ts";
import { OrielClient, OrielError } from "../../client/src/index.ts";
import type { ServeOptions } from "../support/api.ts";
import { serveChain } from "../support/api.ts";

interface Seen {
  readonly status: number;
  readonly retryAfter: string | null;
}

/** A client that comes through a proxy, since programs on the machine itself have no limit. */
async function open(t: TestContext, settings: ServeOptions["settings"], options: HttpOptions = {}) {
  const served = await serveChain({ seed: 8, blocks: 3, settings: { trustProxy: ["127.0.0.1"], ...settings } });
  await served.app.listen({ host: "127.0.0.1", port: 0 });
  t.after(() => served.close());
  const { port } = served.app.server.address() as AddressInfo;
  const seen: Seen[] = [];
  const waits: [number, number][] = [];
  const client = new OrielClient(`http://127.0.0.1:${port}/`, {
    headers: { "x-forwarded-for": "203.0.113.7" },
    onWait: (delay, status) => waits.push([delay, status]),
    fetch: async (...request) => {
      const response = await fetch(...request);
      seen.push({ status: response.status, retryAfter: response.headers.get("retry-after") });
      return response;
    },
    ...options,
  });
  return { client, seen, waits };
}

test("a request over the rate limit is repeated after the time that the program says", async (t) => {
  const { client, seen, waits } = await open(t, { rateLimit: 1 });

  const answers: number[] = [];
  while (waits.length === 0) answers.push((await client.get("/api/v2/blocks", { page_size: answers.length + 1 })).page);

  const refused = seen.filter(({ status }) => status === 429);
  assert.ok(refused.length > 0 && answers.every((page) => page === 1));
  assert.deepEqual(
    waits,
    refused.map(({ retryAfter }) => [Number(retryAfter) * 1000, 429]),
  );
  assert.equal(seen.at(-1)!.status, 200);
});

test("a request is repeated as often as allowed, and then refused", async (t) => {
  const { client, seen, waits } = await open(t, { rateLimit: 1 }, { retries: 0 });

  let refusal: unknown;
  while (refusal === undefined) await client.get("/api/v2/stats").catch((error: unknown) => (refusal = error));

  assert.ok(refusal instanceof OrielError);
  assert.deepEqual([refusal.status, seen.at(-1)!.status, waits], [429, 429, []]);
});

test("a request that would have to wait too long fails at once", async (t) => {
  const { client, seen, waits } = await open(t, {}, { maxDelay: 500 });

  const refusal = await client.get("/api/v2/internal-transactions").catch((error: unknown) => error as OrielError);

  assert.ok(refusal instanceof OrielError);
  assert.ok(Number(seen[0]!.retryAfter) >= 1);
  assert.deepEqual([refusal.status, seen.length, waits.length], [503, 1, 0]);
});

test("a wait ends when the signal aborts", async (t) => {
  const stopping = new AbortController();
  const { client, seen } = await open(t, {}, { onWait: () => stopping.abort(new Error("enough")) });

  const call = client.get("/api/v2/internal-transactions", {}, { signal: stopping.signal });

  await assert.rejects(call, /enough/);
  assert.equal(seen.length, 1);
});
