import assert from "node:assert/strict";
import { request } from "node:http";
import { after, test } from "node:test";
import { toHex } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import type { Hex } from "../../src/chain/encoding/hex.ts";
import { versionedHash } from "../../src/chain/hashing/versionedHash.ts";
import type { ProvenBlob } from "../support/blobs.ts";
import { LINE, ONE, sidecarOf, wrapSidecar } from "../support/blobs.ts";
import { DevelopmentNode, EMITTER, emission, word } from "../support/developmentNode.ts";
import { callRpc, KEYS, NETWORKS, rpc, startNetworks } from "../support/networks.ts";
import { get } from "../support/program.ts";

const { urls } = await startNetworks(after);

const NOBODY: Hex = `0x${"00".repeat(31)}01`;

interface SidecarRecord {
  readonly blobSidecar: { readonly blobs: Hex[]; readonly commitments: Hex[]; readonly proofs: Hex[] };
  readonly blockHash: Hex;
  readonly blockNumber: Hex;
  readonly txHash: Hex;
  readonly txIndex: Hex;
}

const account = privateKeyToAccount(KEYS[0]);

/** A transaction with these blobs, in the original format. */
async function signBlobs(url: string, proven: readonly ProvenBlob[]): Promise<Hex> {
  return await account.signTransaction({
    ...(await fieldsFor(url)),
    type: "eip4844",
    maxFeePerBlobGas: 10n,
    blobVersionedHashes: proven.map(({ commitment }) => toHex(versionedHash(commitment))),
    sidecars: proven.map(({ blob, commitment, proof }) => ({
      blob: toHex(blob),
      commitment: toHex(commitment),
      proof: toHex(proof),
    })),
  });
}

async function fieldsFor(url: string) {
  const nonce = Number(await rpc(url, "eth_getTransactionCount", account.address, "pending"));
  const chainId = Number(await rpc(url, "eth_chainId"));
  return { chainId, nonce, to: account.address, gas: 21_000n, maxFeePerGas: 10n ** 10n, maxPriorityFeePerGas: 1n };
}

/** Sends what is signed and answers its hash and where it was mined. */
async function send(url: string, raw: Hex) {
  const hash = await rpc<Hex>(url, "eth_sendRawTransaction", raw);
  const receipt = await rpc<{ blockHash: Hex; blockNumber: Hex }>(url, "eth_getTransactionReceipt", hash);
  return { hash, ...receipt };
}

const bytesOf = (hex: Hex) => (hex.length - 2) / 2;

for (const { name, chainId } of NETWORKS) {
  const url = urls[name]!;

  test(`4.3 eth_chainId on ${name} is ${chainId} in hex`, async () => {
    assert.deepEqual(await callRpc(url, "eth_chainId"), { jsonrpc: "2.0", id: 1, result: toHex(chainId) });
    assert.equal(await rpc(url, "eth_chainId"), { mainnet: "0x2a5", testnet: "0x3c8" }[name]);
    assert.equal(await rpc(url, "net_version"), String(chainId));
  });

  test(`1 every interface is there on ${name}, without a key`, async () => {
    const [rest, action, pairs, pools, tokens] = await Promise.all(
      [
        "/api/v2/blocks",
        "/api?module=block&action=eth_block_number",
        "/api/v1/pairs",
        "/api/v1/pools",
        "/api/v1/tokens",
      ].map(async (path) => ({ path, ...(await get(url + path)) })),
    );

    for (const { path, status } of [rest!, action!, pairs!, pools!, tokens!]) assert.equal(status, 200, path);
    assert.deepEqual([rest!.body.page, rest!.body.page_size], [1, 50]);
    assert.deepEqual([action!.body.status, action!.body.message], ["1", "OK"]);
    assert.deepEqual([pairs!.body.success, pools!.body.success, pools!.body.code], [true, true, 0]);
    assert.ok(Array.isArray(tokens!.body.data));
  });

  test(`4.3 eth_blobBaseFee on ${name} is 1, also after blobs`, async () => {
    assert.equal(await rpc(url, "eth_blobBaseFee"), "0x1");
    await send(url, await signBlobs(url, [ONE]));
    assert.equal(await rpc(url, "eth_blobBaseFee"), "0x1");
  });

  test(`2.4 a sidecar record on ${name} has these fields and no others`, async () => {
    const { hash, blockHash, blockNumber } = await send(url, await signBlobs(url, [ONE, LINE]));

    const record = await rpc<SidecarRecord>(url, "eth_getBlobSidecarByTxHash", hash);

    assert.deepEqual(record, {
      blobSidecar: {
        blobs: [toHex(ONE.blob), toHex(LINE.blob)],
        commitments: [toHex(ONE.commitment), toHex(LINE.commitment)],
        proofs: [toHex(ONE.proof), toHex(LINE.proof)],
      },
      blockHash,
      blockNumber,
      txHash: hash,
      txIndex: "0x0",
    });
    assert.match(record.blockNumber, /^0x[1-9a-f][0-9a-f]*$/);
  });

  test(`4.3 full_blob_flag on ${name}: whole by default and where true, the first 32 bytes where false`, async () => {
    const { hash, blockNumber } = await send(url, await signBlobs(url, [LINE]));
    const blobsOf = async (...flag: boolean[]) => {
      const byHash = await rpc<SidecarRecord>(url, "eth_getBlobSidecarByTxHash", hash, ...flag);
      const [inBlock] = await rpc<SidecarRecord[]>(url, "eth_getBlobSidecars", blockNumber, ...flag);
      assert.deepEqual(byHash, inBlock);
      return byHash.blobSidecar;
    };

    const [whole, cut] = [await blobsOf(), await blobsOf(false)];

    assert.deepEqual(whole.blobs, [toHex(LINE.blob)]);
    assert.deepEqual(await blobsOf(true), whole);
    assert.deepEqual(cut, { ...whole, blobs: [toHex(LINE.blob.subarray(0, 32))] });
  });

  test(`8 sizes on ${name}: a blob 131,072 bytes or 32 of them, a commitment and a proof 48 each`, async () => {
    const { hash } = await send(url, await signBlobs(url, [ONE, LINE]));
    const whole = await rpc<SidecarRecord>(url, "eth_getBlobSidecarByTxHash", hash);
    const cut = await rpc<SidecarRecord>(url, "eth_getBlobSidecarByTxHash", hash, false);

    assert.deepEqual(whole.blobSidecar.blobs.map(bytesOf), [131_072, 131_072]);
    assert.deepEqual(cut.blobSidecar.blobs.map(bytesOf), [32, 32]);
    for (const { commitments, proofs } of [whole.blobSidecar, cut.blobSidecar]) {
      assert.deepEqual([...commitments, ...proofs].map(bytesOf), [48, 48, 48, 48]);
    }
  });

  test(`4.3 eth_getBlobSidecars on ${name} takes a number, a hash and the tags`, async () => {
    const { hash, blockHash, blockNumber } = await send(url, await signBlobs(url, [ONE]));
    const record = await rpc(url, "eth_getBlobSidecarByTxHash", hash);

    for (const id of [blockNumber, blockHash, "latest"]) {
      assert.deepEqual(await rpc(url, "eth_getBlobSidecars", id), [record], id);
    }
    for (const tag of ["earliest", "safe", "finalized"]) {
      assert.deepEqual(await rpc(url, "eth_getBlobSidecars", tag), [], tag);
    }
  });

  test(`4.3 eth_getBlobSidecars on ${name} has one record for each blob transaction, in their order`, async () => {
    await rpc(url, "evm_setAutomine", false);
    const first = await rpc<Hex>(url, "eth_sendRawTransaction", await signBlobs(url, [ONE]));
    const second = await rpc<Hex>(url, "eth_sendRawTransaction", await signBlobs(url, [LINE]));
    await rpc(url, "evm_mine");
    await rpc(url, "evm_setAutomine", true);

    const records = await rpc<SidecarRecord[]>(url, "eth_getBlobSidecars", "latest", false);

    assert.deepEqual(
      records.map(({ txHash, txIndex }) => [txHash, txIndex]),
      [
        [first, "0x0"],
        [second, "0x1"],
      ],
    );
  });

  test(`7 a sidecar of an unknown transaction, or of one without blobs, is null on ${name}`, async () => {
    const plain = await send(url, await account.signTransaction({ ...(await fieldsFor(url)), type: "eip1559" }));

    assert.deepEqual(await callRpc(url, "eth_getBlobSidecarByTxHash", NOBODY), { jsonrpc: "2.0", id: 1, result: null });
    assert.equal(await rpc(url, "eth_getBlobSidecarByTxHash", plain.hash), null);
    assert.equal(await rpc(url, "eth_getBlobSidecarByTxHash", plain.hash, false), null);
  });

  test(`7 sidecars of a block without blobs are an empty array on ${name}, of one that does not exist yet null`, async () => {
    const plain = await send(url, await account.signTransaction({ ...(await fieldsFor(url)), type: "eip1559" }));

    assert.deepEqual(await rpc(url, "eth_getBlobSidecars", plain.blockNumber), []);
    assert.deepEqual(await rpc(url, "eth_getBlobSidecars", plain.blockHash, false), []);
    assert.equal(await rpc(url, "eth_getBlobSidecars", toHex(Number(plain.blockNumber) + 1)), null);
    assert.equal(await rpc(url, "eth_getBlobSidecars", NOBODY), null);
  });

  test(`7 a blob transaction in the EIP-7594 format is rejected on ${name} with the message, in the original accepted`, async () => {
    const wrapped = wrapSidecar([new Uint8Array()], sidecarOf([ONE], 1));

    const refused = await callRpc(url, "eth_sendRawTransaction", toHex(wrapped));
    const accepted = await send(url, await signBlobs(url, [ONE]));

    assert.deepEqual(refused.error, { code: -32_000, message: "rlp: expected input list for []kzg4844.Blob" });
    assert.match(accepted.hash, /^0x[0-9a-f]{64}$/);
  });

  test(`4.3 the parameters of the blob methods are checked on ${name}`, async () => {
    for (const [params, reason] of [
      [[], "missing value for required argument 0"],
      [["0x1", true, 1], "too many arguments, want at most 2"],
      [["1"], "invalid argument 0: hex string without 0x prefix"],
    ] as const) {
      const { error } = await callRpc(url, "eth_getBlobSidecars", ...params);
      assert.deepEqual([error?.code, error?.message], [-32_602, reason]);
    }
    assert.equal((await callRpc(url, "eth_getBlobSidecarByTxHash")).error?.code, -32_602);
  });

  test(`6 eth_subscribe is unavailable on ${name}, and there is no WebSocket`, async () => {
    const { error } = await callRpc(url, "eth_subscribe", "newHeads");
    const status = await new Promise((resolve, reject) => {
      const headers = {
        connection: "Upgrade",
        upgrade: "websocket",
        "sec-websocket-version": "13",
        "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
      };
      const asked = request(`${url}/rpc`, { headers });
      asked.on("response", (response) => resolve(response.resume().statusCode));
      asked.on("upgrade", (_, socket) => reject(new Error(`upgraded: ${socket.destroy().destroyed}`)));
      asked.on("error", reject).end();
    });

    assert.equal(error?.code, -32_601);
    assert.equal(status, 501);
  });

  test(`4.3 calls are POSTs of JSON on ${name}`, async () => {
    const body = JSON.stringify({ jsonrpc: "2.0", id: "a", method: "eth_chainId", params: [] });
    const post = (type: string) => fetch(`${url}/rpc`, { method: "POST", body, headers: { "content-type": type } });

    const answered = await post("application/json");
    const refused = await post("text/plain");

    assert.match(answered.headers.get("content-type")!, /^application\/json/);
    assert.deepEqual(await answered.json(), { jsonrpc: "2.0", id: "a", result: toHex(chainId) });
    assert.equal(refused.status, 415);
    await refused.body?.cancel();
  });
}

for (const { name } of NETWORKS) {
  test(`7 the call of the explorer that eth_getLogs names instead is answered on ${name}`, async () => {
    const query = { fromBlock: "0x0", toBlock: "latest", topics: [word(1), word(2)] };

    const { error } = await callRpc(urls[name]!, "eth_getLogs", query);
    const [path] = /\/api\?\S+$/.exec(error!.message)!;
    const { status, body } = await get(`${urls[name]}${path}`);

    assert.equal(status, 200);
    assert.deepEqual([body.message, body.result], ["No records found", []]);
  });
}

test("7 eth_getLogs answers a bounded range, and fails for an unbounded one with -32602", async (t) => {
  const node = await DevelopmentNode.open();
  t.after(() => node.close());
  const address = await node.deploy(EMITTER);
  await node.send({ to: address, data: emission(5, 6) });
  const bounded = await node.ask<{ data: Hex }[]>("eth_getLogs", { fromBlock: "0x0", toBlock: "0x2", address });

  assert.deepEqual(
    bounded.map(({ data }) => data),
    [word(6)],
  );
  assert.deepEqual(await node.ask("eth_getLogs", { fromBlock: "0x1", toBlock: "latest", address }), bounded);
  for (const query of [
    { fromBlock: "earliest", toBlock: "latest" },
    { fromBlock: "0x0", toBlock: "latest", address },
    { fromBlock: "0x0", toBlock: "pending", address },
    { fromBlock: "0x0" },
    { address },
    {},
  ]) {
    await assert.rejects(node.ask("eth_getLogs", query), { code: -32_602, message: /^eth_getLogs / });
  }
  for (const query of [{ fromBlock: "earliest", toBlock: "latest" }, { fromBlock: "0x0" }]) {
    const filter = await node.ask("eth_newFilter", query);
    const refused = { code: -32_602, message: /^eth_getFilterLogs does not search the whole chain/ };
    await assert.rejects(node.ask("eth_getFilterLogs", filter), refused);
  }
  await assert.rejects(node.ask("eth_getLogs", { toBlock: "0x1" }), { code: -32_602 });
});
