import assert from "node:assert/strict";
import { test } from "node:test";
import { Anvil } from "../../../../test/support/anvilNode.ts";
import { CHAIN_ID, DevelopmentNode } from "../../../../test/support/developmentNode.ts";
import { findAnvil, RealNode } from "../../../../test/support/realNode.ts";
import { makeTracedTraffic } from "../../../../test/support/tracedTraffic.ts";
import type { Hex } from "../../../chain/encoding/hex.ts";

type Fields = Readonly<Record<string, unknown>>;

const anvil = findAnvil();

test("anvil says the same of the same transactions to Otterscan", {
  skip: typeof anvil === "string" ? anvil : false,
}, async (t) => {
  if (typeof anvil === "string") return;
  const own = await DevelopmentNode.open();
  t.after(() => own.close());
  const other = new Anvil(await RealNode.start(t, { ...anvil, args: [...anvil.args, "--chain-id", String(CHAIN_ID)] }));
  const [ours, theirs] = [await makeTracedTraffic(own), await makeTracedTraffic(other)];

  // Anvil leaves creations and self-destructions out, and gives a value to calls that have none.
  const comparable = (calls: readonly Fields[]) =>
    calls
      .filter(({ type }) => /CALL$/.test(String(type)))
      .map(({ value, ...call }) => (/^(STATIC|DELEGATE)/.test(String(call.type)) ? call : { ...call, value }));
  for (const at of ours.hashes.keys()) {
    const error = await other.ask("ots_getTransactionError", theirs.hashes[at]);
    assert.equal(await own.ask("ots_getTransactionError", ours.hashes[at]), error, `transaction ${at}`);
    const calls = await other.ask<Fields[]>("ots_traceTransaction", theirs.hashes[at]);
    const found = await own.ask<Fields[]>("ots_traceTransaction", ours.hashes[at]);
    assert.deepEqual(comparable(found), comparable(calls), `transaction ${at}`);
  }
  for (const address of [ours.caller, `0x${"12".repeat(20)}`]) {
    const expected = await other.ask("ots_hasCode", address, "latest");
    assert.equal(await own.ask("ots_hasCode", address, "latest"), expected);
  }
});

interface Trace {
  readonly type: string;
  readonly action: Readonly<Record<string, string>>;
  readonly result: Readonly<Record<string, string>> | null;
  readonly error?: string;
  readonly traceAddress: readonly number[];
}

test("calls are those of trace_transaction, and internal operations those that moved coins or code and were not undone", async (t) => {
  const node = await DevelopmentNode.open();
  t.after(() => node.close());
  const { hashes } = await makeTracedTraffic(node);
  let found = 0;

  for (const hash of hashes) {
    const traces = await node.ask<Trace[]>("trace_transaction", hash);
    const listed = await node.ask<Fields[]>("ots_traceTransaction", hash);
    const placed = traces.map(({ action, traceAddress }) => ({
      type: (action.callType ?? action.creationMethod ?? "selfdestruct").toUpperCase(),
      depth: traceAddress.length,
      from: action.from ?? action.address,
      input: action.input ?? action.init ?? "0x",
    }));
    assert.deepEqual(
      listed.map(({ type, depth, from, input }) => ({ type, depth, from, input })),
      placed,
    );
    const failed = traces.filter(({ error }) => error !== undefined).map(({ traceAddress }) => traceAddress.join());
    const isUndone = ({ traceAddress }: Trace) =>
      traceAddress.some((_, at) => failed.includes(traceAddress.slice(0, at).join())) ||
      failed.includes(traceAddress.join());
    const expected = traces
      .filter((trace) => trace.traceAddress.length > 0 && !isUndone(trace))
      .flatMap(({ type, action, result }) => {
        const { from, to, value, callType, creationMethod, address, refundAddress, balance } = action;
        if (type === "suicide") return [{ type: 1, from: address, to: refundAddress, value: balance }];
        if (type === "create") return [{ type: creationMethod === "create" ? 2 : 3, from, to: result?.address, value }];
        return callType === "call" && BigInt(value!) > 0n ? [{ type: 0, from, to, value }] : [];
      });
    assert.deepEqual(await node.ask("ots_getInternalOperations", hash), expected);
    found += expected.length;
  }

  assert.ok(found >= 3);
});

test("blocks for Otterscan are those of eth_getBlockByNumber, with their fees and pages of transactions", async (t) => {
  const node = await DevelopmentNode.open();
  t.after(() => node.close());
  await node.ask("evm_setAutomine", false);
  for (let value = 1n; value <= 5n; value++) await node.send({ value });
  await node.ask("evm_mine");
  const { transactions, ...header } = await node.ask<Fields & { transactions: Fields[] }>(
    "eth_getBlockByNumber",
    "latest",
    true,
  );
  const receipts = await node.ask<Record<string, Hex>[]>("eth_getBlockReceipts", "latest");
  const fees = receipts.reduce((sum, one) => sum + BigInt(one.gasUsed!) * BigInt(one.effectiveGasPrice!), 0n);
  const block = { ...header, transactionCount: "0x5", logsBloom: null };

  const details = await node.ask<Fields>("ots_getBlockDetails", header.number);
  const pages = await Promise.all(
    [0, 1, 2, 3].map((page) => node.ask<Fields>("ots_getBlockTransactions", header.number, page, 2)),
  );

  assert.deepEqual([details.block, details.totalFees], [block, `0x${fees.toString(16)}`]);
  assert.deepEqual(await node.ask("ots_getBlockDetailsByHash", header.hash), details);
  const listed = pages.map(({ fullblock }) => (fullblock as { transactions: Fields[] }).transactions);
  assert.deepEqual(listed, [transactions.slice(3), transactions.slice(1, 3), transactions.slice(0, 1), []]);
  const shown = { logs: null, logsBloom: null, timestamp: header.timestamp };
  assert.deepEqual(
    pages[0]!.receipts,
    receipts.slice(3).map((receipt) => ({ ...receipt, ...shown })),
  );
  assert.equal(await node.ask("ots_getBlockDetails", "0xffff"), null);
  assert.equal(await node.ask("ots_traceTransaction", `0x${"ab".repeat(32)}`), null);
  assert.equal(await node.ask("ots_getApiLevel"), 8);
});

test("a mined transaction is found by its sender and nonce", async (t) => {
  const node = await DevelopmentNode.open();
  t.after(() => node.close());
  const { address } = node.account;
  const find = (nonce: unknown) => node.ask("ots_getTransactionBySenderAndNonce", address, nonce);
  const hash = await node.send({ value: 1n });
  await node.ask("evm_setAutomine", false);
  await node.send({ value: 1n });

  assert.deepEqual([await find(0), await find(1), await find(2)], [hash, null, null]);
  await node.ask("evm_mine");
  assert.notEqual(await find(1), null);
  await assert.rejects(find("0x0"), { code: -32602 });
});
