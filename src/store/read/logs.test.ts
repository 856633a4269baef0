import assert from "node:assert/strict";
import { test } from "node:test";
import { serveChain } from "../../../test/support/api.ts";
import { plainLogs } from "../../../test/support/plainLogs.ts";
import { meterReads } from "../../../test/support/readMeter.ts";
import { toHex } from "../../chain/encoding/hex.ts";
import { logPosition } from "../rows/position.ts";

test("logs are read by position in any order, each with its own data until that is too much", async () => {
  const { chain, store, close } = await serveChain({ seed: 41, blocks: 40, traffic: { extraFields: true } });
  const expected = plainLogs(chain);
  const indexOf = (hash: string) => Number(chain.transactionByHash(hash)!.transactionIndex);
  const at = expected.map((log) => logPosition(log.block_number, indexOf(log.transaction_hash), log.index));
  const order = at.map((_, i) => (i * 7) % at.length);
  assert.ok(at.length > 150 && at.length % 7 !== 0);

  const found = await store.latest.logs.at(order.map((i) => at[i]!));
  const whole = await store.latest.logs.at(at, expected[0]!.data.length / 2);

  for (const [i, log] of found.entries()) {
    const { data, index, transaction_hash, topics } = expected[order[i]!]!;
    const reported = [toHex(log.data!), log.logIndex, toHex(log.transactionHash), toHex(log.topics)];
    assert.deepEqual(reported, [data, index, transaction_hash, `0x${topics.map((topic) => topic?.slice(2)).join("")}`]);
  }
  assert.equal(toHex(whole[0]!.data!), expected[0]!.data);
  assert.ok(whole.some(({ data }) => data === null));
  await close();
});

test("data that has no room in an answer is left out and not read, and what comes after it is shown again", async () => {
  const { chain, store, close } = await serveChain({ seed: 42, blocks: 40, traffic: { long: 0.4 } });
  const expected = plainLogs(chain);
  const indexOf = (hash: string) => Number(chain.transactionByHash(hash)!.transactionIndex);
  const at = expected.map((log) => logPosition(log.block_number, indexOf(log.transaction_hash), log.index));
  const max = 50_000;
  const meter = meterReads(store.database);

  const [found, { bytes }] = await meter(() => store.latest.logs.at(at, max));

  const shown = found.filter(({ data }) => data !== null);
  for (const [i, { data }] of found.entries()) if (data !== null) assert.equal(toHex(data), expected[i]!.data);
  assert.ok(shown.reduce((sum, { data }) => sum + data!.length, 0) <= max);
  assert.ok(found.findIndex(({ data }) => data === null) < found.indexOf(shown.at(-1)!));
  assert.ok(bytes < max + at.length * (9 << 10));
  await close();
});
