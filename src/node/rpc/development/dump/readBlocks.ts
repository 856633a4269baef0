import { RLP } from "@ethereumjs/rlp";
import type { Header } from "../../../../chain/block/header.ts";
import { decodeHeader, headerHash, writeHeader } from "../../../../chain/block/header.ts";
import { decodeReceipt } from "../../../../chain/block/receipt.ts";
import { decodeTransaction, writeTransaction } from "../../../../chain/block/transaction.ts";
import type { Bytes } from "../../../../chain/encoding/bytes.ts";
import { toHex } from "../../../../chain/encoding/hex.ts";
import { RlpWriter } from "../../../../chain/encoding/rlp.ts";
import type { Wire } from "../../../../chain/encoding/wire.ts";
import { readArray, readNumber, readObject, WireReader } from "../../../../chain/encoding/wire.ts";
import { ChainError } from "../../../../chain/error.ts";
import { checkBlock } from "../../../../chain/integrity/integrity.ts";
import type { MinedBlock } from "../../../block/minedBlock.ts";
import { decodeStored, encodeReceipt } from "../../../block/stored.ts";
import { decodeKept } from "../../../block/toTransaction.ts";
import { UNKNOWN_STATE } from "../../../loadBlocks.ts";
import { invalidParams } from "../../../params/params.ts";
import type { ForkRules, Rules } from "../../../rules.ts";
import type { Pace } from "../../../state/pace.ts";

/**
 * The canonical blocks of a dump from genesis to its head, with hashes and roots checked. Empty if the dump has no
 * genesis block, like that of an anvil that forks another chain.
 */
export async function readBlocks(state: Wire, rules: Rules, pace: Pace): Promise<readonly MinedBlock[]> {
  const canonical = await findCanonical(state, pace);
  const executed = executedIn(state.transactions);
  const blocks: MinedBlock[] = [];
  for (const { header, wire } of canonical) {
    const own = rules.at(header);
    blocks.push(inBlock(header, () => readBlock(header, wire, executed.get(toHex(header.hash)) ?? [], own)));
    await pace.check();
  }
  return blocks;
}

interface DumpedBlock {
  readonly header: Header;
  readonly wire: Wire;
}

/** Follows parent hashes from the head to genesis: a dump may also have blocks of other branches. */
async function findCanonical({ blocks, block, best_block_number: best }: Wire, pace: Pace): Promise<DumpedBlock[]> {
  const known = new Map<string, DumpedBlock>();
  let next: DumpedBlock | undefined;
  const environment = block === null || block === undefined ? {} : readObject(block, "block");
  const head = best ?? environment.number;
  if (head === null || head === undefined) return [];
  for (const wire of readArray(blocks ?? [], "blocks")) {
    const read = readHeader(readObject(wire, "blocks"));
    known.set(toHex(read.header.hash), read);
    if (read.header.number === readNumber(head, "best_block_number")) next = read;
    await pace.check();
  }
  if (!known.values().some(({ header }) => header.number === 0)) return [];
  const canonical: DumpedBlock[] = [];
  for (; next !== undefined; next = known.get(toHex(next.header.parentHash))) canonical.push(next);
  const last = canonical.at(-1)?.header.number;
  if (last === undefined) throw new ChainError("invalid_argument", `there is no block ${String(head)}`);
  if (last !== 0) throw new ChainError("invalid_argument", `the parent of block ${last} is not among the blocks`);
  canonical.reverse();
  const gap = canonical.findIndex(({ header }, at) => header.number !== at);
  if (gap >= 0) throw new ChainError("invalid_argument", `there is no block ${gap}`);
  return canonical;
}

const NO_HASH = `0x${"00".repeat(32)}`;

/** Anvil omits the hash and an empty list of withdrawals. */
function readHeader(wire: Wire): DumpedBlock {
  const fields = readObject(wire.header, "header");
  const withdrawals = wire.withdrawals ?? (fields.withdrawalsRoot ? [] : undefined);
  const header = decodeHeader({ ...fields, hash: NO_HASH, size: 0, uncles: [], withdrawals }, new WireReader());
  return { header: { ...header, hash: headerHash(header) }, wire };
}

/** Executed transactions by block hash, in block order. */
function executedIn(list: unknown): Map<string, Wire[]> {
  const executed = new Map<string, Wire[]>();
  for (const entry of readArray(list ?? [], "transactions")) {
    const wire = readObject(entry, "transaction");
    const hash = String(wire.block_hash).toLowerCase();
    const index = readNumber(readObject(wire.info, "info").transaction_index, "transaction_index");
    const ofBlock = executed.get(hash) ?? [];
    ofBlock[index] = wire;
    executed.set(hash, ofBlock);
  }
  return executed;
}

const scratch = new RlpWriter();

function written(write: (writer: RlpWriter) => void): Bytes {
  scratch.reset();
  write(scratch);
  return scratch.written.slice();
}

function readBlock(header: Header, wire: Wire, executed: readonly Wire[], rules: ForkRules): MinedBlock {
  expectFork(header, rules);
  const signed = readArray(wire.transactions, "transactions").map((entry) =>
    readSigned(readObject(entry, "transaction"), rules),
  );
  const receipts = signed.map((_, index) => readObject(executed[index], `the receipt of transaction ${index}`));
  const body = RLP.encode([
    signed.map(({ raw }) => raw),
    signed.map(({ from }) => from),
    receipts.map(readReceipt),
    receipts.map(({ info }) => readNumber(readObject(info, "info").gas_used, "gas_used")),
    [],
    header.withdrawals?.map((entry) => [entry.index, entry.validatorIndex, entry.address, entry.amount]) ?? "none",
  ]);
  const rlp = written((writer) => writeHeader(header, writer));
  const block = decodeStored({ header: rlp, body, stateRoot: UNKNOWN_STATE }, rules);
  const [failed] = checkBlock(block).failed;
  if (failed !== undefined) throw new ChainError("invalid_argument", `${failed.check}: ${failed.message}`);
  return block;
}

/** The header must have exactly the fields of this node's hardfork. */
function expectFork(header: Header, rules: ForkRules): void {
  const fields = [
    [1559, header.baseFeePerGas],
    [4895, header.withdrawalsRoot],
    [4844, header.excessBlobGas],
    [4788, header.parentBeaconBlockRoot],
    [7685, header.requestsHash],
  ] as const;
  for (const [eip, field] of fields) {
    if (rules.isActivatedEIP(eip) === (field !== undefined)) continue;
    const reason = `it is of another fork than ${rules.hardfork()} by EIP-${eip}; start with the --hardfork that it was made with`;
    throw new ChainError("invalid_argument", reason);
  }
}

const NOBODY = `0x${"00".repeat(20)}`;

function readSigned(entry: Wire, rules: ForkRules): { readonly raw: Bytes; readonly from: Bytes } {
  const wire = { ...readObject(entry.transaction, "transaction"), hash: NO_HASH, from: NOBODY };
  const reader = new WireReader();
  const raw = written((writer) => writeTransaction(decodeTransaction(wire, reader), writer));
  const sender = entry.impersonated_sender;
  if (sender !== null && sender !== undefined) return { raw, from: reader.address(sender, "impersonated_sender") };
  return { raw, from: decodeKept(raw, rules).getSenderAddress().bytes };
}

function readReceipt({ receipt }: Wire): Bytes {
  const wire = readObject(receipt, "receipt");
  const place = { transactionHash: NO_HASH, blockHash: NO_HASH };
  const logs = readArray(wire.logs, "logs").map((log) => ({ ...readObject(log, "log"), ...place, logIndex: 0 }));
  const at = { blockHash: NO_HASH, blockNumber: 0, timestamp: 0, index: 0, mismatches: [] };
  const fields = { ...wire, ...place, from: NOBODY, gasUsed: 0, logs };
  return encodeReceipt(decodeReceipt(fields, new WireReader(), NO_HASH, at));
}

function inBlock<T>({ number }: Header, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw invalidParams(`invalid state: block ${number}: ${error instanceof Error ? error.message : String(error)}`);
  }
}
