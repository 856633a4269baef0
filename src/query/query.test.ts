import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Served } from "../../test/support/api.ts";
import { serveChain } from "../../test/support/api.ts";
import type { PlainBlock } from "../../test/support/plainChain.ts";
import { blocksOf } from "../../test/support/plainChain.ts";
import { simulatedSource } from "../../test/support/simulatedSource.ts";
import { fromHex, toHex } from "../chain/encoding/hex.ts";
import { findContract, readAccount } from "./accounts/account.ts";
import { countLists, readCounters } from "./accounts/counters.ts";
import { findBlock } from "./blocks/block.ts";
import { listBlocks, listMinedBlocks } from "./blocks/blockPages.ts";
import type { QueryContext } from "./context.ts";
import { openQueryContext } from "./context.ts";
import { newestOf } from "./newest.ts";
import type { ListCursor, PageRequest } from "./pages.ts";
import { findExact, search } from "./search.ts";
import { readSearchQuery } from "./searchQuery.ts";
import { listTokenBalances } from "./tokens/balances.ts";
import { listHolders } from "./tokens/holders.ts";
import { findToken, readTokenCounters } from "./tokens/token.ts";
import { listTokens, TOKEN_KINDS } from "./tokens/tokenList.ts";
import { listAddressTransfers, listTokenTransfers, listTransactionTransfers } from "./tokens/transfers.ts";
import { findBlob, listTransactionBlobs } from "./transactions/blobs.ts";
import { listAddressLogs, listTransactionLogs } from "./transactions/logs.ts";
import { readTransaction } from "./transactions/transaction.ts";
import { listAddressTransactions, listBlockTransactions, listTransactions } from "./transactions/transactionPages.ts";

const INDEXED = 10;

let served: Served;
let network: QueryContext;
let blocks: readonly PlainBlock[];

before(async () => {
  served = await serveChain({ seed: 71, blocks: INDEXED, tokens: true, traffic: { sharedBlobs: 3, addresses: 8 } });
  // Above the index, only on the node.
  served.chain.mine(2);
  blocks = blocksOf(served.chain);
  network = openQueryContext({ store: served.store, source: simulatedSource(served.chain) });
});

after(async () => {
  await network.decoder.close();
  await served.close();
});

const page = <C>(pageSize = 5): PageRequest<C> => ({ page: 1, pageSize, cursor: undefined });

/** Every query, with arguments that exist on the chain. */
async function askAll(): Promise<Readonly<Record<string, unknown>>> {
  const newest = await newestOf(served.store)();
  assert.ok(newest?.transaction && newest.token && newest.versionedHash, "the chain must have all kinds");
  const { token, versionedHash, transaction } = newest;
  const [hash, address] = [transaction.hash, transaction.from];
  const miner = fromHex(blocks[1]?.block.miner as `0x${string}`);
  const tokens = { kinds: TOKEN_KINDS, sort: "holders_count", order: "desc", query: undefined } as const;
  return {
    block: await findBlock(network, 3),
    distantBlock: await findBlock(network, INDEXED + 1),
    blocks: await listBlocks(network, "block", page()),
    mined: await listMinedBlocks(network, miner, page()),
    transaction: await readTransaction(network, hash),
    transactions: await listTransactions(network, page()),
    ofAddress: await listAddressTransactions(network, address, page()),
    ofBlock: await listBlockTransactions(network, INDEXED, page()),
    logs: await listTransactionLogs(network, hash, page()),
    emitted: await listAddressLogs(network, token, page()),
    blob: await findBlob(network, versionedHash),
    blobs: await listTransactionBlobs(network, hash, page()),
    account: await readAccount(network, address),
    contract: await findContract(network, token),
    counters: await readCounters(network, address),
    lists: await countLists(network, address),
    token: await findToken(network, token),
    tokenCounters: await readTokenCounters(network, token),
    tokens: await listTokens(network, tokens, page()),
    holders: await listHolders(network, token, page()),
    balances: await listTokenBalances(network, address, page()),
    tokenTransfers: await listTokenTransfers(network, token, page()),
    addressTransfers: await listAddressTransfers(network, address, page()),
    transfers: await listTransactionTransfers(network, hash, page()),
    search: await search(network, readSearchQuery(toHex(token)), page()),
    exact: await findExact(network, readSearchQuery(toHex(hash))),
    figures: await network.stats.figures(),
    days: await network.stats.days(),
    fees: await network.stats.dailyFees(),
  };
}

/** Finds values in an interface's spelling, such as hex or snake_case. Node data is exempt. */
function spelled(value: unknown, path: string): string[] {
  if (typeof value === "string") return /^0x[0-9a-f]*$/i.test(value) ? [path] : [];
  if (typeof value !== "object" || value === null || value instanceof Uint8Array) return [];
  if (value instanceof Map) return [...value.values()].flatMap((each) => spelled(each, `${path}.*`));
  return Object.entries(value).flatMap(([name, each]) => {
    if (name === "extra" || name === "decoded") return [];
    return [...(name.includes("_") ? [`${path}.${name}`] : []), ...spelled(each, `${path}.${name}`)];
  });
}

test("every query finds something, as plain values that no interface has spelled yet", async () => {
  const answers = await askAll();

  for (const [name, answer] of Object.entries(answers)) {
    assert.notEqual(answer, undefined, name);
    assert.deepEqual(spelled(answer, name), []);
  }
});

test("what is indexed may be kept, and what the node was asked for may not", async () => {
  const indexed = await findBlock(network, 3);
  const distant = await findBlock(network, INDEXED + 1);
  const unknown = await findBlock(network, INDEXED + 100);

  assert.deepEqual([indexed?.scope, distant?.scope, unknown], ["index", undefined, undefined]);
  assert.equal(toHex(distant!.block.header.hash), blocks[INDEXED + 1]?.hash);
  assert.equal((await listBlockTransactions(network, INDEXED + 1, page()))?.scope, undefined);
});

test("the pages of a list, walked by their cursors, are the indexed transactions from the newest on", async () => {
  const expected = blocks.slice(0, INDEXED + 1).flatMap(({ block }) => block.transactions.map(({ hash }) => hash));
  const walked: string[] = [];
  let request: PageRequest<ListCursor> | undefined = page(7);
  while (request !== undefined) {
    const { transactions, info } = await listTransactions(network, request);
    walked.push(...transactions.map(({ transaction }) => toHex(transaction.hash)));
    assert.equal(info.total, expected.length);
    const next = info.next as { page: number; cursor: ListCursor } | null;
    request = next === null ? undefined : { page: next.page, pageSize: 7, cursor: next.cursor };
  }

  assert.deepEqual(walked, expected.reverse());
});
