import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import type { BlobLike, TransactionLike } from "ethers";
import { isError, JsonRpcProvider, Transaction, Wallet } from "ethers";
import type { Hex } from "viem";
import {
  createPublicClient,
  createWalletClient,
  defineChain,
  fromBlobs,
  http,
  InsufficientFundsError,
  parseGwei,
  sidecarsToVersionedHashes,
  toBlobSidecars,
  toBlobs,
  toHex,
} from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { Web3 } from "web3";
import type { ProvenBlob } from "../support/blobs.ts";
import { LINE, ONE, ZERO } from "../support/blobs.ts";
import { RememberingKzg, viemKzg } from "../support/kzg.ts";
import { indexes, KEYS, NETWORKS, rpc, startNetworks } from "../support/networks.ts";
import { get } from "../support/program.ts";

const running = await startNetworks(after);
let { urls } = running;

/** Nobody has the key of it. */
const KEYLESS = "0x000000000000000000000000000000000000dEaD";
const TEXT = "a blob's worth of words";
const BLOB_GAS = 131_072n;

const kzg = new RememberingKzg();
const blobs: Hex[] = [...toBlobs({ data: toHex(TEXT), to: "hex" })];
const [computed] = toBlobSidecars({ data: toHex(TEXT), kzg: viemKzg(kzg), to: "hex" });

interface Sidecar {
  readonly blobs: readonly Hex[];
  readonly commitments: readonly Hex[];
  readonly proofs: readonly Hex[];
}

/** Section 2.4 of the specification. */
interface SidecarRecord {
  readonly blobSidecar: Sidecar;
  readonly blockHash: Hex;
  readonly blockNumber: Hex;
  readonly txHash: Hex;
  readonly txIndex: Hex;
}

/** Transactions of each network, to be compared after a restart. */
const records: { name: string; record: SidecarRecord }[] = [];

const sidecarOf = (proven: readonly ProvenBlob[]): Sidecar => ({
  blobs: proven.map(({ blob }) => toHex(blob)),
  commitments: proven.map(({ commitment }) => toHex(commitment)),
  proofs: proven.map(({ proof }) => toHex(proof)),
});

const toEthers = ({ blobs: list, commitments, proofs }: Sidecar): BlobLike[] =>
  list.map((data, index) => ({ data, commitment: commitments[index]!, proof: proofs[index]! }));

const COMPUTED: Sidecar = { blobs, commitments: [computed!.commitment], proofs: [computed!.proof] };

function connect(name: string, chainId: number) {
  const url = `${urls[name]}/rpc`;
  const currency = { name: "Coin", symbol: "COIN", decimals: 18 };
  const chain = defineChain({ id: chainId, name, nativeCurrency: currency, rpcUrls: { default: { http: [url] } } });
  const transport = http(url, { retryCount: 0 });
  const reader = createPublicClient({ chain, transport, pollingInterval: 50, cacheTime: 0 });
  const wallet = createWalletClient({ chain, transport, account: privateKeyToAccount(KEYS[0]) });
  const provider = new JsonRpcProvider(url, undefined, { cacheTimeout: -1, pollingInterval: 50 });
  after(() => provider.destroy());
  return { url, chain, transport, reader, wallet, signer: new Wallet(KEYS[1], provider), web3: new Web3(url) };
}

/** A blob transaction of the third account, signed by ethers and not sent. */
async function signBlobs(name: string, chainId: number, fields: TransactionLike<string>): Promise<string> {
  const signer = new Wallet(KEYS[2]);
  const nonce = Number(await rpc(urls[name]!, "eth_getTransactionCount", signer.address, "pending"));
  const fees = { gasLimit: 21_000n, maxFeePerGas: parseGwei("10"), maxPriorityFeePerGas: 1n, maxFeePerBlobGas: 10n };
  const transaction = Transaction.from({ type: 3, chainId, nonce, to: KEYLESS, ...fees, ...fields });
  transaction.signature = signer.signingKey.sign(transaction.unsignedHash);
  return transaction.serialized;
}

async function expectSidecar(name: string, hash: string, sidecar: Sidecar): Promise<void> {
  const url = urls[name]!;
  const receipt = await rpc<{ blockHash: Hex; blockNumber: Hex; transactionIndex: Hex }>(
    url,
    "eth_getTransactionReceipt",
    hash,
  );
  const { blockHash, blockNumber } = receipt;
  const place = { blockHash, blockNumber, txHash: hash as Hex, txIndex: receipt.transactionIndex };
  const record = { blobSidecar: sidecar, ...place };
  const cut = { blobSidecar: { ...sidecar, blobs: sidecar.blobs.map((blob) => blob.slice(0, 66)) }, ...place };

  assert.deepEqual(await rpc(url, "eth_getBlobSidecarByTxHash", hash), record);
  assert.deepEqual(await rpc(url, "eth_getBlobSidecarByTxHash", hash, true), record);
  assert.deepEqual(await rpc(url, "eth_getBlobSidecarByTxHash", hash, false), cut);
  for (const id of [blockNumber, blockHash]) {
    assert.deepEqual(await rpc(url, "eth_getBlobSidecars", id), [record]);
    assert.deepEqual(await rpc(url, "eth_getBlobSidecars", id, false), [cut]);
  }
  assert.deepEqual(await rpc(url, "eth_getBlobSidecars", "latest", true), [record]);
  records.push({ name, record });
}

for (const { name, chainId } of NETWORKS) {
  describe(`blobs on ${name}`, () => {
    test("viem sends one that it made of text, and reads it back", async () => {
      const { reader, wallet } = connect(name, chainId);

      const hash = await wallet.sendTransaction({
        blobs,
        kzg: viemKzg(kzg),
        to: KEYLESS,
        maxFeePerBlobGas: parseGwei("1"),
      });
      const receipt = await reader.waitForTransactionReceipt({ hash });
      const transaction = await reader.getTransaction({ hash });
      const block = await reader.getBlock({ blockHash: receipt.blockHash });

      assert.deepEqual([receipt.status, receipt.type], ["success", "eip4844"]);
      assert.deepEqual([receipt.blobGasUsed, receipt.blobGasPrice], [BLOB_GAS, 1n]);
      assert.deepEqual([block.blobGasUsed, block.excessBlobGas], [BLOB_GAS, 0n]);
      assert.deepEqual(transaction.blobVersionedHashes, sidecarsToVersionedHashes({ sidecars: [computed!] }));
      assert.equal(transaction.maxFeePerBlobGas, parseGwei("1"));
      await expectSidecar(name, hash, COMPUTED);
      const answer = (await reader.request({
        method: "eth_getBlobSidecarByTxHash",
        params: [hash],
      } as never)) as SidecarRecord;
      assert.equal(fromBlobs({ blobs: answer.blobSidecar.blobs, to: "hex" }), toHex(TEXT));
    });

    test("ethers sends them with a KZG library, and with proofs that it was given", async () => {
      const { signer } = connect(name, chainId);
      const fields = { type: 3, to: KEYLESS, maxFeePerBlobGas: 10n };
      const plain = sidecarOf([ONE, LINE]);

      const made = await signer.sendTransaction({ ...fields, blobs, kzg });
      const first = (await made.wait())!;
      await expectSidecar(name, made.hash, COMPUTED);
      const given = await signer.sendTransaction({ ...fields, blobs: toEthers(plain) });
      const second = (await given.wait())!;
      await expectSidecar(name, given.hash, plain);

      assert.deepEqual([first.type, first.blobGasUsed, first.blobGasPrice], [3, BLOB_GAS, 1n]);
      assert.deepEqual([second.status, second.blobGasUsed], [1, 2n * BLOB_GAS]);
      const read = (await signer.provider!.getTransaction(given.hash))!;
      assert.deepEqual(read.blobVersionedHashes, given.blobVersionedHashes);
      assert.equal(read.maxFeePerBlobGas, 10n);
      const block = (await signer.provider!.getBlock(second.blockNumber))!;
      assert.deepEqual([block.blobGasUsed, block.excessBlobGas], [2n * BLOB_GAS, 0n]);
    });

    test("web3 sends the bytes of one and reads its transaction, receipt and block", async () => {
      const { web3 } = connect(name, chainId);
      const sidecar = sidecarOf([ZERO]);
      const raw = await signBlobs(name, chainId, { blobs: toEthers(sidecar) });

      const request = { jsonrpc: "2.0", id: 1, method: "eth_sendRawTransaction", params: [raw] };
      const { result: sent } = (await web3.provider!.request(request as never)) as { result: string };
      const receipt = await web3.eth.getTransactionReceipt(sent);
      const transaction = await web3.eth.getTransaction(sent);
      const block = await web3.eth.getBlock(receipt.blockNumber);

      assert.deepEqual([receipt.status, receipt.type], [1n, 3n]);
      assert.deepEqual([transaction.hash, transaction.type], [sent, 3n]);
      assert.deepEqual([block.transactions, (block as { blobGasUsed?: bigint }).blobGasUsed], [[sent], BLOB_GAS]);
      await expectSidecar(name, sent, sidecar);
    });

    test("those in another format, without or with a wrong sidecar are refused in geth's words", async () => {
      const { signer, reader } = connect(name, chainId);
      const one = toEthers(sidecarOf([ONE]));
      const cells = `0x${toHex(ONE.cellProof).slice(2).repeat(128)}`;
      const asCells = { blobWrapperVersion: 1, blobs: [{ ...(one[0] as object), proof: cells }] as BlobLike[] };
      const { blobVersionedHashes } = Transaction.from(await signBlobs(name, chainId, { blobs: one }));
      const [hash] = blobVersionedHashes!;
      const [other] = Transaction.from(await signBlobs(name, chainId, { blobs: toEthers(sidecarOf([LINE])) }))
        .blobVersionedHashes!;
      const mixed = (await signBlobs(name, chainId, { blobs: one })).replace(hash!.slice(2), other!.slice(2));
      const seven = toEthers(sidecarOf(new Array(7).fill(ZERO)));

      const cases: [string, TransactionLike<string> | string, string][] = [
        ["EIP-7594", asCells, "rlp: expected input list for []kzg4844.Blob"],
        ["no sidecar", { blobVersionedHashes: [hash!] }, "missing sidecar in blob transaction"],
        ["seven", { blobs: seven }, "too many blobs in transaction: have 7, permitted 6"],
        ["another hash", mixed, `blob 0: computed hash ${hash} mismatches transaction one ${other}`],
        [
          "a wrong proof",
          { blobs: toEthers({ ...sidecarOf([LINE]), proofs: sidecarOf([ONE]).proofs }) },
          "KZG verification error: invalid blob proof: can't verify opening proof",
        ],
      ];
      for (const [what, fields, message] of cases) {
        const raw = typeof fields === "string" ? fields : await signBlobs(name, chainId, fields);
        const error: unknown = await signer.provider!.broadcastTransaction(raw).catch((refused: unknown) => refused);
        assert.ok(isError(error, "UNKNOWN_ERROR"), `${what}: ${error}`);
        assert.deepEqual(error.error, { code: -32000, message }, what);
        const shown = await reader.sendRawTransaction({ serializedTransaction: raw as Hex }).catch(String);
        assert.ok(shown.includes(message), shown);
      }
    });

    test("one that its sender cannot pay for raises viem's own error", async () => {
      const { wallet } = connect(name, chainId);

      const call = wallet.sendTransaction({ blobs, kzg: viemKzg(kzg), to: KEYLESS, maxFeePerBlobGas: 10n ** 18n });

      await assert.rejects(call, (error: Error & { walk?: (is: (each: unknown) => boolean) => unknown }) => {
        assert.ok(
          error.walk?.((each) => each instanceof InsufficientFundsError),
          error.message,
        );
        return true;
      });
    });

    test("the tags of safe and final blocks name the block of a blob once it is deep enough", async () => {
      const url = urls[name]!;
      const { record } = records.findLast((each) => each.name === name)!;

      assert.deepEqual(await rpc(url, "eth_getBlobSidecars", "earliest"), []);
      await rpc(url, "anvil_mine", "0x20");
      assert.deepEqual(await rpc(url, "eth_getBlobSidecars", "safe"), [record]);
      await rpc(url, "anvil_mine", "0x20");
      assert.deepEqual(await rpc(url, "eth_getBlobSidecars", "finalized"), [record]);
      assert.deepEqual(await rpc(url, "eth_getBlobSidecars", "latest"), []);
    });

    test("the explorer shows the transaction of a blob", async () => {
      const url = urls[name]!;
      const { record } = records.find((each) => each.name === name)!;
      await indexes(url, Number(await rpc(url, "eth_blockNumber")));

      const { status, body } = await get(`${url}/api/v2/transactions/${record.txHash}`);

      assert.deepEqual([status, body.status, body.type], [200, "ok", 3]);
    });
  });
}

test("sidecars are there after a restart, byte for byte", async () => {
  urls = await running.restart();

  assert.equal(records.length, 2 * 4);
  for (const { name, record } of records) {
    assert.deepEqual(await rpc(urls[name]!, "eth_getBlobSidecarByTxHash", record.txHash), record);
    assert.deepEqual(await rpc(urls[name]!, "eth_getBlobSidecars", record.blockNumber), [record]);
  }
});
