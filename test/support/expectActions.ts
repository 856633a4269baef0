import assert from "node:assert/strict";
import type { Json } from "./api.ts";
import type { DevelopmentNode } from "./developmentNode.ts";
import { actionsByReceipt, findPools } from "./receiptActions.ts";
import type { WireBlock, WireReceipt, WireTransaction } from "./wireForm.ts";

/** A block of an embedded chain with everything. */
interface MinedBlock {
  readonly transactions: readonly WireTransaction[];
  readonly receipts: readonly WireReceipt[];
}

interface Exchange {
  readonly factories: readonly string[];
  readonly wrapped: string;
}

/** Compares the actions of all transactions with their receipts. Returns how often each kind occurs. */
export async function expectActions(
  chain: DevelopmentNode,
  { factories, wrapped }: Exchange,
  get: (url: string) => Promise<{ readonly body: Json }>,
): Promise<Map<string, number>> {
  const blocks = await readBlocks(chain);
  const receipts = blocks.flatMap((block) => block.receipts);
  const market = { pools: findPools(receipts, factories), wrapped };
  const kinds = new Map<string, number>();
  for (const [at, tx] of blocks.flatMap(({ transactions }) => transactions).entries()) {
    const receipt = receipts[at]!;
    const summary = (await get(`/api/v2/transactions/${tx.hash}`)).body.summary as Json;
    const shown = (summary.actions as Json[]).filter(({ type }) => type !== "send" && type !== "delegate");
    const expected = actionsByReceipt(tx, receipt, market);
    assert.deepEqual(shown.map(lineOf).sort(), expected, `${tx.hash}: ${summary.summary_template}`);
    for (const { type } of summary.actions as Json[]) kinds.set(String(type), (kinds.get(String(type)) ?? 0) + 1);
    expectPayment(tx, receipt, summary);
  }
  return kinds;
}

async function readBlocks(chain: DevelopmentNode): Promise<MinedBlock[]> {
  const height = Number(await chain.ask("eth_blockNumber"));
  return Promise.all(
    Array.from({ length: height + 1 }, async (_, number) => {
      const id = `0x${number.toString(16)}`;
      const { transactions } = await chain.ask<WireBlock>("eth_getBlockByNumber", id, true);
      return { transactions, receipts: await chain.ask<WireReceipt[]>("eth_getBlockReceipts", id) };
    }),
  );
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
