import { Address, createAccount, setLengthLeft, unpadBytes } from "@ethereumjs/util";
import type { Header } from "../chain/block/header.ts";
import { headerHash } from "../chain/block/header.ts";
import type { Bytes } from "../chain/encoding/bytes.ts";
import { EMPTY } from "../chain/encoding/bytes.ts";
import { fromHex } from "../chain/encoding/hex.ts";
import { uintFromBigInt } from "../chain/encoding/uint.ts";
import type { Draft } from "../chain/encoding/wire.ts";
import { keccak256 } from "../chain/hashing/keccak.ts";
import { EMPTY_ROOT } from "../chain/hashing/trie.ts";
import { encodeBlock } from "./block/assemble.ts";
import type { MinedBlock } from "./block/minedBlock.ts";
import type { Genesis, GenesisAccount } from "./genesis.ts";
import type { Machine } from "./machine/machine.ts";
import { predeploy } from "./predeploys/predeploys.ts";
import type { ForkRules } from "./rules.ts";

export async function genesisBlock(genesis: Genesis, machine: Machine, rules: ForkRules): Promise<MinedBlock> {
  for (const [address, account] of Object.entries(genesis.alloc)) {
    await allocate(machine, new Address(bytes(address)), account);
  }
  for (const name of genesis.predeploys ?? []) await predeploy(machine, rules, name);
  const stateRoot = await machine.state.getStateRoot();
  const header = genesisHeader(genesis, stateRoot, rules);
  return { header, transactions: [], receipts: [], raw: [], uncles: [], stateRoot };
}

export async function allocate({ state }: Machine, address: Address, account: GenesisAccount): Promise<void> {
  const { balance = "0x0", nonce = "0x0", code, storage = {} } = account;
  await state.putAccount(address, createAccount({ balance: BigInt(balance), nonce: BigInt(nonce) }));
  if (code !== undefined && code !== "0x") await state.putCode(address, bytes(code));
  for (const [slot, value] of Object.entries(storage)) {
    await state.putStorage(address, setLengthLeft(bytes(slot), 32), unpadBytes(bytes(value)));
  }
}

const ZERO_HASH = new Uint8Array(32);
const NO_UNCLES = keccak256(new Uint8Array([0xc0]));
const NO_REQUESTS = fromHex("0xe3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");

function genesisHeader(genesis: Genesis, stateRoot: Bytes, rules: ForkRules): Header {
  const draft: Draft<Header> = {
    number: 0,
    hash: EMPTY,
    parentHash: ZERO_HASH,
    sha3Uncles: NO_UNCLES,
    miner: bytes(genesis.coinbase),
    stateRoot,
    transactionsRoot: EMPTY_ROOT,
    receiptsRoot: EMPTY_ROOT,
    logsBloom: new Uint8Array(256),
    difficulty: uint(genesis.difficulty),
    gasLimit: uint(genesis.gasLimit),
    gasUsed: 0,
    timestamp: Number(genesis.timestamp),
    extraData: bytes(genesis.extraData),
    mixHash: bytes(genesis.mixHash),
    nonce: setLengthLeft(uint(genesis.nonce), 8),
    size: 0,
    uncles: [],
  };
  addForkFields(draft, genesis, rules);
  draft.hash = headerHash(draft);
  draft.size = encodeBlock(draft, [], []).length;
  return draft;
}

function addForkFields(draft: Draft<Header>, genesis: Genesis, rules: ForkRules): void {
  if (rules.isActivatedEIP(1559)) draft.baseFeePerGas = uint(genesis.baseFeePerGas ?? "0x3b9aca00");
  if (rules.isActivatedEIP(4895)) {
    draft.withdrawals = [];
    draft.withdrawalsRoot = EMPTY_ROOT;
  }
  if (rules.isActivatedEIP(4844)) {
    draft.blobGasUsed = Number(genesis.blobGasUsed ?? 0);
    draft.excessBlobGas = uint(genesis.excessBlobGas ?? "0x0");
    draft.parentBeaconBlockRoot = ZERO_HASH;
  }
  if (rules.isActivatedEIP(7685)) draft.requestsHash = NO_REQUESTS;
}

/** geth accepts hex with or without 0x. */
function bytes(text: string): Bytes {
  return fromHex(text.startsWith("0x") ? text : `0x${text}`);
}

function uint(text: string): Bytes {
  return uintFromBigInt(BigInt(text));
}
