import assert from "node:assert/strict";
import { test } from "node:test";
import { address, tokenLog, word } from "../../../test/support/tokenLogs.ts";
import { encodeCall } from "../../chain/abi/encodeCall.ts";
import type { Log } from "../../chain/block/receipt.ts";
import type { Bytes } from "../../chain/encoding/bytes.ts";
import { fromHex, toHex } from "../../chain/encoding/hex.ts";
import { EXCHANGE_TOPICS } from "../../chain/exchange/exchangeLog.ts";
import type { KnownToken } from "../../store/stages/tokens/read/tokenReads.ts";
import type { Action, ActionPool, Asset, TransactionActions } from "./action.ts";
import { readBatch } from "./batch.ts";
import type { KnownContracts, TransactionFacts } from "./classify.ts";
import { classifyActions } from "./classify.ts";
import { describeActions } from "./sentence.ts";
import type { Part } from "./sentenceParts.ts";

const [ALICE, BOB, VICTIM, ROUTER, POOL] = [0xa1, 0xb0, 0xc1, 0xd0, 0xe0].map(address) as [
  Bytes,
  Bytes,
  Bytes,
  Bytes,
  Bytes,
];
const ZERO = new Uint8Array(20);

const tokenOf = (byte: number, symbol: string) =>
  ({ id: byte, address: address(byte), seen: { decimals: 0, symbol: { text: symbol } } }) as unknown as KnownToken;
const [USD, GLASS, COIN] = [tokenOf(1, "USD"), tokenOf(2, "GLASS"), tokenOf(3, "WCOIN")];
const TOKENS = new Map([USD, GLASS, COIN].map((token) => [toHex(token.address), token]));

const poolOf = (exchange: string | undefined, more: Partial<ActionPool> = {}): ActionPool => ({
  address: POOL,
  type: "v2",
  exchange,
  fee: 3000,
  token0: USD,
  token1: GLASS,
  ...more,
});

const move = (token: KnownToken, from: Bytes, to: Bytes, amount: number): Log => ({
  ...tokenLog("transfer", [from, to], [word(amount)]),
  address: token.address,
});
const topics = (topic: Bytes, ...indexed: Bytes[]) => Buffer.concat([topic, ...indexed.map((one) => word(one))]);
const words = (...values: number[]) => Buffer.concat(values.map((value) => word(value)));
const swapped = (in0: number, in1: number, out0: number, out1: number, pool = POOL): Log => ({
  address: pool,
  topics: topics(EXCHANGE_TOPICS.swapV2, ROUTER, ALICE),
  data: words(in0, in1, out0, out1),
  logIndex: 0,
});
const burntV3 = (amount0: number, amount1: number): Log => ({
  address: POOL,
  topics: topics(EXCHANGE_TOPICS.burnV3, ALICE, word(0), word(60)),
  data: words(9, amount0, amount1),
  logIndex: 0,
});
const wrapped = (event: "deposit" | "withdrawal", party: Bytes, amount: number): Log => ({
  ...tokenLog(event, [party], [word(amount)]),
  address: COIN.address,
});

function classify(logs: readonly Log[], facts: Partial<TransactionFacts> = {}, pool = poolOf("Uniswap V2")): Action[] {
  const known: KnownContracts = {
    tokenAt: (at) => TOKENS.get(toHex(at)),
    poolAt: (hex) => (hex === toHex(POOL) ? pool : undefined),
    wrappedCoin: toHex(COIN.address),
  };
  const plain = { from: ALICE, to: ROUTER, value: 0n, created: undefined, blobs: 0, delegations: [] };
  return classifyActions({ ...plain, ...facts, logs }, known);
}

/** The sentence as text. */
function sentenceFor(
  actions: readonly Action[],
  more: Partial<TransactionActions["call"]> = {},
  viewer?: Bytes,
): string {
  const call = { from: ALICE, to: ROUTER, value: 0n, method: "run", parts: [], ...more };
  const what = { call, failure: undefined, isPending: false, actions, isComplete: true };
  const { headline, detail, also } = describeActions(what, viewer);
  return [headline, detail, also]
    .map((parts) => parts.map(textOf).join(""))
    .filter(Boolean)
    .join(" ");
}

const NAMES = new Map(
  [ALICE, BOB, VICTIM, ROUTER, POOL].map((at, index) => [
    toHex(at),
    ["alice", "bob", "victim", "router", "pool"][index]!,
  ]),
);
const assetText = ({ token, amount, ids }: Asset) =>
  `${ids?.length === 1 ? "" : `${amount} `}${token === null ? "COIN" : token.seen!.symbol.text}${ids?.length === 1 ? ` #${ids[0]}` : ""}`;

function textOf(part: Part): string {
  if (typeof part === "string") return part;
  if ("asset" in part) return assetText(part.asset);
  if ("token" in part) return part.token.seen!.symbol.text!;
  if ("address" in part) return NAMES.get(toHex(part.address)) ?? "nobody";
  if ("pool" in part) return "USD/GLASS";
  if ("text" in part) return part.text;
  return typeof part.method === "string" ? part.method : toHex(part.method);
}

const SWAP = [move(USD, ALICE, POOL, 100), move(GLASS, POOL, ALICE, 7), swapped(100, 0, 0, 7)];

test("the fee that a pool of Solidly passes on is no transfer", () => {
  const fee = move(USD, POOL, VICTIM, 3);
  const solidly = poolOf("Aerodrome", { type: "stable" });
  const logs = [SWAP[0]!, SWAP[1]!, fee, { ...SWAP[2]!, topics: topics(EXCHANGE_TOPICS.swapSolidly, ROUTER, ALICE) }];

  const swap = "Swapped 100 USD for 7 GLASS on Aerodrome, USD/GLASS";
  assert.equal(sentenceFor(classify(logs, {}, solidly)), swap);
  // Of another pool it is a transfer, as is what the trader gives.
  assert.equal(
    sentenceFor(classify([...SWAP, fee])),
    `${swap.replace("Aerodrome", "Uniswap V2")} and sent 3 USD to victim`,
  );
  const gift = [move(USD, ALICE, VICTIM, 2), ...logs];
  assert.equal(sentenceFor(classify(gift, {}, solidly)), `${swap} and sent 2 USD to victim`);
});

test("a swap is what pools took and paid, through a router or not", () => {
  const throughRouter = [move(USD, ALICE, ROUTER, 100), move(USD, ROUTER, POOL, 100), ...SWAP.slice(1)];

  assert.equal(sentenceFor(classify(SWAP)), "Swapped 100 USD for 7 GLASS on Uniswap V2, USD/GLASS");
  assert.equal(sentenceFor(classify(throughRouter)), "Swapped 100 USD for 7 GLASS on Uniswap V2, USD/GLASS");
  assert.equal(sentenceFor(classify(SWAP, {}, poolOf(undefined))), "Swapped 100 USD for 7 GLASS through USD/GLASS");
});

test("a pool whose tokens do not confirm what it claims did not swap", () => {
  const claims = (in0: number, out1: number) =>
    sentenceFor(classify([move(USD, ALICE, POOL, 100), swapped(in0, 0, 0, out1)]));

  assert.equal(claims(100, 1_000_000), "Sent 100 USD to pool");
  assert.equal(sentenceFor(classify([swapped(100, 0, 0, 7)])), "Called run on router");
  assert.equal(
    sentenceFor(classify([...SWAP, swapped(100, 0, 0, 7)])),
    "Swapped 100 USD for 7 GLASS on Uniswap V2, USD/GLASS",
  );
  assert.equal(sentenceFor(classify([swapped(100, 0, 0, 7, BOB), ...SWAP.slice(0, 1)])), "Sent 100 USD to pool");
});

test("a trade that uses up what a pair had been sent before is a swap of what moved, if the exchange is known", () => {
  const logs = [move(USD, ALICE, POOL, 60), move(GLASS, POOL, ALICE, 7), swapped(100, 0, 0, 7)];

  assert.equal(sentenceFor(classify(logs)), "Swapped 60 USD for 7 GLASS on Uniswap V2, USD/GLASS");
  const transfers = "Sent 60 USD to pool and received 7 GLASS from pool";
  assert.equal(sentenceFor(classify(logs, {}, poolOf(undefined))), transfers);
  assert.equal(sentenceFor(classify(logs.slice(1))), "Received 7 GLASS from pool");
});

test("a fee that a token burns of what a pool pays is not burnt by the trader", () => {
  const [loan, fee] = [move(USD, POOL, ROUTER, 90), move(USD, POOL, ZERO, 10)];
  const returned = [move(USD, ROUTER, POOL, 180), move(USD, ROUTER, ZERO, 20), move(GLASS, POOL, ROUTER, 7)];

  const sentence = sentenceFor(classify([loan, fee, ...returned, swapped(180, 0, 100, 7)]));
  assert.equal(sentence, "Swapped 80 USD for 7 GLASS on Uniswap V2, USD/GLASS and burnt 20 USD of router");
});

test("removed liquidity that nothing was paid for is believed of known exchanges only", () => {
  const v3 = (exchange: string | undefined) =>
    sentenceFor(classify([burntV3(5, 6)], {}, poolOf(exchange, { type: "v3" })));

  assert.equal(v3("Uniswap V3"), "Removed 5 USD and 6 GLASS of liquidity from USD/GLASS on Uniswap V3");
  assert.equal(v3(undefined), "Called run on router");
});

test("a swap hides no transfer of the same token between others", () => {
  const drained = classify([...SWAP, move(USD, VICTIM, BOB, 5000)]);
  const paidOut = classify([...SWAP, move(GLASS, VICTIM, BOB, 5000)]);

  assert.match(sentenceFor(drained), /^Swapped 100 USD for 7 GLASS .* and transferred 5000 USD to bob$/);
  assert.match(sentenceFor(paidOut), /^Swapped 100 USD for 7 GLASS .* and transferred 5000 GLASS from victim$/);
});

test("coins that are wrapped on the way are coins, and other wraps are told", () => {
  const pool = poolOf("Uniswap V2", { token0: COIN, token1: GLASS });
  const bought = [
    wrapped("deposit", ROUTER, 100),
    move(COIN, ROUTER, POOL, 100),
    move(GLASS, POOL, ALICE, 7),
    swapped(100, 0, 0, 7),
  ];
  const sold = [
    move(GLASS, ALICE, POOL, 7),
    move(COIN, POOL, ROUTER, 100),
    swapped(0, 7, 100, 0),
    wrapped("withdrawal", ROUTER, 100),
  ];

  assert.match(sentenceFor(classify(bought, { value: 120n }, pool)), /^Swapped 100 COIN for 7 GLASS/);
  assert.match(sentenceFor(classify(sold, {}, pool)), /^Swapped 7 GLASS for 100 COIN/);
  assert.equal(sentenceFor(classify([wrapped("deposit", ALICE, 5)], { value: 5n })), "Wrapped 5 COIN as WCOIN");
  assert.equal(sentenceFor(classify([wrapped("withdrawal", ALICE, 5)])), "Unwrapped 5 WCOIN");
  const fake = { ...wrapped("deposit", ALICE, 5), address: USD.address };
  assert.equal(sentenceFor(classify([fake])), "Called run on router");
  assert.equal(sentenceFor(classify([fake], { to: USD.address, value: 5n })), "Wrapped 5 COIN as USD");
});

test("transfers, mints, burns and items are told by who gave and got", () => {
  const item = { ...tokenLog("transfer", [ZERO, ALICE, word(4)]), address: GLASS.address };

  assert.equal(sentenceFor(classify([move(USD, ALICE, BOB, 3), move(USD, ALICE, BOB, 4)])), "Sent 7 USD to bob");
  assert.equal(sentenceFor(classify([move(USD, VICTIM, BOB, 3)])), "Transferred 3 USD from victim to bob");
  assert.equal(sentenceFor(classify([move(USD, VICTIM, BOB, 3)]), {}, BOB), "Received 3 USD from victim");
  assert.equal(sentenceFor(classify([move(USD, ZERO, BOB, 3)])), "Minted 3 USD to bob");
  assert.equal(sentenceFor(classify([move(USD, ALICE, ZERO, 3)])), "Burnt 3 USD");
  assert.equal(sentenceFor(classify([item])), "Minted GLASS #4");
  assert.equal(sentenceFor(classify([item], { value: 9n }), { value: 9n }), "Minted GLASS #4 paying 9 COIN");
  assert.equal(sentenceFor(classify([move(USD, ALICE, BOB, 0)])), "Sent 0 USD to bob");
  assert.equal(sentenceFor(classify([move(USD, VICTIM, BOB, 0), move(GLASS, ALICE, BOB, 1)])), "Sent 1 GLASS to bob");
  const unknown = { ...move(USD, ALICE, BOB, 3), address: address(0x77) };
  assert.equal(sentenceFor(classify([unknown])), "Called run on router");
});

const APPROVAL = fromHex("0x8c5be1e5ebec7d5bd14f71427d1e84f3dd0314c0f7b2291e5b200ac8c7c3b925");
const approval = (owner: Bytes, amount: Bytes): Log => ({
  address: USD.address,
  topics: topics(APPROVAL, owner, BOB),
  data: amount,
  logIndex: 0,
});

test("an approval says who may spend how much, and that it has no limit", () => {
  const endless = new Uint8Array(32).fill(255);

  assert.equal(sentenceFor(classify([approval(ALICE, word(5))])), "Approved bob to spend 5 USD");
  assert.equal(sentenceFor(classify([approval(ALICE, endless)])), "Approved bob to spend unlimited USD");
  assert.equal(sentenceFor(classify([approval(ALICE, word(0))])), "Revoked the approval of bob to spend USD");
  assert.equal(
    sentenceFor(classify([approval(VICTIM, endless)])),
    "Approved bob to spend unlimited USD on behalf of victim",
  );
  assert.equal(sentenceFor(classify([approval(ALICE, word(2)), move(USD, ALICE, BOB, 3)])), "Sent 3 USD to bob");
  assert.equal(
    sentenceFor(classify([approval(ALICE, endless), move(USD, ALICE, BOB, 3)])),
    "Sent 3 USD to bob and approved bob to spend unlimited USD",
  );
});

test("delegations, blobs and creations are told with what became of them", () => {
  const delegation = { type: "delegate", account: VICTIM, delegate: ROUTER, isApplied: true } as const;

  assert.equal(sentenceFor(classify([], { delegations: [delegation] })), "Delegated victim to router");
  assert.equal(
    sentenceFor(classify([], { delegations: [{ ...delegation, isApplied: false }] })),
    "Did not delegate victim to router",
  );
  assert.equal(
    sentenceFor(classify([], { delegations: [{ ...delegation, delegate: undefined }] })),
    "Ended the delegation of victim",
  );
  assert.equal(sentenceFor(classify([], { blobs: 3 })), "Posted 3 blobs to router");
  assert.equal(sentenceFor(classify([], { created: POOL, to: null }), { to: null }), "Created the contract pool");
});

test("a multicall is told by its calls, and what does not decode is not", () => {
  const inner = encodeCall("transfer(address,uint256)", toHex(BOB), 5n);
  const input = fromHex(encodeCall("multicall(bytes[])", [inner, "0x12345678"]));
  const nameOf = (data: Bytes) => (toHex(data.subarray(0, 4)) === inner.slice(0, 10) ? "transfer" : undefined);
  const parts = readBatch(input, ROUTER, nameOf);

  assert.equal(
    sentenceFor([], { method: "multicall", parts }),
    "Called multicall on router in 2 calls: transfer and 0x12345678",
  );
  assert.deepEqual(readBatch(input.subarray(0, 40), ROUTER, nameOf), []);
  assert.deepEqual(readBatch(new Uint8Array(100), ROUTER, nameOf), []);
  const executed = fromHex(encodeCall("execute((address,uint256,bytes)[])", [[toHex(BOB), 5n, "0x"]]));
  const [payment, ...others] = readBatch(executed, ROUTER, nameOf);
  assert.deepEqual([toHex(payment!.to), payment!.value, payment!.method, others], [toHex(BOB), 5n, undefined, []]);
});
