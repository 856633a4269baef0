import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { test } from "node:test";
import { RLP } from "@ethereumjs/rlp";
import type { Bytes } from "../encoding/bytes.ts";
import { toHex, uintToHex } from "../encoding/hex.ts";
import type { Wire } from "../encoding/wire.ts";
import { WireReader } from "../encoding/wire.ts";
import { keccak256 } from "../hashing/keccak.ts";
import { transactionHash, transactionsRoot } from "./block.ts";
import { decodeHeader, headerHash, withdrawalsRoot } from "./header.ts";
import type { Transaction } from "./transaction.ts";
import { decodeTransaction } from "./transaction.ts";

/** A chain recorded from a real client, with a fork every few blocks. Skipped if absent. */
const root = resolve(import.meta.dirname, "../..");
const file = join(process.env.ORIEL_VECTORS ?? join(root, "../shared/vectors"), "execution-apis/chain.rlp");

type Item = Uint8Array | Item[];

const HEADER =
  `parentHash sha3Uncles miner stateRoot transactionsRoot receiptsRoot logsBloom difficulty= number= gasLimit=
  gasUsed= timestamp= extraData mixHash nonce baseFeePerGas= withdrawalsRoot blobGasUsed= excessBlobGas=
  parentBeaconBlockRoot requestsHash`.split(/\s+/);

const FEES = "chainId= nonce= maxPriorityFeePerGas= maxFeePerGas= gas= to value= input accessList";

/** Field names in encoding order; `=` marks quantities. */
const TRANSACTIONS = [
  "nonce= gasPrice= gas= to value= input v= r= s=",
  "chainId= nonce= gasPrice= gas= to value= input accessList v= r= s=",
  `${FEES} v= r= s=`,
  `${FEES} maxFeePerBlobGas= blobVersionedHashes v= r= s=`,
  `${FEES} authorizationList v= r= s=`,
].map((fields) => fields.split(" "));

const AUTHORIZATION = "chainId= address nonce= yParity= r= s=".split(" ");
const WITHDRAWAL = "index= validatorIndex= address amount=".split(" ");

function wireOf(items: Item, fields: readonly string[]): Wire {
  const entries = (items as Item[]).map((item, at) => {
    const field = fields[at]!;
    return field.endsWith("=") ? [field.slice(0, -1), uintToHex(item as Bytes)] : [field, valueIn(field, item)];
  });
  return Object.fromEntries(entries);
}

function valueIn(field: string, item: Item): unknown {
  if (field === "accessList") {
    return (item as [Bytes, Bytes[]][]).map(([address, keys]) => ({
      address: toHex(address),
      storageKeys: keys.map(toHex),
    }));
  }
  if (field === "authorizationList") return (item as Item[]).map((entry) => wireOf(entry, AUTHORIZATION));
  if (Array.isArray(item)) return (item as Bytes[]).map(toHex);
  return field === "to" && item.length === 0 ? null : toHex(item);
}

function transactionOf(item: Item): Transaction {
  const type = Array.isArray(item) ? 0 : item[0]!;
  const fields = Array.isArray(item) ? item : (RLP.decode(item.subarray(1)) as Item);
  const hash = keccak256(Array.isArray(item) ? RLP.encode(item) : item);
  const wire = {
    ...wireOf(fields, TRANSACTIONS[type]!),
    type: `0x${type}`,
    hash: toHex(hash),
    from: `0x${"00".repeat(20)}`,
  };
  return decodeTransaction(wire, new WireReader());
}

function wiredWithdrawals(items: Item | undefined): Wire {
  return items === undefined ? {} : { withdrawals: (items as Item[]).map((item) => wireOf(item, WITHDRAWAL)) };
}

function recordedBlocks(): Item[][] {
  const blocks: Item[][] = [];
  for (let rest: Uint8Array = readFileSync(file); rest.length > 0; ) {
    const { data, remainder } = RLP.decode(rest, true);
    blocks.push(data as Item[]);
    rest = remainder;
  }
  return blocks;
}

if (existsSync(file)) {
  test("every recorded block is the parent of the next and commits to its content", () => {
    let parent: string | undefined;
    const types = new Set<number>();

    for (const [fields, items, , withdrawals] of recordedBlocks()) {
      const hash = toHex(keccak256(RLP.encode(fields!)));
      const header = decodeHeader(
        { ...wireOf(fields!, HEADER), hash, ...wiredWithdrawals(withdrawals) },
        new WireReader(),
      );
      const transactions = (items as Item[]).map(transactionOf);

      assert.equal(toHex(headerHash(header)), hash);
      if (parent !== undefined) assert.equal(toHex(header.parentHash), parent);
      for (const tx of transactions) assert.equal(toHex(transactionHash(tx)), toHex(tx.hash));
      assert.equal(toHex(transactionsRoot(transactions)), toHex(header.transactionsRoot));
      if (header.withdrawals !== undefined) {
        assert.equal(toHex(withdrawalsRoot(header.withdrawals)), toHex(header.withdrawalsRoot!));
      }
      for (const tx of transactions) types.add(tx.type);
      parent = hash;
    }

    assert.deepEqual([...types].sort(), [0, 1, 2, 3, 4]);
  });
}
