import assert from "node:assert/strict";
import { test } from "node:test";
import { parseAbiItem, toFunctionSelector } from "viem";
import { createApp } from "../../src/api/app.ts";
import type { Hex } from "../../src/chain/encoding/hex.ts";
import { SETTINGS } from "../support/api.ts";
import { CHAIN_ID } from "../support/developmentNode.ts";
import { FollowedChain } from "../support/followedChain.ts";
import { coins } from "../support/tokenArtifacts.ts";

type Row = Readonly<Record<string, string>>;

async function openTransfers(t: Parameters<typeof FollowedChain.open>[0]) {
  const followed = await FollowedChain.open(t);
  const { chain } = followed;
  const creation = await chain.send({
    to: undefined,
    data: coins.deploy(chain.account.address, 1000n),
    gas: 6_000_000n,
  });
  const { contractAddress: coin } = await chain.ask<{ contractAddress: Hex }>("eth_getTransactionReceipt", creation);
  const transfer = await chain.send({ to: coin, data: coins.transfer(chain.other.address, 7n) });
  const long = await chain.send({ to: coin, data: `${coins.transfer(chain.other.address, 8n)}${"00".repeat(1200)}` });
  const plain = await chain.send({ value: 1n });
  const unknown = await chain.send({ to: chain.other.address, data: "0x12345678" });
  followed.start();
  await followed.settle();
  const list = async (action: string, parameters: string) => {
    const answer = await followed.app.inject(`/api?module=account&action=${action}&${parameters}`);
    return new Map(answer.json<{ result: Row[] }>().result.map((row) => [row.hash as Hex, row]));
  };
  return { followed, coin, list, creation, transfer, long, plain, unknown };
}

test("functionName has the types and the names of parameters, methodId the first four bytes of creations too", async (t) => {
  const { followed, coin, list, creation, transfer, long, plain, unknown } = await openTransfers(t);
  const { address } = followed.chain.account;

  const sent = await list("txlist", `address=${address}`);
  const moved = await list("tokentx", `contractaddress=${coin}`);

  for (const rows of [sent, moved]) {
    for (const [hash, { methodId, functionName }] of rows) {
      const { input } = await followed.chain.ask<{ input: string }>("eth_getTransactionByHash", hash);
      assert.equal(methodId, input.length < 10 ? "0x" : input.slice(0, 10));
      if (functionName !== "") {
        assert.equal(toFunctionSelector(parseAbiItem(`function ${functionName}`) as never), methodId);
      }
    }
    for (const hash of [transfer, long]) {
      assert.match(rows.get(hash)!.functionName!, /^transfer\(address \w+, uint256 \w+\)$/);
    }
    assert.equal(rows.get(creation)!.functionName, "");
    assert.match(rows.get(creation)!.methodId!, /^0x[\da-f]{8}$/);
  }
  for (const hash of [plain, unknown]) assert.equal(sent.get(hash)!.functionName, "");
});

test("confirmations are 1 in the newest block, in all interfaces", async (t) => {
  const { followed, coin, list, creation, transfer, unknown } = await openTransfers(t);
  const { chain } = followed;
  const { store, source } = followed;
  const web = { coin: "TEST", isTestnet: true, others: [] };
  const pages = createApp({ store, source, settings: { ...SETTINGS, chainId: CHAIN_ID, web } });
  t.after(() => pages.close());

  for (let turn = 0; turn < 2; turn++) {
    const head = Number(await chain.ask("eth_blockNumber"));
    const sent = await list("txlist", `address=${chain.account.address}`);
    const moved = await list("tokentx", `contractaddress=${coin}`);
    for (const hash of [creation, transfer, unknown]) {
      const { blockNumber } = await chain.ask<{ blockNumber: Hex }>("eth_getTransactionReceipt", hash);
      const expected = head - Number(blockNumber) + 1;
      const info = await followed.app.inject(`/api?module=transaction&action=gettxinfo&txhash=${hash}`);
      const reported = [
        sent.get(hash)!.confirmations,
        info.json<{ result: Row }>().result.confirmations,
        (await followed.get(`/api/v2/transactions/${hash}`)).body.confirmations,
        (await followed.get(`/api/v2/blocks/${Number(blockNumber)}`)).body.confirmations,
        moved.get(hash)?.confirmations ?? expected,
      ];
      assert.deepEqual(
        reported.map(Number),
        reported.map(() => expected),
        hash,
      );
      assert.match(
        (await pages.inject(`/tx/${hash}`)).body,
        new RegExp(`value="${expected}">${expected}</data> confirmations<`),
      );
    }
    await chain.send();
    await followed.settle();
  }
});
