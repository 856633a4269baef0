import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { RLP } from "@ethereumjs/rlp";
import type { TransactionSerializable } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { sidecarOf, wrapSidecar, ZERO } from "../../../test/support/blobs.ts";
import { DevelopmentNode } from "../../../test/support/developmentNode.ts";
import type { Bytes } from "../../chain/encoding/bytes.ts";
import type { Hex } from "../../chain/encoding/hex.ts";

/** A node that mines only on request. */
const waiting = () => DevelopmentNode.open({ mines: false });

const status = (node: DevelopmentNode) => node.ask<{ pending: Hex; queued: Hex }>("txpool_status");

test("transactions wait in the order of their nonces, and one behind a gap is queued until it is filled", async () => {
  const node = await waiting();

  await node.send({ nonce: 2 });
  assert.deepEqual(await status(node), { pending: "0x0", queued: "0x1" });
  await node.send({ nonce: 0 });
  assert.deepEqual(await status(node), { pending: "0x1", queued: "0x1" });
  await node.send({ nonce: 1 });

  assert.deepEqual(await status(node), { pending: "0x3", queued: "0x0" });
  assert.equal(await node.ask("eth_getTransactionCount", node.account.address, "pending"), "0x3");
  assert.equal(await node.ask("eth_getTransactionCount", node.account.address, "latest"), "0x0");
  await node.ask("evm_mine");
  assert.equal(await node.ask("eth_getTransactionCount", node.account.address, "latest"), "0x3");
  assert.deepEqual(await status(node), { pending: "0x0", queued: "0x0" });
  await node.close();
});

test("a replacement must offer a tenth more in both of its prices", async () => {
  const node = await waiting();
  const prices = { maxFeePerGas: 10_000_000_000n, maxPriorityFeePerGas: 1_000_000_000n };
  const first = await node.send({ nonce: 0, ...prices });
  const underpriced = { code: -32_000, message: "replacement transaction underpriced" };

  await assert.rejects(node.send({ nonce: 0, ...prices, value: 1n }), underpriced);
  await assert.rejects(node.send({ nonce: 0, ...prices, maxFeePerGas: 11_000_000_000n }), underpriced);
  await assert.rejects(
    node.send({ nonce: 0, maxFeePerGas: 10_900_000_000n, maxPriorityFeePerGas: 1_100_000_000n }),
    underpriced,
  );
  const second = await node.send({ nonce: 0, maxFeePerGas: 11_000_000_000n, maxPriorityFeePerGas: 1_100_000_000n });

  assert.equal(await node.ask("eth_getTransactionByHash", first), null);
  assert.notEqual(await node.ask("eth_getTransactionByHash", second), null);
  assert.deepEqual(await status(node), { pending: "0x1", queued: "0x0" });
  await node.close();
});

test("a block takes the highest tips first, and of equal ones what came first", async () => {
  const node = await waiting();
  const senders = node.node.accounts.map(({ privateKey }) => privateKeyToAccount(privateKey));
  const gwei = (amount: number) => BigInt(amount) * 1_000_000_000n;
  const hashes: Hex[] = [];
  for (const [sender, tip] of [
    [0, 1],
    [1, 3],
    [2, 3],
  ] as const) {
    const raw = await senders[sender]!.signTransaction(
      plain({ maxPriorityFeePerGas: gwei(tip), maxFeePerGas: gwei(9) }),
    );
    hashes.push(await node.ask<Hex>("eth_sendRawTransaction", raw));
  }

  await node.ask("evm_mine");

  const { transactions } = await node.ask<{ transactions: Hex[] }>("eth_getBlockByNumber", "latest", false);
  assert.deepEqual(transactions, [hashes[1], hashes[2], hashes[0]]);
  await node.close();
});

test("what does not fit into a block waits for the next", async () => {
  const node = await DevelopmentNode.open({ mines: false, gasLimit: 500_000 });
  for (let nonce = 0; nonce < 4; nonce++) await node.send({ nonce, gas: 200_000n });

  await node.ask("evm_mine");

  assert.equal(await node.ask("eth_getBlockTransactionCountByNumber", "latest"), "0x4");
  await node.send({ nonce: 4, gas: 400_000n });
  await node.send({ nonce: 5, gas: 480_000n });
  await node.ask("evm_mine");
  assert.equal(await node.ask("eth_getBlockTransactionCountByNumber", "latest"), "0x1");
  await node.ask("evm_mine");
  assert.equal(await node.ask("eth_getTransactionCount", node.account.address, "latest"), "0x6");
  await node.close();
});

test("a transaction that offers less than the base fee waits until the base fee has fallen", async () => {
  const node = await waiting();
  const hash = await node.send({ maxFeePerGas: 800_000_000n, maxPriorityFeePerGas: 1n });
  assert.equal(await node.ask("eth_getTransactionReceipt", hash), null);

  await node.ask("hardhat_mine", "0x2");

  assert.notEqual(await node.ask("eth_getTransactionReceipt", hash), null);
  await node.close();
});

const refusals: readonly [string, Record<string, unknown>, RegExp][] = [
  ["a nonce that was used", { nonce: 0 }, /^nonce too low: next nonce 1, tx nonce 0$/],
  ["more gas than a block has", { gas: 30_000_001n }, /^exceeds block gas limit$/],
  ["less gas than it costs to begin", { gas: 20_999n }, /^intrinsic gas too low: gas 20999, minimum needed 21000$/],
  [
    "less gas than its data costs at least",
    { gas: 25_000n, data: `0x${"01".repeat(200)}` },
    /^insufficient gas for floor data gas cost: gas 25000, minimum needed 29000$/,
  ],
  [
    "more money than there is",
    { value: 10n ** 24n },
    /^insufficient funds for gas \* price \+ value: balance \d+, tx cost \d+, overshot \d+$/,
  ],
  ["a tip above all it pays", { maxFeePerGas: 1n, maxPriorityFeePerGas: 2n }, /max priority fee per gas higher than/],
  [
    "more code than a contract may be made of",
    { to: undefined, data: `0x${"00".repeat(49_153)}`, gas: 10_000_000n },
    /^max initcode size exceeded: code size 49153, limit 49152$/,
  ],
  [
    "a gigantic input",
    { data: `0x${"00".repeat(140_000)}`, gas: 10_000_000n },
    /^oversized data: transaction size \d+, limit 131072$/,
  ],
];

for (const [what, fields, message] of refusals) {
  test(`${what} is refused in geth's words, and nothing of it stays`, async () => {
    const node = await DevelopmentNode.open();
    await node.send();

    const refused = what === "a tip above all it pays" ? sendUnchecked(node) : node.send(fields);
    await assert.rejects(refused, { code: -32_000, message });
    assert.deepEqual(await status(node), { pending: "0x0", queued: "0x0" });
    await node.send();
    await node.close();
  });
}

/** viem refuses to sign this. */
async function sendUnchecked(node: DevelopmentNode): Promise<unknown> {
  const { createFeeMarket1559Tx } = await import("@ethereumjs/tx");
  const common = node.node.context.chain.rules.fork("prague");
  const fields = {
    chainId: 968n,
    nonce: 1n,
    gasLimit: 21_000n,
    maxFeePerGas: 1n,
    maxPriorityFeePerGas: 1n,
    to: `0x${"01".repeat(20)}` as Hex,
  };
  const tx = createFeeMarket1559Tx(fields, { common, freeze: false });
  Object.assign(tx, { maxPriorityFeePerGas: 2n });
  const key = Buffer.from(node.node.accounts[0]!.privateKey.slice(2), "hex");
  const message = tx.getHashedMessageToSign();
  const { signRecoverable } = await import("tiny-secp256k1");
  const { signature, recoveryId } = signRecoverable(message, key);
  Object.assign(tx, {
    v: BigInt(recoveryId),
    r: BigInt(`0x${Buffer.from(signature.subarray(0, 32)).toString("hex")}`),
    s: BigInt(`0x${Buffer.from(signature.subarray(32)).toString("hex")}`),
  });
  return node.ask("eth_sendRawTransaction", `0x${Buffer.from(tx.serialize()).toString("hex")}`);
}

test("an account without funds cannot send, and a transaction cannot be pending twice", async () => {
  const node = await waiting();
  const poor = privateKeyToAccount(`0x${"77".repeat(32)}`);
  const raw = await poor.signTransaction(plain());

  await assert.rejects(node.ask("eth_sendRawTransaction", raw), {
    message: /^insufficient funds for gas \* price \+ value/,
  });
  const rich = await node.account.signTransaction(plain());
  await node.ask("eth_sendRawTransaction", rich);
  await assert.rejects(node.ask("eth_sendRawTransaction", rich), { code: -32_000, message: "already known" });
  await node.close();
});

test("what all of a sender's transactions may cost must be there", async () => {
  const node = await waiting();
  const value = 6_000n * 10n ** 18n;
  await node.send({ nonce: 0, value });

  await assert.rejects(node.send({ nonce: 1, value }), {
    message: /^insufficient funds .* queued cost \d+, tx cost \d+/,
  });
  await node.close();
});

test("a transaction for another chain is refused, and one for any chain is not", async () => {
  const node = await waiting();
  const other = await node.account.signTransaction(plain({ chainId: 1 }));
  const legacy = await node.account.signTransaction(plain({ type: "legacy", chainId: 1, gasPrice: 10n ** 10n }));
  const any = await node.account.signTransaction(plain({ type: "legacy", chainId: undefined, gasPrice: 10n ** 10n }));
  const message = "invalid sender: invalid chain id for signer: have 1 want 968";

  await assert.rejects(node.ask("eth_sendRawTransaction", other), { code: -32_000, message });
  await assert.rejects(node.ask("eth_sendRawTransaction", legacy), { code: -32_000, message });
  assert.match(await node.ask<string>("eth_sendRawTransaction", any), /^0x[0-9a-f]{64}$/);
  await node.close();
});

test("blob and plain transactions of one sender do not wait together", async () => {
  const node = await waiting();
  await node.send({ nonce: 0 });
  const sidecar = sidecarOf([ZERO]);

  await assert.rejects(sendBlobs(node, 1, sidecar), { code: -32_000, message: "address already reserved" });
  await node.ask("evm_mine");
  await sendBlobs(node, 1, sidecar);
  await assert.rejects(node.send({ nonce: 2 }), { code: -32_000, message: "address already reserved" });
  await node.close();
});

async function sendBlobs(node: DevelopmentNode, nonce: number, sidecar: ReturnType<typeof sidecarOf>): Promise<Hex> {
  const { versionedHash } = await import("../../chain/hashing/versionedHash.ts");
  const hashes = sidecar.commitments.map(
    (commitment): Hex => `0x${Buffer.from(versionedHash(commitment)).toString("hex")}`,
  );
  const signed = await node.account.signTransaction(
    plain({ type: "eip4844", nonce, maxFeePerBlobGas: 10n, blobVersionedHashes: hashes, sidecars: false }),
  );
  const fields = RLP.decode(Buffer.from(signed.slice(4), "hex")) as Bytes[];
  const raw = wrapSidecar(fields, sidecar);
  return node.ask("eth_sendRawTransaction", `0x${Buffer.from(raw).toString("hex")}`);
}

test("what waits survives a restart, in the order it came", async () => {
  const directory = mkdtempSync(join(tmpdir(), "oriel-pool-"));
  const before = await DevelopmentNode.open({ mines: false, directory });
  const hashes = [await before.send({ nonce: 0 }), await before.send({ nonce: 1 }), await before.send({ nonce: 5 })];
  await before.close();

  const after = await DevelopmentNode.open({ mines: false, directory });

  assert.deepEqual(await status(after), { pending: "0x2", queued: "0x1" });
  await after.ask("evm_mine");
  const { transactions } = await after.ask<{ transactions: Hex[] }>("eth_getBlockByNumber", "latest", false);
  assert.deepEqual(transactions, hashes.slice(0, 2));
  await after.close();
  const later = await DevelopmentNode.open({ mines: false, directory });
  assert.deepEqual(await status(later), { pending: "0x0", queued: "0x1" });
  await later.close();
  rmSync(directory, { recursive: true });
});

function plain(fields: Readonly<Record<string, unknown>> = {}): TransactionSerializable {
  const eip1559 = { type: "eip1559", maxFeePerGas: 10n ** 10n, maxPriorityFeePerGas: 10n ** 9n };
  const base = { chainId: 968, nonce: 0, gas: 21_000n, to: `0x${"01".repeat(20)}` };
  return { ...base, ...(fields.type === "legacy" ? {} : eip1559), ...fields } as unknown as TransactionSerializable;
}

test("a transaction whose sender can no longer pay is dropped when its turn comes, and nothing is amiss", async () => {
  const errors: unknown[] = [];
  const node = await DevelopmentNode.open({ mines: false, onError: (error) => errors.push(error) });
  const hash = await node.send({ nonce: 0 });
  await node.ask("hardhat_setBalance", node.account.address, "0x1");

  await node.ask("evm_mine");

  assert.equal(await node.ask("eth_getTransactionByHash", hash), null);
  assert.deepEqual(await status(node), { pending: "0x0", queued: "0x0" });
  assert.deepEqual(errors, []);
  await node.close();
});
