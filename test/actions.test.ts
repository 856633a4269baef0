import assert from "node:assert/strict";
import { test } from "node:test";
import { demonstratedExchange } from "../src/demo/exchange.ts";
import { NO_EXCHANGES } from "../src/query/exchange/exchangeSettings.ts";
import type { Json } from "./support/api.ts";
import { demonstrated } from "./support/demonstrated.ts";
import { FollowedChain } from "./support/followedChain.ts";
import { actionsByReceipt, findPools } from "./support/receiptActions.ts";
import { firstSeed } from "./support/seed.ts";
import type { WireBlock, WireReceipt, WireTransaction } from "./support/wireForm.ts";

const SEED = firstSeed(35);
const BLOCKS = Number(process.env.ORIEL_CASES ?? 160);

/** A block of the embedded chain with everything. */
interface MinedBlock {
  readonly transactions: readonly WireTransaction[];
  readonly receipts: readonly WireReceipt[];
}

test(`the actions of all transactions of a demonstration of ${BLOCKS} blocks are those of their receipts (seed ${SEED})`, async (t) => {
  const { node, demonstration } = await demonstrated({ seed: String(SEED), blocks: BLOCKS });
  await demonstration.buildPast();
  const exchange = { ...NO_EXCHANGES, ...demonstratedExchange("testnet") };
  const followed = await FollowedChain.open(t, { chain: node, exchange });
  followed.start();
  await followed.settle();
  const blocks = await readBlocks(followed);
  const factories = exchange.factories.map(({ address }) => address);
  const receipts = blocks.flatMap((block) => block.receipts);
  const market = { pools: findPools(receipts, factories), wrapped: exchange.wrappedCoin! };
  const kinds = new Map<string, number>();
  for (const { transactions, receipts: ofBlock } of blocks) {
    for (const [at, tx] of transactions.entries()) {
      const expected = actionsByReceipt(tx, ofBlock[at]!, market);
      const summary = await readSummary(followed, tx.hash);
      const shown = (summary.actions as Json[]).filter(({ type }) => type !== "send" && type !== "delegate");
      assert.deepEqual(shown.map(lineOf).sort(), expected, `${tx.hash}: ${summary.summary_template}`);
      for (const { type } of summary.actions as Json[]) kinds.set(String(type), (kinds.get(String(type)) ?? 0) + 1);
      expectPayment(tx, ofBlock[at]!, summary);
    }
  }

  t.diagnostic(JSON.stringify(Object.fromEntries(kinds)));
  const expectedKinds =
    "swap add_liquidity remove_liquidity wrap transfer mint burn approve send create_contract post_blobs delegate".split(
      " ",
    );
  for (const kind of expectedKinds) assert.ok(kinds.has(kind), `a demonstration has ${kind}`);
});

async function readBlocks({ chain }: FollowedChain): Promise<MinedBlock[]> {
  const height = Number(await chain.ask("eth_blockNumber"));
  return Promise.all(
    Array.from({ length: height + 1 }, async (_, number) => {
      const id = `0x${number.toString(16)}`;
      const { transactions } = await chain.ask<WireBlock>("eth_getBlockByNumber", id, true);
      return { transactions, receipts: await chain.ask<WireReceipt[]>("eth_getBlockReceipts", id) };
    }),
  );
}

async function readSummary(followed: FollowedChain, hash: string): Promise<Json> {
  return (await followed.get(`/api/v2/transactions/${hash}`)).body.summary as Json;
}

/** A payment without a call is told, and so are the coins of a call that nothing else explains. */
function expectPayment(tx: WireTransaction, receipt: WireReceipt, { actions, summary_template: template }: Json): void {
  const isPlain = tx.to !== null && tx.input === "0x" && receipt.status !== "0x0" && receipt.logs.length === 0;
  const [send] = (actions as Json[]).filter(({ type }) => type === "send");
  if (!isPlain || (tx.blobVersionedHashes as unknown[] | undefined)?.length) return;
  const given = (send!.given as Json[])[0]!;
  assert.deepEqual([BigInt(String(given.amount)), given.token], [BigInt(String(tx.value)), null]);
  assert.match(String(template), /^Sent \{amount\} \{native\} to \{address\}$/);
}

const low = (value: unknown) => String(value).toLowerCase();
const hashOf = (address: unknown) => low((address as Json).hash);

/** An action as `actionsByReceipt` writes it. */
function lineOf(action: Json): string {
  const { type, from, to, given, received, pools } = action as Json & Record<"given" | "received" | "pools", Json[]>;
  const sums = (assets: Json[]) =>
    assets
      .map(({ amount, token }) => `${amount} ${token === null ? "coin" : low((token as Json).address)}`)
      .sort()
      .join(" ");
  const where = pools
    .map(({ address }) => low(address))
    .sort()
    .join(" ");
  const [asset] = given;
  switch (type) {
    case "create_contract":
      return `create_contract ${hashOf(to)}`;
    case "post_blobs":
      return `post_blobs ${action.blobs}`;
    case "swap":
      return `swap ${sums(given)} for ${sums(received)} in ${where}`;
    case "add_liquidity":
      return `${type} ${sums(given)} in ${where}`;
    case "remove_liquidity":
    case "collect":
      return `${type} ${sums(received)} in ${where}`;
    case "wrap":
    case "unwrap": {
      const token = (type === "wrap" ? received[0]! : asset!).token as Json;
      return `${type} ${low(token.address)} ${hashOf(from)} ${asset!.amount} `;
    }
    case "approve":
      return `approve ${low((asset!.token as Json).address)} ${hashOf(from)} ${hashOf(to)} ${approved(action, asset!)}`;
    default: {
      const ids = ((asset!.token_ids ?? []) as string[]).map(BigInt).sort().join();
      return `${type} ${low((asset!.token as Json).address)} ${hashOf(from)} ${hashOf(to)} ${asset!.amount} ${ids}`;
    }
  }
}

function approved(action: Json, { amount, token_ids: ids, token }: Json): string {
  if (ids !== null) return `#${(ids as string[])[0]}`;
  const isCollection = (token as Json).type !== "ERC-20";
  return isCollection ? String(action.is_unlimited) : String(amount);
}
