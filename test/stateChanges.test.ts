import assert from "node:assert/strict";
import { test } from "node:test";
import { checksumAddress } from "../src/chain/encoding/checksum.ts";
import type { Hex } from "../src/chain/encoding/hex.ts";
import { fromHex, toHex } from "../src/chain/encoding/hex.ts";
import { uintToBigInt } from "../src/chain/encoding/uint.ts";
import type { QueryContext } from "../src/query/context.ts";
import { openQueryContext } from "../src/query/context.ts";
import { listStateChanges } from "../src/query/traces/stateChanges.ts";
import { listStorageChanges } from "../src/query/traces/transactionTrace.ts";
import type { Json } from "./support/api.ts";
import { demonstrated } from "./support/demonstrated.ts";
import type { Ask } from "./support/plainChain.ts";
import { readPlainChain } from "./support/plainChain.ts";
import { Random } from "./support/random.ts";
import { firstSeed } from "./support/seed.ts";
import { listsOf, walk } from "./support/site.ts";
import type { PlainChange } from "./support/stateOracle.ts";
import { plainTokenChanges } from "./support/stateOracle.ts";
import { TracedChain } from "./support/tracedChain.ts";

const SEED = firstSeed();
const BLOCKS = 46;

/** A row in the oracle's notation. */
function changeOf({ token, token_id, address, balance_before, balance_after, change }: Json): PlainChange {
  const items = Array.isArray(change)
    ? (change as unknown as { direction: string; total: Json }[])
        .map(({ direction, total }) => `${direction} ${total.token_id}`)
        .sort()
        .join(",")
    : change;
  const named = [(token as Json).address_hash, token_id, (address as Json).hash];
  return [...named, balance_before, balance_after, items].map(String);
}

/** The same of what the query answers, by the node alone. */
async function changesByNode(context: QueryContext, hash: string): Promise<PlainChange[]> {
  const request = { page: 1, pageSize: 1000, cursor: undefined };
  const page = await listStateChanges(context, fromHex(hash as Hex), request, 0);
  return page!.tokens.map(({ token, tokenId, holder, before, change, moved }) => {
    const idOf = (id: Uint8Array) => uintToBigInt(id).toString();
    const items = moved?.map(({ direction, tokenId: id }) => `${direction} ${idOf(id)}`).sort();
    const balances = [before, before === null ? null : before + change];
    const named = [checksumAddress(token.address), tokenId ? idOf(tokenId) : null, checksumAddress(holder)];
    return [...named, ...balances, items?.join(",") ?? change].map(String);
  });
}

test(`token balances that the demonstration's transactions changed are those of its transfers (seed ${SEED})`, async (t) => {
  const { node, demonstration } = await demonstrated({ seed: String(SEED), blocks: BLOCKS });
  await demonstration.buildPast();
  const traced = await TracedChain.over(t, node);
  await traced.settle();
  const api = listsOf((path) => traced.get(`/api/v2/${path}`));
  const ask: Ask = (method, ...params) => node.ask(method, ...params);
  const expected = plainTokenChanges(await readPlainChain(ask));
  const network = openQueryContext({ store: traced.store, source: traced.source });
  t.after(() => network.decoder.close());
  const random = new Random(SEED);
  const kinds = new Set<string>();

  const all = random.shuffle([...expected]);
  const byId = all.filter(([, changes]) => changes.some(([, id]) => id !== "null"));
  for (const [hash, changes] of new Map([...byId.slice(0, 10), ...all.slice(0, 30)])) {
    const label = `seed ${SEED}: ${hash}`;
    const rows = await walk(api, `transactions/${hash}/state-changes`, random.between(2, 9), async (page) => {
      assert.equal(page.has_token_changes, true, label);
    });
    const tokens = rows.filter(({ type }) => type === "token");
    const types = rows.map(({ type }) => String(type));
    assert.deepEqual(types, types.toSorted(), `${label}: coins come first`);
    assert.deepEqual(tokens.map(changeOf).sort(), changes.toSorted(), label);
    assert.deepEqual((await changesByNode(network, hash)).sort(), changes.toSorted(), `${label} by the node`);
    for (const { token } of tokens) kinds.add(String((token as Json).type));
  }
  assert.deepEqual([...kinds].sort(), ["ERC-1155", "ERC-20", "ERC-721"]);
});

test("storage that a transaction changed is what the node says before and after", async (t) => {
  const traced = await TracedChain.open(t);
  await traced.run("0x0101");
  const hash = await traced.run("0x01010202");
  await traced.settle();
  const network = openQueryContext({ store: traced.store, source: traced.source });
  t.after(() => network.decoder.close());

  const changes = (await listStorageChanges(network, fromHex(hash)))!;

  assert.ok(changes.length > 0);
  const height = await traced.height();
  for (const { address, slot, before, after } of changes) {
    const at = (number: number) =>
      traced.node.ask<Hex>("eth_getStorageAt", toHex(address), toHex(slot), `0x${number.toString(16)}`);
    assert.deepEqual([before, after].map(toHex), [await at(height - 1), await at(height)]);
    assert.notEqual(toHex(before), toHex(after));
  }
});
