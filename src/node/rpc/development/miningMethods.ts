import { quantity } from "../../../chain/encoding/hex.ts";
import type { Wire } from "../../../chain/encoding/wire.ts";
import { RPC, RpcError } from "../../../jsonrpc/rpcError.ts";
import type { DevelopmentContext } from "../../context.ts";
import { addressParam, expectAtMost, hashParam, readFlag, readQuantity, required } from "../../params/params.ts";
import { presentBlock } from "../../present.ts";
import type { DevelopmentMethods } from "../methods.ts";
import { intervalParam, numberParam, secondsParam } from "./numbers.ts";

/** More would take minutes. */
const MAX_BLOCKS = 10_000_000;
/** Blocks in a detailed response. */
const MAX_DETAILED = 100_000;

type Params = readonly unknown[];

async function mine({ miner, chain }: DevelopmentContext, params: Params): Promise<null> {
  expectAtMost(params, 2);
  const count = numberParam(params, 0, 1);
  expectFewer(count, MAX_BLOCKS);
  const seconds = numberParam(params, 1, 1);
  // At one second per block there is no limit.
  if (seconds > 1) secondsParam([seconds * (count - 1)], 0, chain.head.header.timestamp);
  await miner.mine(count, seconds);
  return null;
}

/** Takes a timestamp, or an options object. */
async function evmMine(context: DevelopmentContext, params: Params): Promise<string> {
  await mineAsAsked(context, params);
  return "0x0";
}

/** Like `evm_mine`, returning the blocks. */
async function mineDetailed(context: DevelopmentContext, params: Params): Promise<Wire[]> {
  const { chain } = context;
  const first = chain.head.header.number + 1;
  const count = await mineAsAsked(context, params);
  const blocks = Array.from({ length: count }, (_, index) => chain.block(first + index));
  return blocks.filter((block) => block !== undefined).map((block) => presentBlock(block, true));
}

async function mineAsAsked({ miner }: DevelopmentContext, params: Params): Promise<number> {
  expectAtMost(params, 1);
  const [given] = params;
  const options = (typeof given === "object" && given !== null ? given : { timestamp: given }) as Record<
    string,
    unknown
  >;
  const { timestamp, blocks = 1 } = options;
  if (timestamp !== undefined && timestamp !== null) miner.setNextTimestamp(secondsParam([timestamp], 0));
  const count = numberParam([blocks], 0);
  expectFewer(count, MAX_DETAILED);
  await miner.mine(count);
  return count;
}

function expectFewer(count: number, limit: number): void {
  if (count > limit) throw new RpcError(RPC.invalidParams, `cannot mine more than ${limit} blocks at once`);
}

async function setAutomine({ miner }: DevelopmentContext, params: Params): Promise<true> {
  expectAtMost(params, 1);
  await miner.setAutomine(readFlag(required(params, 0), { argument: 0 }));
  return true;
}

/** Hardhat passes milliseconds and Anvil seconds under the same name. */
function setIntervalMining({ miner }: DevelopmentContext, params: Params): true {
  expectAtMost(params, 1);
  miner.setInterval(intervalParam(params, 0, (given) => (given < 100 ? 1000 : 1)));
  return true;
}

function setIntervalMiningInSeconds({ miner }: DevelopmentContext, params: Params): true {
  expectAtMost(params, 1);
  miner.setInterval(intervalParam(params, 0, () => 1000));
  return true;
}

function setCoinbase({ miner }: DevelopmentContext, params: Params): true {
  expectAtMost(params, 1);
  miner.setCoinbase(addressParam(params, 0));
  return true;
}

function setNextBlockBaseFee({ miner }: DevelopmentContext, params: Params): true {
  expectAtMost(params, 1);
  miner.setNextBlock({ baseFeePerGas: readQuantity(required(params, 0), { argument: 0 }, "*hexutil.Big") });
  return true;
}

function setPrevRandao({ miner }: DevelopmentContext, params: Params): true {
  expectAtMost(params, 1);
  miner.setNextBlock({ mixHash: hashParam(params, 0) });
  return true;
}

function setBlockGasLimit({ miner }: DevelopmentContext, params: Params): true {
  expectAtMost(params, 1);
  miner.setNextBlock({ gasLimit: BigInt(numberParam(params, 0)) });
  return true;
}

function snapshot({ snapshots }: DevelopmentContext, params: Params): string {
  expectAtMost(params, 0);
  return quantity(snapshots.take());
}

function revert({ snapshots }: DevelopmentContext, params: Params): Promise<boolean> {
  expectAtMost(params, 1);
  return snapshots.revert(numberParam(params, 0));
}

/** Clients pass `null` as the fork to mean none. */
async function reset({ snapshots, miner }: DevelopmentContext, params: Params): Promise<true> {
  expectAtMost(params, 1);
  const [options] = params as readonly ({ forking?: Record<string, unknown> | null } | null | undefined)[];
  const { jsonRpcUrl, blockNumber } = options?.forking ?? {};
  if ((jsonRpcUrl ?? blockNumber ?? undefined) !== undefined) {
    throw new RpcError(RPC.invalidParams, "this chain does not fork another");
  }
  await snapshots.reset();
  miner.reset();
  return true;
}

export const miningMethods: DevelopmentMethods = {
  evm_mine: evmMine,
  evm_mine_detailed: mineDetailed,
  anvil_mine_detailed: mineDetailed,
  hardhat_mine: mine,
  anvil_mine: mine,
  evm_snapshot: snapshot,
  anvil_snapshot: snapshot,
  evm_revert: revert,
  anvil_revert: revert,
  evm_setAutomine: setAutomine,
  hardhat_getAutomine: ({ miner }) => miner.isAutomine,
  anvil_getAutomine: ({ miner }) => miner.isAutomine,
  evm_setIntervalMining: setIntervalMining,
  anvil_setIntervalMining: setIntervalMiningInSeconds,
  anvil_getIntervalMining: ({ miner }) => (miner.interval === 0 ? null : miner.interval / 1000),
  evm_setBlockGasLimit: setBlockGasLimit,
  anvil_setBlockGasLimit: setBlockGasLimit,
  hardhat_setCoinbase: setCoinbase,
  anvil_setCoinbase: setCoinbase,
  hardhat_setNextBlockBaseFeePerGas: setNextBlockBaseFee,
  anvil_setNextBlockBaseFeePerGas: setNextBlockBaseFee,
  hardhat_setPrevRandao: setPrevRandao,
  hardhat_reset: reset,
  anvil_reset: reset,
};
