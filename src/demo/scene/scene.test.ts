import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Demonstrated } from "../../../test/support/demonstrated.ts";
import { demonstrated } from "../../../test/support/demonstrated.ts";
import { encodeCall } from "../../chain/abi/encodeCall.ts";
import type { Hex } from "../../chain/encoding/hex.ts";
import { Actors } from "../actors.ts";
import { Demonstration } from "../demonstration.ts";
import { View } from "../view.ts";
import type { Addresses, DeployedToken } from "./addresses.ts";

for (const network of ["mainnet", "testnet"]) {
  describe(`the scene of the ${network}`, () => {
    let chain: Demonstrated;
    let addresses: Addresses;
    let view: View;
    const { builder, people } = new Actors(network);

    before(async () => {
      chain = await demonstrated({ network, blocks: 0 });
      await chain.demonstration.buildPast();
      addresses = chain.demonstration.addresses;
      view = new View(chain.node.node.context);
    });
    after(() => chain.node.close());

    const ask = <T>(method: string, ...params: unknown[]) => chain.node.ask<T>(method, ...params);
    const text = async (to: Hex, signature: string) => {
      const answer = await ask<Hex>("eth_call", { to, data: encodeCall(signature) }, "latest");
      const length = Number.parseInt(answer.slice(66, 130), 16);
      return Buffer.from(answer.slice(130, 130 + 2 * length), "hex").toString();
    };
    const everyToken = (): DeployedToken[] => {
      const { wrapped, stables, tokens, deflating, copy } = addresses;
      return [wrapped, ...stables, ...tokens, deflating, copy];
    };

    test("has the predicted addresses", () => {
      assert.deepEqual(addresses, Demonstration.addresses(network));
      assert.equal(chain.demonstration.isComplete, true);
    });

    test("has tokens with the specified names and decimals", async () => {
      for (const { address, name, symbol, decimals } of everyToken()) {
        assert.equal(await text(address, "name()"), name);
        assert.equal(await text(address, "symbol()"), symbol);
        assert.deepEqual(await view.call(address, "decimals()"), [BigInt(decimals)]);
      }
      assert.deepEqual(
        addresses.stables.map(({ decimals }) => decimals),
        [6, 18],
      );
      assert.deepEqual(new Set(addresses.tokens.map(({ decimals }) => decimals)), new Set([6, 8, 18]));
      const original = addresses.tokens.find(({ symbol }) => symbol === addresses.copy.symbol);
      assert.notEqual(original!.address, addresses.copy.address);
      assert.equal(addresses.copy.decimals, 18);
    });

    test("has balances and allowances where they are read from", async () => {
      const { router } = addresses.v2;
      for (const token of [...addresses.stables, ...addresses.tokens, addresses.deflating]) {
        for (const { address } of [builder, ...people]) {
          const reported = await view.call(token.address, "balanceOf(address)", address);
          assert.deepEqual([await view.balance(token, address)], reported);
          assert.ok(reported[0]! > 0n);
        }
        const reported = await view.call(token.address, "allowance(address,address)", builder.address, router);
        assert.deepEqual([await view.allowance(token, builder.address, router)], reported);
      }
    });

    test("has V2 pairs with liquidity, at the prices of their tokens", async () => {
      for (const pair of addresses.v2.pairs) {
        const [reserve0, reserve1] = await view.call(pair.address, "getReserves()");
        assert.deepEqual(await view.reserves(pair), [reserve0, reserve1]);
        const found = await view.call(
          addresses.v2.factory,
          "getPair(address,address)",
          pair.token1.address,
          pair.token0.address,
        );
        assert.equal(found[0], BigInt(pair.address));
        const value = (token: DeployedToken, amount: bigint) => (amount * token.price) / 10n ** BigInt(token.decimals);
        const [value0, value1] = [value(pair.token0, reserve0!), value(pair.token1, reserve1!)];
        assert.ok(value0 > 100_000_000n, "a hundred dollars");
        assert.ok(Math.abs(Number(value0) / Number(value1) - 1) < 0.011, `${value0} beside ${value1}`);
      }
    });

    test("has V3 pools of at least two fees with liquidity, for which the quoter answers", async () => {
      const { pools, quoter, factory } = addresses.v3;
      assert.ok(new Set(pools.map(({ fee }) => fee)).size >= 2);
      for (const pool of pools) {
        const { token0, token1, fee, address } = pool;
        const [found] = await view.call(
          factory,
          "getPool(address,address,uint24)",
          token0.address,
          token1.address,
          fee,
        );
        assert.equal(found, BigInt(address));
        const { sqrt, liquidity } = await view.position(pool);
        assert.deepEqual([sqrt], (await view.call(address, "slot0()")).slice(0, 1));
        assert.deepEqual([liquidity], await view.call(address, "liquidity()"));
        assert.ok(liquidity > 0n);
        const dollar = (10n ** BigInt(token0.decimals) * 1_000_000n) / token0.price;
        const quote = "quoteExactInputSingle((address,address,uint256,uint24,uint160))";
        const [out] = await view.call(quoter, quote, [token0.address, token1.address, dollar, fee, 0n]);
        const worth = Number((out! * token1.price) / 10n ** BigInt(token1.decimals)) / 1e6;
        assert.ok(worth > 0.98 && worth < 1.001, `a dollar gives ${worth}`);
      }
    });

    test("has an ERC-721 and an ERC-1155 that say what they are, and things of both", async () => {
      const supports = (address: Hex, id: Hex) => view.call(address, "supportsInterface(bytes4)", id);
      assert.deepEqual(await supports(addresses.collection, "0x80ac58cd"), [1n]);
      assert.deepEqual(await supports(addresses.items, "0xd9b67a26"), [1n]);
      assert.deepEqual(await view.call(addresses.collection, "totalSupply()"), [BigInt(people.length)]);
      assert.deepEqual(await view.call(addresses.items, "balanceOf(address,uint256)", builder.address, 1), [5000n]);
    });

    test("has a proxy that names its implementation (EIP-1967), and a clone (EIP-1167), both of them wallets", async () => {
      const slot = "0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc";
      const { wallet, proxy, clone, factory } = addresses;

      assert.equal(await ask("eth_getStorageAt", proxy, slot, "latest"), `0x${wallet.slice(2).padStart(64, "0")}`);
      const expected = `0x363d3d373d3d3d363d73${wallet.slice(2)}5af43d82803e903d91602b57fd5bf3`;
      assert.equal(await ask("eth_getCode", clone, "latest"), expected);
      assert.deepEqual(await view.call(proxy, "owner()"), [BigInt(builder.address)]);
      assert.deepEqual(await view.call(clone, "owner()"), [BigInt(people[0]!.address)]);
      assert.deepEqual(await view.call(factory, "count()"), [1n]);
      assert.ok((await view.account(proxy)).balance > 0n && (await view.account(clone)).balance > 0n);
    });
  });
}

test("the networks' scenes have nothing in common", () => {
  const [mainnet, testnet] = [Demonstration.addresses("mainnet")!, Demonstration.addresses("testnet")!];

  assert.notEqual(mainnet.wrapped.address, testnet.wrapped.address);
  assert.notDeepEqual(
    mainnet.stables.map(({ symbol }) => symbol),
    testnet.stables.map(({ symbol }) => symbol),
  );
  assert.ok(mainnet.v2.pairs.length > testnet.v2.pairs.length);
});
