import assert from "node:assert/strict";
import { test } from "node:test";
import { typicalEventLoopDelay } from "../../../test/support/eventLoopDelay.ts";
import type { ExchangeToken } from "../../query/exchange/tokenCatalogue.ts";
import { presentExchangeToken, writeTokens } from "./presentExchangeToken.ts";

function tokensOf(count: number): ExchangeToken[] {
  return Array.from({ length: count }, (_, at) => {
    const address = new Uint8Array(20);
    new DataView(address.buffer).setUint32(16, at);
    const texts = { symbol: `T${at}`, name: `Token "${at}" – ₮` };
    return { id: count - at, address, ...texts, decimals: 18, firstSeen: 1_700_000_000 + at, lastUpdated: undefined };
  });
}

test("the list of all tokens is their records, made once for all who ask for it", async () => {
  const tokens = tokensOf(701);

  const [first, again] = await Promise.all([writeTokens(tokens, 677), writeTokens(tokens, 677)]);

  assert.deepEqual(JSON.parse(first.toString()), { data: tokens.map((token) => presentExchangeToken(token, 677)) });
  assert.equal(first, again);
  assert.equal((await writeTokens([], 677)).toString(), '{"data":[]}');
});

test("presenting 100,000 tokens yields to the event loop", async (t) => {
  const tokens = tokensOf(100_000);

  const delay = await typicalEventLoopDelay(() => writeTokens([...tokens], 677), 50);

  t.diagnostic(`longest turn ${delay.toFixed(1)} ms`);
  assert.ok(delay < 50, `${delay} ms`);
});
