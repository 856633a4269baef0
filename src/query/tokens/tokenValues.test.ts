import assert from "node:assert/strict";
import { test } from "node:test";
import { serveChain } from "../../../test/support/api.ts";
import { observeAll } from "../../../test/support/namedTokens.ts";
import { plainLedger } from "../../../test/support/plainLedger.ts";
import { Random } from "../../../test/support/random.ts";
import { firstSeed } from "../../../test/support/seed.ts";
import type { Hex } from "../../chain/encoding/hex.ts";
import { fromHex, toHex } from "../../chain/encoding/hex.ts";
import { openQueryContext } from "../context.ts";
import type { PageInfo, PageRequest, RankCursor } from "../pages.ts";
import { listTokenBalances } from "./balances.ts";
import { supplyOf } from "./token.ts";
import { listTokens, TOKEN_KINDS } from "./tokenList.ts";

const SEED = firstSeed();

async function walk<T>(
  size: number,
  read: (request: PageRequest<RankCursor>) => Promise<{ items: readonly T[]; info: PageInfo }>,
  name: (item: T) => string,
): Promise<T[]> {
  const found: T[] = [];
  for (let cursor: RankCursor | undefined, page = 1; ; page++) {
    const { items, info } = await read({ page, pageSize: size, cursor });
    const alone = await read({ page, pageSize: size, cursor: undefined });
    assert.deepEqual(alone.items.map(name), items.map(name));
    found.push(...items);
    if (info.next === null) {
      assert.equal(info.total, found.length);
      return found;
    }
    cursor = info.next.cursor as RankCursor;
  }
}

test(`tokens and balances with a price come first, by what they are worth (seed ${SEED})`, async (t) => {
  const served = await serveChain({ seed: SEED, blocks: 30, tokens: true, traffic: { honestTokens: 5, logs: [1, 8] } });
  t.after(() => served.close());
  await observeAll(served.store, () => ({ name: "Coin", symbol: "C" }));
  const context = openQueryContext({ store: served.store });
  t.after(() => context.decoder.close());
  const random = new Random(SEED);
  const ledger = plainLedger(served.chain);
  for (let round = 0; round < 6; round++) {
    const priced = random.shuffle([...ledger.keys()]).slice(0, random.int(8));
    const prices = new Map(priced.map((address) => [address as Hex, BigInt(random.between(1, 1000))]));
    const priceOf = (address: Uint8Array) => prices.get(toHex(address)) ?? 0n;
    for (const sort of ["fiat_value", "circulating_market_cap"] as const) {
      for (const order of ["desc", "asc"] as const) {
        const filter = { kinds: TOKEN_KINDS, sort, order, query: undefined };
        const tokens = await walk(
          random.between(1, 7),
          async (request) => {
            const { tokens: items, info } = (await listTokens(context, filter, request, prices))!;
            return { items, info };
          },
          ({ id }) => String(id),
        );

        const worth = tokens.map((token) => {
          const price = priceOf(token.address);
          return sort === "fiat_value" ? price : price * (supplyOf(token) ?? 0n);
        });
        const values = worth.filter((value) => value > 0n);
        const sorted = values.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0));
        assert.deepEqual(worth.slice(0, values.length), order === "asc" ? sorted : sorted.reverse());
        const rest = tokens.slice(values.length).map(({ state }) => state.holders);
        assert.deepEqual(
          rest,
          rest.toSorted((a, b) => b - a),
        );
        assert.equal(new Set(tokens.map(({ id }) => id)).size, ledger.size);
      }
    }
    const holder = fromHex(random.pick([...random.pick([...ledger.values()]).balances.keys()]));
    const balances = await walk(
      random.between(1, 5),
      async (request) => {
        const page = await listTokenBalances(context, holder, request, TOKEN_KINDS, prices);
        return { items: page.balances, info: page.info };
      },
      ({ token, tokenId }) => `${token.id} ${tokenId && toHex(tokenId)}`,
    );
    const plain = await listTokenBalances(
      context,
      holder,
      { page: 1, pageSize: 1000, cursor: undefined },
      TOKEN_KINDS,
      new Map(),
    );
    const worth = ({ token, amount, tokenId }: (typeof balances)[number]) =>
      tokenId === undefined && token.state.kinds[0] !== "ERC-721" && amount > 0n ? priceOf(token.address) * amount : 0n;
    const valuable = balances.filter((balance) => worth(balance) > 0n && plainKind(balance) === "ERC-20");
    assert.deepEqual(
      balances.slice(0, valuable.length),
      valuable.toSorted((a, b) => (worth(a) > worth(b) ? -1 : 1)),
    );
    const isRest = (balance: (typeof balances)[number]) =>
      !valuable.some(({ token, tokenId }) => token.id === balance.token.id && tokenId === balance.tokenId);
    assert.deepEqual(
      balances.slice(valuable.length).map(({ token }) => token.id),
      plain.balances.filter(isRest).map(({ token }) => token.id),
    );
  }
});

const plainKind = ({ token }: { readonly token: Parameters<typeof supplyOf>[0] }) =>
  token.state.hasItems ? "ERC-1155" : (token.state.kinds.find((kind) => kind !== "ERC-1155") ?? "ERC-1155");
