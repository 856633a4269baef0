import assert from "node:assert/strict";
import { test } from "node:test";
import { ChainError } from "../../src/chain/error.ts";
import type { Json } from "../support/api.ts";
import { serveChain } from "../support/api.ts";
import { plainLogs } from "../support/plainLogs.ts";
import { addressesIn } from "../support/restOracle.ts";
import type { SimulatedChain } from "../support/simulatedChain.ts";
import { simulatedSource } from "../support/simulatedSource.ts";
import { simulatedBalance, simulatedCode } from "../support/simulatedState.ts";
import { openSite } from "../support/site.ts";
import { plainTokens } from "../support/tokenOracle.ts";

const NOBODY = `0x${"0".repeat(38)}ff`;

/** The first transaction that deployed something at an address, and who sent it. */
function creationOf(chain: SimulatedChain, address: string): { hash: string; from: string; input: string } | undefined {
  for (let number = 0; number < chain.length; number++) {
    const { block, receipts } = chain.at(number)!;
    const at = receipts.findIndex(({ contractAddress, status }) => contractAddress === address && status !== "0x0");
    if (at >= 0) return block.transactions[at] as unknown as { hash: string; from: string; input: string };
  }
  return undefined;
}

test("the zero address has the transfers that mint and burn", async (t) => {
  const site = await openSite(t, { seed: 71, blocks: 20 });
  const zero = `0x${"0".repeat(40)}`;
  const { transfers } = plainTokens(site.chain);
  const expected = transfers.filter(({ from, to }) => from === zero || to === zero).length;

  assert.ok(expected > 0);
  assert.equal((await site.fetch(`addresses/${zero}/counters`)).body.token_transfers_count, String(expected));
  assert.equal((await site.fetch(`addresses/${zero}`)).body.has_token_transfers, true);
});

test("the balance is that of the indexed block, also while the node is ahead or has left it", async (t) => {
  const site = await openSite(t, { seed: 72, blocks: 10 });
  const { chain } = site;
  const indexed = chain.head;
  const address = addressesIn(chain)[0]!;
  const ask = async () => (await site.fetch(`addresses/${address}`)).body;

  chain.fork(2, 5);
  const before = await ask();
  await site.index();
  const after = await ask();

  const shown = ({ coin_balance, block_number_balance_updated_at }: Json) => [
    coin_balance,
    block_number_balance_updated_at,
  ];
  assert.deepEqual(shown(before), [simulatedBalance(address, indexed).toString(), 10]);
  assert.deepEqual(shown(after), [simulatedBalance(address, chain.head).toString(), chain.head.number]);
});

test("without the node's answer the record omits the node's fields", async (t) => {
  const fail = () => Promise.reject(new ChainError("upstream_unavailable", "away"));
  const site = await openSite(t, {
    seed: 73,
    blocks: 20,
    source: (chain) => ({ ...simulatedSource(chain), request: fail, call: fail }),
  });
  const emitter = plainLogs(site.chain)[0]!.address;
  const sender = site.chain.at(1)!.block.transactions[0]!.from;
  const { status, body } = await site.fetch(`addresses/${emitter}`);

  assert.equal(status, 200);
  assert.deepEqual(
    [body.coin_balance, body.block_number_balance_updated_at, body.is_contract, body.proxy_type],
    [null, null, true, null],
  );
  assert.equal((await site.fetch(`addresses/${sender}`)).body.is_contract, false);
  assert.equal((await site.fetch(`smart-contracts/${emitter}`)).body.deployed_bytecode, null);
  assert.equal((await site.fetch(`smart-contracts/${NOBODY}`)).status, 503);
});

test("before anything is indexed, without a node and without tokens, an address is an empty record", async () => {
  const served = await serveChain({ seed: 74, source: () => undefined });
  const { status, body } = await served.get(`/api/v2/addresses/${NOBODY}`);
  const counters = await served.get(`/api/v2/addresses/${NOBODY}/counters`);

  assert.equal(status, 200);
  assert.deepEqual(
    [body.coin_balance, body.is_contract, body.has_logs, body.has_tokens, body.has_token_transfers, body.token],
    [null, null, false, null, null, null],
  );
  assert.deepEqual([counters.body.transactions_count, counters.body.token_transfers_count], ["0", null]);
  assert.equal((await served.get(`/api/v2/smart-contracts/${NOBODY}`)).status, 404);
  await served.close();
});

test("4.1 /smart-contracts/{address} has the bytecode of a contract without verified source", async (t) => {
  const site = await openSite(t, { seed: 75, blocks: 60 });
  const { chain } = site;
  const statuses = new Set<number>();
  for (const address of addressesIn(chain)) {
    const code = simulatedCode(chain, address, chain.head);
    const creation = creationOf(chain, address);
    const { status, body } = await site.fetch(`smart-contracts/${address}`);

    statuses.add(status);
    if (code === "0x") {
      assert.deepEqual([status, body], [404, { message: "Not found" }]);
      continue;
    }
    assert.deepEqual(body, {
      proxy_type: null,
      implementations: [],
      conflicting_implementations: null,
      deployed_bytecode: code,
      creation_bytecode: creation?.input ?? null,
      creation_status: creation === undefined ? null : "success",
      verification_error: null,
    });
  }
  assert.deepEqual([...statuses].sort(), [200, 404]);
});

test("an address that is none is refused by name", async (t) => {
  const site = await openSite(t, { seed: 76, blocks: 2 });
  for (const bad of [
    "0x",
    "0x12",
    `0x${"g".repeat(40)}`,
    `0x${"1".repeat(41)}`,
    "1".repeat(40),
    "0x%00",
    "a".repeat(3000),
  ]) {
    for (const path of [
      `addresses/${bad}`,
      `addresses/${bad}/counters`,
      `addresses/${bad}/tabs-counters`,
      `smart-contracts/${bad}`,
    ]) {
      const { status, body } = await site.fetch(path);
      const [fault] = body.errors as { source: { pointer: string } }[];
      assert.deepEqual([status, fault!.source.pointer], [422, "/address_hash_param"], path.slice(0, 100));
    }
  }
});
