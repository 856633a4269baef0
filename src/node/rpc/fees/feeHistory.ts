import type { Hex } from "../../../chain/encoding/hex.ts";
import { quantity } from "../../../chain/encoding/hex.ts";
import { uintToNumber } from "../../../chain/encoding/uint.ts";
import type { Wire } from "../../../chain/encoding/wire.ts";
import { RPC, RpcError } from "../../../jsonrpc/rpcError.ts";
import { itemAt } from "../../../std/values.ts";
import type { MinedBlock } from "../../block/minedBlock.ts";
import { numberOf } from "../../blockIds.ts";
import type { Chain } from "../../chain.ts";
import type { Context } from "../../context.ts";
import type { BlockNumberId } from "../../params/blockParams.ts";
import { blockNumberParam } from "../../params/blockParams.ts";
import { cannotUnmarshal, expectAtMost, invalidArgument, isAbsent, readArray, required } from "../../params/params.ts";
import { retryOnReorg } from "../../retryOnReorg.ts";
import { Pace } from "../../state/pace.ts";
import type { BaseFees } from "./blockFees.ts";
import { feesAfter, feesOf } from "./blockFees.ts";
import { ascending, tipsOf } from "./tips.ts";

/** Larger counts are clamped. */
export const MAX_BLOCKS = 1024;
const MAX_PERCENTILES = 100;
/** Milliseconds. */
const TIME = 10_000;

/** `eth_feeHistory` with geth's checks and messages. */
export async function feeHistory({ chain }: Context, params: readonly unknown[]): Promise<Wire> {
  expectAtMost(params, 3);
  const asked = Math.min(readCount(required(params, 0)), MAX_BLOCKS);
  const id = blockNumberParam(params, 1);
  const percentiles = readPercentiles(params);
  if (asked < 1) return { oldestBlock: "0x0", gasUsedRatio: null };
  const pace = new Pace(TIME);
  return await retryOnReorg(chain, () => {
    const to = expectNewest(chain, id);
    return { to, work: () => present(chain, Math.max(0, to + 1 - asked), to, percentiles, pace) };
  });
}

function expectNewest(chain: Chain, id: BlockNumberId): number {
  const newest = "number" in id ? id.number : numberOf(chain, id.tag);
  const head = chain.head.header.number;
  if (newest > head) {
    throw new RpcError(RPC.server, `request beyond head block: requested ${newest}, head ${head}`);
  }
  return newest;
}

async function present(
  chain: Chain,
  oldest: number,
  newest: number,
  percentiles: readonly number[] | undefined,
  pace: Pace,
): Promise<Wire> {
  const reward: Hex[][] = [];
  const fees: BaseFees[] = [];
  const gasUsedRatio: number[] = [];
  const blobGasUsedRatio: number[] = [];
  for (let number = oldest; number <= newest; number++) {
    const block = chain.block(number);
    if (block === undefined) break;
    fees.push(feesOf(block.header, chain.rules));
    gasUsedRatio.push(block.header.gasUsed / uintToNumber(block.header.gasLimit));
    blobGasUsedRatio.push(blobRatio(block, chain));
    if (percentiles !== undefined) reward.push(rewards(block, percentiles));
    if (number === newest) fees.push(feesAfter(block.header, chain.rules));
    await pace.check();
  }
  return {
    oldestBlock: quantity(oldest),
    ...(percentiles !== undefined && { reward }),
    baseFeePerGas: fees.map(({ gas }) => quantity(gas)),
    gasUsedRatio,
    baseFeePerBlobGas: fees.map(({ blobGas }) => quantity(blobGas)),
    blobGasUsedRatio,
  };
}

function blobRatio({ header }: MinedBlock, chain: Chain): number {
  if (header.blobGasUsed === undefined) return 0;
  return header.blobGasUsed / Number(chain.rules.at(header).getBlobGasSchedule().maxBlobGasPerBlock);
}

/** Tips at percentiles of gas used. */
function rewards(block: MinedBlock, percentiles: readonly number[]): Hex[] {
  const tips = tipsOf(block);
  const sorted = tips.map((tip, index) => ({ tip, gasUsed: itemAt(block.receipts, index).gasUsed }));
  sorted.sort((a, b) => ascending(a.tip, b.tip));
  let at = 0;
  let sum = sorted[0]?.gasUsed ?? 0;
  return percentiles.map((percentile) => {
    const threshold = Math.floor((block.header.gasUsed * percentile) / 100);
    while (sum < threshold && at < sorted.length - 1) sum += itemAt(sorted, ++at).gasUsed;
    return quantity(sorted[at]?.tip ?? 0n);
  });
}

/** A number, or hex or decimal text. */
function readCount(value: unknown): number {
  const text = typeof value === "number" ? String(value) : value;
  if (typeof text !== "string" || !/^(0[xX][0-9a-fA-F]+|\d+)$/.test(text)) {
    throw invalidArgument(0, `invalid hex or decimal integer ${JSON.stringify(value)}`);
  }
  return Number(text);
}

function readPercentiles(params: readonly unknown[]): number[] | undefined {
  if (isAbsent(params, 2)) return undefined;
  const list = readArray(params[2], { argument: 2 }, "[]float64");
  const percentiles = list.map((value) => {
    if (typeof value !== "number") throw cannotUnmarshal({ argument: 2 }, typeof value, "float64");
    return value;
  });
  if (percentiles.length > MAX_PERCENTILES) throw badPercentile(`over the query limit ${MAX_PERCENTILES}`);
  for (const [index, value] of percentiles.entries()) {
    if (value < 0 || value > 100) throw badPercentile(value.toFixed(6));
    const before = percentiles[index - 1];
    if (before !== undefined && value <= before) {
      throw badPercentile(`#${index - 1}:${before.toFixed(6)} >= #${index}:${value.toFixed(6)}`);
    }
  }
  return percentiles.length === 0 ? undefined : percentiles;
}

function badPercentile(reason: string): RpcError {
  return new RpcError(RPC.server, `invalid reward percentile: ${reason}`);
}
