import type { Withdrawal } from "../../../chain/block/header.ts";
import { uintFromBigInt, uintToBigInt } from "../../../chain/encoding/uint.ts";
import type { Wire } from "../../../chain/encoding/wire.ts";
import { RPC, RpcError } from "../../../jsonrpc/rpcError.ts";
import type { Candidates } from "../../block/assemble.ts";
import { assemble } from "../../block/assemble.ts";
import { blobGasPrice } from "../../block/blobGasPrice.ts";
import type { MinedBlock } from "../../block/minedBlock.ts";
import type { BlockPlan } from "../../block/plan.ts";
import { planBlock } from "../../block/plan.ts";
import type { DevelopmentContext } from "../../context.ts";
import {
  expectAtMost,
  hashParam,
  invalidParams,
  isAbsent,
  objectParam,
  readAddress,
  readArray,
  readData,
  readHash,
  readObject,
  readQuantity,
} from "../../params/params.ts";
import type { SubmittedTransaction } from "../../pool/decodeRawTransaction.ts";
import { decodeRawTransaction } from "../../pool/decodeRawTransaction.ts";
import type { DevelopmentMethods } from "../methods.ts";
import { presentPayload } from "./presentPayload.ts";

/** Builds a block without storing it, for execution interface tests. */
export const buildMethods: DevelopmentMethods = { testing_buildBlockV1: buildBlock };

type Params = readonly unknown[];

async function buildBlock(context: DevelopmentContext, params: Params): Promise<Wire> {
  expectAtMost(params, 4);
  const { chain, pool } = context;
  const parent = chain.blockOf(hashParam(params, 0));
  if (parent === undefined) throw new RpcError(RPC.server, "unknown parent block");
  const plan = planFor(context, parent, params);
  const sent = isAbsent(params, 2) ? undefined : readTransactions(params[2], plan);
  const blobPrice = blobGasPrice(plan.excessBlobGas, plan.rules);
  const candidates = sent === undefined ? pool.select(plan.baseFeePerGas, blobPrice, () => {}) : new InOrder(sent);
  const block = await assemble(await chain.machineAfter(parent, { rules: plan.rules }), plan, candidates);
  const sidecars = block.transactions.map(
    ({ hash }, index) => (sent === undefined ? pool.get(hash) : sent[index])?.sidecar,
  );
  return presentPayload(
    block,
    sidecars.filter((sidecar) => sidecar !== undefined),
  );
}

/** geth's default target, approached step by step. */
const GAS_LIMIT = 60_000_000n;

function planFor({ chain }: DevelopmentContext, { header }: MinedBlock, params: Params): BlockPlan {
  const attributes = objectParam(params, 1, "engine.PayloadAttributes");
  const at = (field: string) => ({ argument: 1, field: `PayloadAttributes.${field}` });
  const timestamp = Number(readQuantity(attributes.timestamp, at("timestamp")));
  if (timestamp <= header.timestamp) throw invalidParams("invalid timestamp");
  const { parentBeaconBlockRoot, withdrawals } = attributes;
  return planBlock(header, chain.rules, {
    timestamp,
    mixHash: readHash(attributes.prevRandao, at("prevRandao")),
    miner: readAddress(attributes.suggestedFeeRecipient, at("suggestedFeeRecipient")),
    gasLimit: nextGasLimit(uintToBigInt(header.gasLimit)),
    withdrawals: readArray(withdrawals ?? [], at("withdrawals"), "[]*types.Withdrawal").map(readWithdrawal),
    ...(typeof parentBeaconBlockRoot === "string" && {
      parentBeaconBlockRoot: readHash(parentBeaconBlockRoot, at("parentBeaconBlockRoot")),
    }),
    ...(!isAbsent(params, 3) && { extraData: readData(params[3], { argument: 3 }) }),
  });
}

/** Changes by less than 1/1024. */
function nextGasLimit(parent: bigint): bigint {
  const step = parent / 1024n - 1n;
  if (parent < GAS_LIMIT) return parent + step < GAS_LIMIT ? parent + step : GAS_LIMIT;
  return parent - step > GAS_LIMIT ? parent - step : GAS_LIMIT;
}

function readWithdrawal(value: unknown): Withdrawal {
  const wire = readObject(value, { argument: 1 }, "types.Withdrawal");
  const read = (key: string) => readQuantity(wire[key], { argument: 1, field: `Withdrawal.${key}` });
  return {
    index: Number(read("index")),
    validatorIndex: Number(read("validatorIndex")),
    address: readAddress(wire.address, { argument: 1, field: "Withdrawal.address" }),
    amount: uintFromBigInt(read("amount")),
  };
}

function readTransactions(value: unknown, { rules }: BlockPlan): SubmittedTransaction[] {
  const list = readArray(value, { argument: 2 }, "[]hexutil.Bytes");
  return list.map((raw) => decodeRawTransaction(readData(raw, { argument: 2 }), rules, true));
}

/** All transactions in order; one that cannot run is an error. */
class InOrder implements Candidates {
  readonly #rest: SubmittedTransaction[];

  constructor(transactions: readonly SubmittedTransaction[]) {
    this.#rest = [...transactions];
  }

  next(): SubmittedTransaction | undefined {
    return this.#rest.shift();
  }

  refused(_tx: SubmittedTransaction, reason: Error): void {
    throw new RpcError(RPC.server, reason.message);
  }
}
