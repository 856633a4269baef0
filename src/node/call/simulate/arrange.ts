import type { Header } from "../../../chain/block/header.ts";
import { RpcError } from "../../../jsonrpc/rpcError.ts";
import { SIMULATION } from "./codes.ts";
import type { BlockStateCall } from "./simulation.ts";

export interface Arranged extends BlockStateCall {
  readonly number: number;
  readonly timestamp: number;
}

const MAX_BLOCKS = 256;

const BLOCK_SECONDS = 12;

/** Assigns number and time. Fills gaps with empty blocks. */
export function arrange(blocks: readonly BlockStateCall[], base: Pick<Header, "number" | "timestamp">): Arranged[] {
  if (blocks.length === 0) throw new RpcError(SIMULATION.invalidParams, "empty input");
  if (blocks.length > MAX_BLOCKS) throw new RpcError(SIMULATION.tooMuch, "too many blocks");
  const arranged: Arranged[] = [];
  let { number, timestamp } = base;
  for (const each of blocks) {
    const next = each.block.number === undefined ? number + 1 : Number(each.block.number);
    expectNumber(next, number, base.number);
    while (++number < next) {
      timestamp += BLOCK_SECONDS;
      arranged.push({ block: {}, state: [], calls: [], number, timestamp });
    }
    timestamp = nextTime(each, timestamp);
    arranged.push({ ...each, number, timestamp });
  }
  return arranged;
}

function expectNumber(next: number, last: number, base: number): void {
  if (next <= last) {
    throw new RpcError(SIMULATION.blockNumber, `block numbers must be in order: ${next} <= ${last}`);
  }
  if (next - base > MAX_BLOCKS) throw new RpcError(SIMULATION.tooMuch, "too many blocks");
}

function nextTime({ block }: BlockStateCall, last: number): number {
  if (block.timestamp === undefined) return last + BLOCK_SECONDS;
  if (Number(block.timestamp) > last) return Number(block.timestamp);
  throw new RpcError(SIMULATION.timestamp, `block timestamps must be in order: ${block.timestamp} <= ${last}`);
}
