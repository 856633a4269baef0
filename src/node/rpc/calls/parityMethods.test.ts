import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { test } from "node:test";
import { Anvil } from "../../../../test/support/anvilNode.ts";
import { assemble, deploying } from "../../../../test/support/assembler.ts";
import { CHAIN_ID, DevelopmentNode } from "../../../../test/support/developmentNode.ts";
import type { RealNodeKind } from "../../../../test/support/realNode.ts";
import { findAnvil, RealNode } from "../../../../test/support/realNode.ts";
import { makeTracedTraffic } from "../../../../test/support/tracedTraffic.ts";
import type { Hex } from "../../../chain/encoding/hex.ts";

type Fields = Readonly<Record<string, unknown>>;

interface Trace extends Fields {
  readonly action: Readonly<Record<string, string>>;
  readonly result: Readonly<Record<string, string>> | null;
  readonly traceAddress: readonly number[];
}

interface Frame extends Readonly<Record<"type" | "from" | "to" | "gas" | "gasUsed" | "input" | "output", string>> {
  readonly value?: string;
  readonly error?: string;
  readonly calls?: readonly Frame[];
}

const ERRORS: Readonly<Record<string, string>> = { "execution reverted": "Reverted", "out of gas": "Out of gas" };

/** Parity's list of a nested trace. */
function flatten(frame: Frame, path: readonly number[] = []): Fields[] {
  const { type, from, to, gas, gasUsed, input, output = "0x", value = "0x0", error, calls = [] } = frame;
  const isCreation = type.startsWith("CREATE");
  const action =
    type === "SELFDESTRUCT"
      ? { address: from, balance: value, refundAddress: to }
      : isCreation
        ? { creationMethod: type.toLowerCase(), from, gas, init: input, value }
        : { callType: type.toLowerCase(), from, gas, input, to, value };
  const made = isCreation
    ? { ...(error === undefined && { address: to }), code: output, gasUsed }
    : { gasUsed, output };
  const hasResult = type !== "SELFDESTRUCT" && (error === undefined || error === "execution reverted");
  const own = {
    action,
    result: hasResult ? made : null,
    ...(error !== undefined && { error: ERRORS[error] ?? error }),
    subtraces: calls.length,
    traceAddress: path,
    type: type === "SELFDESTRUCT" ? "suicide" : isCreation ? "create" : "call",
  };
  return [own, ...calls.flatMap((one, at) => flatten(one, [...path, at]))];
}

async function openNode(t: TestContext): Promise<DevelopmentNode> {
  const node = await DevelopmentNode.open();
  t.after(() => node.close());
  return node;
}

/** Expected traces of a transaction, from geth's nested ones. */
async function expectedOf(node: DevelopmentNode, hash: Hex): Promise<Fields[]> {
  const nested = (await node.ask("debug_traceTransaction", hash, { tracer: "callTracer" })) as Frame;
  const receipt = await node.ask<Record<string, Hex>>("eth_getTransactionReceipt", hash);
  const place = {
    blockHash: receipt.blockHash,
    blockNumber: Number(receipt.blockNumber),
    transactionHash: hash,
    transactionPosition: Number(receipt.transactionIndex),
  };
  return flatten(nested).map((trace) => ({ ...trace, ...place }));
}

test("trace_transaction and trace_block list what the nested traces of geth have", async (t) => {
  const node = await openNode(t);
  const { hashes } = await makeTracedTraffic(node);
  await node.ask("evm_setAutomine", false);
  const together = [await node.send({ value: 1n }), await node.send({ value: 2n })];
  await node.ask("evm_mine");
  const all = new Map<Hex, Fields[]>();

  for (const hash of [...hashes, ...together]) {
    all.set(hash, await expectedOf(node, hash));
    assert.deepEqual(await node.ask("trace_transaction", hash), all.get(hash), hash);
  }

  const { blockNumber, blockHash } = await node.ask<Record<string, Hex>>("eth_getTransactionReceipt", together[0]);
  const both = together.flatMap((hash) => all.get(hash)!);
  for (const id of [blockNumber, blockHash, "latest"]) assert.deepEqual(await node.ask("trace_block", id), both);
  assert.ok(all.get(hashes[0]!)!.length > 6);
  assert.deepEqual(await node.ask("trace_block", "earliest"), []);
  assert.equal(await node.ask("trace_block", "0xffff"), null);
  assert.equal(await node.ask("trace_transaction", `0x${"ab".repeat(32)}`), null);
});

test("trace_filter selects by blocks, senders and receivers, and by pages", async (t) => {
  const node = await openNode(t);
  const { caller, reverting } = await makeTracedTraffic(node);
  const height = Number(await node.ask("eth_blockNumber"));
  const whole: Trace[] = [];
  for (let number = 1; number <= height; number++) {
    whole.push(...(await node.ask<Trace[]>("trace_block", `0x${number.toString(16)}`)));
  }
  const filter = (query: object) =>
    node.ask<Trace[]>("trace_filter", { fromBlock: "0x1", toBlock: "latest", ...query });
  const fromOf = ({ action }: Trace) => action.from ?? action.address;
  const toOf = ({ action, result }: Trace) => action.to ?? action.refundAddress ?? result?.address;
  const [fromAddress, toAddress] = [[caller], [reverting, caller]];
  const isFrom = (trace: Trace) => fromOf(trace) === caller;
  const isTo = (trace: Trace) => toAddress.includes(toOf(trace) as Hex);

  assert.deepEqual(await filter({}), whole);
  assert.deepEqual(await filter({ fromAddress }), whole.filter(isFrom));
  assert.deepEqual(await filter({ toAddress }), whole.filter(isTo));
  const either = whole.filter((trace) => isFrom(trace) || isTo(trace));
  assert.deepEqual(await filter({ fromAddress, toAddress }), either);
  const both = whole.filter((trace) => isFrom(trace) && isTo(trace));
  assert.ok(both.length > 1 && both.length < either.length);
  assert.deepEqual(await filter({ fromAddress, toAddress, mode: "intersection" }), both);
  assert.deepEqual(await filter({ fromAddress, toAddress, after: 2, count: 3 }), either.slice(2, 5));
  const late = { fromBlock: "0x3", toBlock: "0x5" };
  assert.deepEqual(
    await filter(late),
    whole.filter((trace) => Number(trace.blockNumber) >= 3 && Number(trace.blockNumber) <= 5),
  );
  await assert.rejects(filter({ toBlock: "0x2711" }), /exceed maximum block range: 10000/);
});

test("trace_call traces a call that is in no block", async (t) => {
  const node = await openNode(t);
  const { caller, reverting } = await makeTracedTraffic(node);
  for (const request of [{ to: caller, value: "0x0" }, { to: reverting }, { data: deploying(assemble("STOP")) }]) {
    const nested = (await node.ask("debug_traceCall", request, "latest", { tracer: "callTracer" })) as Frame;

    const traced = await node.ask<Fields>("trace_call", request, ["trace"], "latest");

    const expected = { output: nested.output ?? "0x", stateDiff: null, trace: flatten(nested), vmTrace: null };
    assert.deepEqual(traced, expected);
  }
  await assert.rejects(node.ask("trace_call", { to: caller }, ["vmTrace"]), /only the type trace is supported/);
});

const anvil = findAnvil();
const onChain = (kind: RealNodeKind) => ({ ...kind, args: [...kind.args, "--chain-id", String(CHAIN_ID)] });

test("anvil traces the same transactions alike", { skip: typeof anvil === "string" ? anvil : false }, async (t) => {
  if (typeof anvil === "string") return;
  const [own, other] = [await openNode(t), new Anvil(await RealNode.start(t, onChain(anvil)))];
  const traffic = [await makeTracedTraffic(own), await makeTracedTraffic(other)];
  const comparable = ({ action, result, subtraces, traceAddress, type, error }: Trace) => ({
    type,
    traceAddress,
    subtraces,
    from: action.from ?? action.address,
    callType: action.callType,
    value: action.value ?? action.balance,
    input: action.input ?? action.init,
    hasFailed: error !== undefined,
    code: result?.code,
    output: result?.output,
  });

  for (const at of traffic[0]!.hashes.keys()) {
    const [ours, theirs] = await Promise.all(
      [own, other].map((node, which) => node.ask<Trace[]>("trace_transaction", traffic[which]!.hashes[at])),
    );
    assert.deepEqual(ours!.map(comparable), theirs!.map(comparable), `transaction ${at}`);
  }
});
