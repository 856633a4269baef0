import assert from "node:assert/strict";
import { test } from "node:test";
import { address } from "../../../../test/support/tokenLogs.ts";
import { parseTypes } from "../../../chain/abi/parseSignature.ts";
import type { Bytes } from "../../../chain/encoding/bytes.ts";
import { toHex } from "../../../chain/encoding/hex.ts";
import type { KnownToken } from "../../../store/stages/tokens/read/tokenReads.ts";
import { addressesIn, callsIn, hintsFor } from "./inputHints.ts";

const [ALICE, BOB, POOL] = [address(0xa1), address(0xb0), address(0xe0)];

const tokenOf = (byte: number, symbol: string, decimals: number | null) =>
  ({
    id: byte,
    address: address(byte),
    state: { kinds: ["ERC-20"] },
    seen: { decimals, symbol: { text: symbol }, name: { text: symbol } },
  }) as unknown as KnownToken;

const [USD, WETH] = [tokenOf(1, "USD", 6), tokenOf(2, "<b>W\u202eETH</b>", 18)];
const pair = [toHex(USD.address), toHex(WETH.address)] as const;

const CONTEXT = {
  infos: new Map(),
  tokens: new Map([USD, WETH].map((token) => [toHex(token.address), token])),
  names: {
    of: (who: Bytes) =>
      toHex(who) === toHex(BOB) ? { text: `${"<i>".repeat(40)}`, kind: "label" as const } : undefined,
  },
  sender: ALICE,
  to: null,
  coin: "ETH",
  copies: new Set<KnownToken>(),
  calls: new Map(),
};

type Value = readonly [name: string, type: string, value: bigint | Bytes | readonly Bytes[]];

/** What each of the values means, as text. */
function meanings(
  values: readonly Value[],
  more: Partial<Parameters<typeof hintsFor>[0]> = {},
): (string | undefined)[] {
  const hint = hintsFor({ ...CONTEXT, ...more });
  const all = values.map(([name, type, value]) => ({ name, type: parseTypes(type)[0]!, value }));
  const text = (markup: string) => markup.replace(/<[^>]+>/g, "").trim();
  return all.map((one) => {
    const found = hint(one, all);
    return found && text(found.text);
  });
}

test("amounts are of the token that a value beside them names, of the called token, or of the pair of the called pool", () => {
  const path = [USD.address, WETH.address];
  const swap = meanings([
    ["amountIn", "uint256", 1_500_000n],
    ["amountOutMin", "uint256", 2n * 10n ** 18n],
    ["path", "address[]", path],
  ]);
  const own = meanings([["amount", "uint256", 2_000_000n]], { to: USD.address });
  const ofPool = meanings(
    [
      ["amount0In", "uint256", 3_000_000n],
      ["amount1", "int256", -(10n ** 18n)],
      ["liquidity", "uint128", 7n],
    ],
    { to: POOL, pair },
  );

  const shown = "&lt;b&gt;W\ufffdETH&lt;/b&gt;";
  assert.deepEqual(swap, ["1.5 USD", `2 ${shown}`, undefined]);
  assert.deepEqual(own, ["2 USD"]);
  assert.deepEqual(ofPool, ["3 USD", `-1 ${shown}`, undefined]);
});

test("times, the largest number, the sender and labels are told, and nothing is guessed", () => {
  const found = meanings([
    ["deadline", "uint256", 1_795_043_275n],
    ["deadline", "uint256", 2n ** 256n - 1n],
    ["to", "address", ALICE],
    ["spender", "address", BOB],
    ["other", "address", POOL],
    ["amount", "uint256", 5n],
    ["deadline", "uint256", 12n],
  ]);

  assert.equal(found[0], "2026-11-18 23:07:55 UTC");
  assert.deepEqual(found.slice(1, 3), ["unlimited", "the sender"]);
  assert.equal(found[3], `${"&lt;i&gt;".repeat(20)}…`);
  assert.deepEqual(found.slice(4), [undefined, undefined, undefined]);
});

test("calls and addresses in values are found, up to a bound", () => {
  const bytes = new Uint8Array(36).fill(1);
  const parameters = parseTypes("address,bytes,address[]").map((type, at) => ({
    name: ["target", "data", "many"][at]!,
    indexed: false,
    type,
  }));
  const values = [POOL, bytes, Array.from({ length: 500 }, () => ALICE)];

  assert.deepEqual(callsIn(parameters, values), [{ value: bytes, target: POOL }]);
  assert.equal(addressesIn(parameters, values).length, 100);
});
