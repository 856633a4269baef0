import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { DevelopmentNode } from "../../../../test/support/developmentNode.ts";
import { temporaryDirectory } from "../../../../test/support/program.ts";
import type { Hex } from "../../../chain/encoding/hex.ts";

const CHAIN_ID = 968;
const OTHER_ID = 4242;
const ECRECOVER: Hex = `0x${"1".padStart(40, "0")}`;
const CHAINID_CODE: Hex = "0x465f5260205ff3";
/** Stores the result of ECRECOVER in slot 0. */
const KEEPER: Hex = "0x601a600c600039601a6000f360806000600037602060006080600060015afa50600051600055";

let node: DevelopmentNode;

before(async () => {
  node = await DevelopmentNode.open();
});

after(() => node.close());

test("a chain takes another id, and what it has mined is still read and traced", async (t) => {
  const directory = temporaryDirectory(t);
  let other = await DevelopmentNode.open({ directory });
  const old = await other.send();
  const legacy = await other.send({ type: "legacy" });
  const callId = () =>
    other.ask("eth_call", { to: ECRECOVER.replace("1", "f") }, "latest", {
      [ECRECOVER.replace("1", "f")]: { code: CHAINID_CODE },
    });

  assert.equal(await other.ask("anvil_setChainId", OTHER_ID), null);
  await assert.rejects(other.send(), { message: /invalid chain id for signer: have 968 want 4242/ });
  const sent = await other.sign({ chainId: OTHER_ID, nonce: 2 });
  const fresh = await other.ask<Hex>("eth_sendRawTransaction", sent);

  assert.equal(await other.ask("eth_chainId"), "0x1092");
  assert.equal(await other.ask("net_version"), String(OTHER_ID));
  assert.equal(await other.ask("eth_networkId"), String(OTHER_ID));
  assert.equal(Number(await callId()), OTHER_ID);
  await other.close();
  other = await DevelopmentNode.open({ directory });
  t.after(() => other.close());
  for (const [hash, chainId] of [
    [old, CHAIN_ID],
    [legacy, CHAIN_ID],
    [fresh, OTHER_ID],
  ] as const) {
    const tx = await other.ask<{ hash: Hex; chainId: Hex }>("eth_getTransactionByHash", hash);
    assert.deepEqual([tx.hash, Number(tx.chainId)], [hash, chainId]);
    const trace = await other.ask<{ from: Hex }>("debug_traceTransaction", hash, { tracer: "callTracer" });
    assert.equal(trace.from, other.account.address.toLowerCase());
  }
  assert.equal(Number(await other.ask("eth_chainId")), CHAIN_ID);
});

test("an id that is none is refused", async () => {
  for (const id of [0, -1, "x", null, 2 ** 60]) {
    await assert.rejects(node.ask("anvil_setChainId", id), { code: -32602 }, String(id));
  }
});

test("ECRECOVER returns the impersonator for its signature only, in calls, blocks and traces", async () => {
  const [hash, r, s] = ["ab".repeat(32), "11".repeat(32), "22".repeat(32)];
  const v = "1b".padStart(64, "0");
  const call = (signedHash: string, first = r, tracer?: string) => {
    const request = { to: ECRECOVER, data: `0x${signedHash}${v}${first}${s}` };
    return tracer === undefined
      ? node.ask<Hex>("eth_call", request, "latest")
      : node.ask<{ output: Hex }>("debug_traceCall", request, "latest", { tracer }).then(({ output }) => output);
  };
  const signer = node.other.address.toLowerCase();
  const before = await call(hash);
  await node.send();

  assert.equal(await node.ask("anvil_impersonateSignature", [`0x${r}${s}1b`, signer]), null);

  assert.notEqual(before, `0x${"0".repeat(24)}${signer.slice(2)}`);
  for (const answer of [await call(hash), await call("cd".repeat(32)), await call(hash, r, "callTracer")]) {
    assert.equal(answer, `0x${"0".repeat(24)}${signer.slice(2)}`);
  }
  assert.notEqual(await call(hash, "12".repeat(32)), await call(hash));
  const keeper = await node.deploy(KEEPER);
  await node.send({ to: keeper, data: `0x${hash}${v}${r}${s}` });
  assert.equal(await node.ask("eth_getStorageAt", keeper, "0x0"), `0x${"0".repeat(24)}${signer.slice(2)}`);
});

test("a signature of another length is refused", async () => {
  await assert.rejects(node.ask("anvil_impersonateSignature", ["0x11", node.other.address]), { code: -32602 });
  await assert.rejects(node.ask("anvil_impersonateSignature", [`0x${"11".repeat(65)}`]), { code: -32602 });
});

test("a lowest gas price is refused in anvil's words", async () => {
  for (const method of ["anvil_setMinGasPrice", "hardhat_setMinGasPrice"]) {
    const message = "anvil_setMinGasPrice is not supported when EIP-1559 is active";
    await assert.rejects(node.ask(method, "0x1"), { code: -32602, message });
  }
});

test("the time of the first block, and the version of a protocol, are numbers", async () => {
  assert.equal(await node.ask("anvil_getGenesisTime"), 1_700_000_000);
  assert.equal(await node.ask("eth_protocolVersion"), 1);
});
