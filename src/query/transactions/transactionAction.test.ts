import assert from "node:assert/strict";
import { test } from "node:test";
import type { KnownToken } from "../../store/stages/tokens/read/tokenReads.ts";
import type { MovedToken, TransactionFacts } from "./transactionAction.ts";
import { composeAction } from "./transactionAction.ts";

const addressOf = (byte: number) => new Uint8Array(20).fill(byte);
const [ZERO, ALICE, BOB, ROUTER] = [0, 1, 2, 3].map(addressOf) as [Uint8Array, Uint8Array, Uint8Array, Uint8Array];

function tokenOf(byte: number, decimals: number | null): KnownToken {
  const text = { text: `T${byte}`, raw: new Uint8Array(0) };
  const at = { token: byte, block: 1, hash: new Uint8Array(32) };
  const seen = { ...at, name: text, symbol: text, decimals, totalSupply: null, ledgerSupply: null };
  return {
    id: byte,
    address: addressOf(byte),
    state: { kinds: ["ERC-20"], holders: 1, supply: 1n, debtors: 0, hasItems: false } as unknown as KnownToken["state"],
    seen: { ...seen, ledger: "agrees", differing: [], failures: 0, again: 0 },
    labels: [],
  };
}

const USD = tokenOf(10, 6);
const WINDOW = tokenOf(11, 18);
const NFT = tokenOf(12, null);

const move = (token: KnownToken, from: Uint8Array, to: Uint8Array, amount: bigint, more: Partial<MovedToken> = {}) => ({
  token,
  from,
  to,
  amount,
  tokenId: undefined,
  isUnique: false,
  ...more,
});

const CALL: TransactionFacts = {
  from: ALICE,
  to: ROUTER,
  value: 0n,
  created: undefined,
  hasFailed: false,
  method: "run",
  blobs: 0,
  transfers: [],
  approvals: [],
  hasSwap: false,
};

/** The rendered sentence. */
function read(facts: Partial<TransactionFacts>): string {
  const { template, variables } = composeAction({ ...CALL, ...facts });
  const used = [...template.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
  assert.deepEqual(new Set(used.filter((name) => name !== "native")), new Set(Object.keys(variables)), template);
  return template.replace(/\{(\w+)\}/g, (_, name: string) => {
    const variable = variables[name];
    if (variable === undefined) return "COIN";
    if (variable.type === "address") return ["nobody", "alice", "bob", "router"][variable.value[0]!] ?? "contract";
    return variable.type === "token" ? variable.value.seen!.symbol.text! : variable.value;
  });
}

test("a transaction is summarized by its main effect", () => {
  const ether = 10n ** 18n;
  const cases: [facts: Partial<TransactionFacts>, text: string][] = [
    [{ method: undefined, value: ether / 2n, to: BOB }, "Sent 0.5 COIN to bob"],
    [{ method: undefined, to: BOB }, "Sent 0 COIN to bob"],
    [{ method: undefined, to: null, created: addressOf(9) }, "Created the contract contract"],
    [{ method: undefined, to: null }, "Created a contract"],
    [{}, "Called run on router"],
    [{ value: ether }, "Called run on router with 1 COIN"],
    [{ method: undefined, blobs: 1, to: BOB }, "Sent 1 blob to bob"],
    [{ method: undefined, blobs: 3, to: BOB }, "Sent 3 blobs to bob"],
    [{ hasFailed: true }, "Failed to call run on router"],
    [{ hasFailed: true, method: undefined, to: BOB, value: ether }, "Failed to send 1 COIN to bob"],
    [{ hasFailed: true, to: null, method: undefined }, "Failed to create a contract"],
    [{ transfers: [move(USD, ALICE, BOB, 1_500_000n)] }, "Transferred 1.5 T10 to bob"],
    [{ transfers: [move(USD, BOB, ROUTER, 1n)] }, "Transferred 0.000001 T10 from bob to router"],
    [{ transfers: [move(USD, ZERO, BOB, 2_000_000n)] }, "Minted 2 T10 to bob"],
    [{ transfers: [move(USD, ALICE, ZERO, 2_000_000n)] }, "Burnt 2 T10"],
    [{ transfers: [move(NFT, ALICE, BOB, 1n, { tokenId: 7n, isUnique: true })] }, "Transferred T12 #7 to bob"],
    [{ transfers: [move(NFT, ZERO, ALICE, 5n, { tokenId: 7n })] }, "Minted 5 T12 #7 to alice"],
    [
      { transfers: [move(USD, ALICE, BOB, 1n), move(USD, ALICE, ROUTER, 1n)] },
      "Called run on router with 2 token transfers",
    ],
    [
      { value: ether, transfers: [move(USD, ROUTER, ALICE, 1n), move(USD, BOB, ALICE, 1n)] },
      "Called run on router with 1 COIN and 2 token transfers",
    ],
    [{ transfers: undefined }, "Called run on router"],
  ];
  for (const [facts, text] of cases) assert.equal(read(facts), text);
});

test("a swap is summarized by what its sender gave and received", () => {
  const sold = move(USD, ALICE, ROUTER, 5_000_000n);
  const bought = move(WINDOW, ROUTER, ALICE, 10n ** 18n);
  const between = move(USD, ROUTER, BOB, 5_000_000n);
  const back = move(USD, ROUTER, ALICE, 1_000_000n);
  const facts = { hasSwap: true };

  assert.equal(read({ ...facts, transfers: [sold, between, bought] }), "Swapped 5 T10 for 1 T11");
  assert.equal(read({ ...facts, transfers: [sold, back, bought] }), "Swapped 4 T10 for 1 T11");
  assert.equal(read({ ...facts, value: 10n ** 17n, transfers: [bought] }), "Swapped 0.1 COIN for 1 T11");
  assert.equal(read({ ...facts, transfers: [sold, between] }), "Swapped 5 T10");
  assert.equal(read({ ...facts, value: 1n, transfers: [sold, bought] }).split(" with")[0], "Called run on router");
  assert.equal(read({ transfers: [sold, bought] }), "Called run on router with 2 token transfers");
});

test("an approval is summarized by spender and asset", () => {
  const approve = (of: TransactionFacts["approvals"][number]["of"], spender = BOB, token = USD) =>
    read({ method: "approve", approvals: [{ token, spender, of }] });

  assert.equal(approve({ amount: 2_500_000n }), "Approved bob to spend 2.5 T10");
  assert.equal(approve({ amount: 2n ** 256n - 1n }), "Approved bob to spend any amount of T10");
  assert.equal(approve({ amount: 0n }), "Revoked the approval of T10 for bob");
  assert.equal(approve({ tokenId: 3n }, BOB, NFT), "Approved bob for T12 #3");
  assert.equal(approve({ tokenId: 3n }, ZERO, NFT), "Revoked the approval of T12 #3");
  assert.equal(approve({ all: true }, BOB, NFT), "Approved bob for all T12");
  assert.equal(approve({ all: false }, BOB, NFT), "Revoked bob for all T12");
});

test("whatever a token claims, there is a sentence", () => {
  for (const decimals of [null, 0, 255]) {
    const token = tokenOf(13, decimals);
    for (const amount of [0n, 1n, 2n ** 256n - 1n]) {
      assert.match(read({ transfers: [move(token, ALICE, BOB, amount)] }), /^Transferred [\d.]+ T13 to bob$/);
    }
  }
});
