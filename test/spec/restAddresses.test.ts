import assert from "node:assert/strict";
import { test } from "node:test";
import { checksumAddress } from "../../src/chain/checksum.ts";
import { ChainError } from "../../src/chain/error.ts";
import { fromHex } from "../../src/chain/hex.ts";
import type { Json } from "../support/api.ts";
import { serveChain } from "../support/api.ts";
import { plainLogs } from "../support/plainLogs.ts";
import { Random } from "../support/random.ts";
import { addressesIn, transactionsOf } from "../support/restOracle.ts";
import type { SimulatedChain } from "../support/simulatedChain.ts";
import { simulatedSource } from "../support/simulatedSource.ts";
import { simulatedBalance, simulatedCode } from "../support/simulatedState.ts";
import { openSite, walk } from "../support/site.ts";
import { expectedBalances, plainTokens } from "../support/tokenOracle.ts";

const SEED = Number(process.env.ORIEL_SEED ?? Math.floor(Math.random() * 2 ** 31));
const ZERO = `0x${"0".repeat(40)}`;
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

/** The hashes of the blocks that name an address as their miner, newest first. */
function blocksOf(chain: SimulatedChain, address: string): string[] {
  const blocks = Array.from({ length: chain.length }, (_, number) => chain.wireBlock(number)!);
  return blocks
    .filter(({ miner }) => miner === address)
    .map(({ hash }) => hash)
    .reverse();
}

function gasOf(chain: SimulatedChain, address: string): bigint {
  const receipts = Array.from({ length: chain.length }, (_, number) => chain.wireReceipts(number)!).flat();
  return receipts
    .filter(({ from }) => from === address)
    .reduce((sum, { gasUsed }) => sum + BigInt(gasUsed as string), 0n);
}

test(`4.1 /addresses/{address} and its counters say what the chain says, through reorgs (seed ${SEED})`, async (t) => {
  const random = new Random(SEED);
  const site = await openSite(t, { seed: SEED, blocks: 30, traffic: { addresses: 8 } });
  const { chain } = site;
  for (let round = 0; round < 3; round++) {
    const plain = plainTokens(chain);
    const logs = plainLogs(chain);
    for (const address of [ZERO, ...addressesIn(chain), ...logs.map((log) => log.address).slice(0, 9), NOBODY]) {
      const count = {
        transactions: transactionsOf(chain, address).length,
        logs: logs.filter((log) => log.address === address).length,
        transfers: plain.transfers.filter(({ from, to }) => from === address || to === address).length,
        balances: expectedBalances(plain.ledger, address).length,
        validations: blocksOf(chain, address).length,
      };
      const creation = creationOf(chain, address);
      const { status, body } = await site.fetch(`addresses/${address}`);

      assert.equal(status, 200);
      assert.deepEqual(pickAccount(body), {
        hash: checksumAddress(fromHex(address)),
        is_contract: simulatedCode(chain, address, chain.head) !== "0x",
        creator_address_hash: creation === undefined ? null : checksumAddress(fromHex(creation.from)),
        creation_transaction_hash: creation?.hash ?? null,
        creation_status: creation === undefined ? null : "success",
        coin_balance: simulatedBalance(address, chain.head).toString(),
        block_number_balance_updated_at: chain.head.number,
        has_logs: count.logs > 0,
        has_tokens: count.balances > 0,
        has_token_transfers: count.transfers > 0,
        has_validated_blocks: count.validations > 0,
        token: plain.ledger.has(address) ? checksumAddress(fromHex(address)) : null,
      });
      assert.deepEqual((await site.fetch(`addresses/${address}/counters`)).body, {
        transactions_count: String(count.transactions),
        token_transfers_count: String(count.transfers),
        gas_usage_count: String(gasOf(chain, address)),
        validations_count: String(count.validations),
      });
      assert.deepEqual((await site.fetch(`addresses/${address}/tabs-counters`)).body, {
        transactions_count: count.transactions,
        token_transfers_count: count.transfers,
        token_balances_count: count.balances,
        logs_count: count.logs,
        internal_transactions_count: null,
        validations_count: count.validations,
        withdrawals_count: null,
      });
      const blocks = await walk(site, `addresses/${address}/blocks-validated`, 3);
      assert.deepEqual(
        blocks.map(({ hash }) => hash),
        blocksOf(chain, address),
      );
    }
    chain.fork(random.between(1, 4), random.between(1, 6));
    await site.index();
  }
});

function pickAccount(body: Json): Json {
  const { hash, is_contract, creator_address_hash, creation_transaction_hash, creation_status } = body;
  const { coin_balance, block_number_balance_updated_at, has_logs, has_tokens, has_token_transfers } = body;
  const { has_validated_blocks } = body;
  const token = (body.token as Json | null)?.address ?? null;
  const made = { hash, is_contract, creator_address_hash, creation_transaction_hash, creation_status };
  const has = { coin_balance, block_number_balance_updated_at, has_logs, has_tokens, has_token_transfers };
  return { ...made, ...has, has_validated_blocks, token };
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

test("where the node does not say, the record is there without what it would have said", async (t) => {
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
