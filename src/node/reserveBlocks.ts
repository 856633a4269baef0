import { unpadBytes } from "@ethereumjs/util";
import type { Bytes } from "../chain/encoding/bytes.ts";
import { uintFromNumber } from "../chain/encoding/uint.ts";
import { defined, itemAt } from "../std/values.ts";
import type { MinedBlock } from "./block/minedBlock.ts";
import { encodeStored } from "./block/stored.ts";
import { BEACON_ROOTS, BLOCK_HASHES } from "./block/systemCalls.ts";
import { currentCaller, hasLeft } from "./caller.ts";
import { timeAfter } from "./clock.ts";
import type { EmptyHeader, EmptyRun } from "./emptyBlocks.ts";
import { followingHeaders, MAX_RUN, mayPrecedeRun } from "./emptyBlocks.ts";
import { EmptyHashes } from "./emptyHashes.ts";
import type { Machine } from "./machine/machine.ts";
import type { Rules } from "./rules.ts";
import { Pace } from "./state/pace.ts";

/** Ring buffer size of EIP-2935 and EIP-4788. */
const KEPT = 8191;

interface Reservation {
  readonly runs: readonly EmptyRun[];
  /** Number of the last block. */
  readonly last: number;
  /** The newest ones, which system contracts remember. */
  readonly recent: readonly EmptyHeader[];
  readonly hashes: EmptyHashes;
}

/** Undefined if the next headers are not determined. Fewer if the caller disconnects. */
export async function reserveBlocks(
  head: MinedBlock,
  rules: Rules,
  count: number,
  seconds: number,
): Promise<Reservation | undefined> {
  const { number, timestamp } = head.header;
  const end = { number: number + count, timestamp: timeAfter(timestamp, seconds * count) };
  if (!mayPrecedeRun(head.header) || rules.at(head.header) !== rules.at(end)) return undefined;
  const { stateRoot } = head;
  let parent = encodeStored(head).header;
  const runs: EmptyRun[] = [];
  const recent: EmptyHeader[] = [];
  const hashes = new EmptyHashes();
  const pace = new Pace(Number.POSITIVE_INFINITY);
  let first = number + 1;
  for (const header of followingHeaders(parent, seconds, stateRoot)) {
    if (recent.push(header) >= 2 * KEPT) recent.splice(0, KEPT);
    hashes.add(header.hash, header.number);
    const isLast = header.number === end.number;
    if (!isLast && header.number - first + 1 < MAX_RUN) continue;
    runs.push({ first, last: header.number, parent, seconds, stateRoot });
    parent = header.rlp;
    first = header.number + 1;
    if (isLast || hasLeft(currentCaller())) break;
    await pace.check();
  }
  return { runs, last: defined(runs.at(-1)).last, recent: recent.slice(-KEPT), hashes };
}

/** Blocks recorded between trie writes. */
const BATCH_SIZE = 50;

/** Applies the system calls the blocks would have made: parent hashes, and times without beacon roots. */
export async function recordBlocks({ state, vm }: Machine, blocks: readonly EmptyHeader[]): Promise<void> {
  const pace = new Pace(Number.POSITIVE_INFINITY);
  const [keepsHashes, keepsRoots] = [
    vm.common.isActivatedEIP(2935) && (await state.getCode(BLOCK_HASHES)).length > 0,
    vm.common.isActivatedEIP(4788) && (await state.getCode(BEACON_ROOTS)).length > 0,
  ];
  for (let at = 0; at < blocks.length; at++) {
    const { number, parentHash, timestamp } = itemAt(blocks, at);
    if (keepsHashes) await state.putStorage(BLOCK_HASHES, slot((number - 1) % KEPT), unpadBytes(parentHash));
    if (keepsRoots) {
      await state.putStorage(BEACON_ROOTS, slot(timestamp % KEPT), uintFromNumber(timestamp));
      await state.putStorage(BEACON_ROOTS, slot((timestamp % KEPT) + KEPT), NONE);
    }
    if (at % BATCH_SIZE === 0) await state.getStateRoot();
    await pace.check();
  }
}

const NONE = new Uint8Array(0);

function slot(number: number): Bytes {
  const key = new Uint8Array(32);
  new DataView(key.buffer).setUint32(28, number);
  return key;
}
