import type { TypedTransaction } from "@ethereumjs/tx";
import { createTx } from "@ethereumjs/tx";
import type { Bytes } from "../../../chain/encoding/bytes.ts";
import { toHex } from "../../../chain/encoding/hex.ts";
import { RPC, RpcError } from "../../../jsonrpc/rpcError.ts";
import { nextFees } from "../../block/plan.ts";
import { decodeSigned } from "../../block/toTransaction.ts";
import type { CallRequest } from "../../call/callRequest.ts";
import { estimateGas } from "../../call/estimateGas.ts";
import type { DevelopmentContext } from "../../context.ts";
import type { SubmittedTransaction } from "../../pool/decodeRawTransaction.ts";
import type { ForkRules } from "../../rules.ts";
import { suggestTip } from "../fees/tips.ts";

const NO_OVERRIDES = { state: [], block: {} };

/** Completes a request with suggested values. */
export async function fillTransaction(context: DevelopmentContext, request: CallRequest): Promise<TypedTransaction> {
  const { from, to, data, value = 0n, chainId } = request;
  if (from === undefined) throw new RpcError(RPC.server, "unknown account");
  const own = BigInt(context.chain.rules.chainId);
  if (chainId !== undefined && chainId !== own) {
    throw new RpcError(RPC.server, `chainId does not match node's (have=${chainId}, want=${own})`);
  }
  if (request.blobVersionedHashes !== undefined) {
    throw new RpcError(RPC.invalidParams, "send a blob transaction signed and with its sidecar");
  }
  const rules = nextRules(context);
  const fees = feesOf(context, request, rules);
  const nonce = request.nonce ?? (await context.pool.nextNonce(from.bytes));
  const gasLimit = request.gas ?? (await estimateGas(context, { ...request, nonce }, { tag: "pending" }, NO_OVERRIDES));
  const lists = {
    ...(request.accessList && { accessList: request.accessList.map((entry) => [entry.address, entry.storageKeys]) }),
    ...(request.authorizationList && { authorizationList: request.authorizationList.map(toTuple) }),
  };
  const fields = { nonce, gasLimit, value, data, ...(to && { to }), ...fees, ...lists, type: typeOf(request) };
  return createTx({ ...fields, ...(fields.type > 0 && { chainId: own }) } as Parameters<typeof createTx>[0], {
    common: rules,
    freeze: false,
  });
}

/** Unsigned if the sender is impersonated. */
export function signAs(context: DevelopmentContext, tx: TypedTransaction, from: Bytes): SubmittedTransaction {
  const key = context.keyring.keyOf(from);
  if (key === undefined) return leaveUnsigned(context, tx, from);
  return decodeSigned(tx.sign(key).serialize(), nextRules(context));
}

export function leaveUnsigned(context: DevelopmentContext, tx: TypedTransaction, from: Bytes): SubmittedTransaction {
  const r = BigInt(toHex(from)) + 2n ** 160n;
  const isLegacy = tx.type === 0;
  return decodeSigned(tx.addSignature(0n, r, 1n, isLegacy).serialize(), nextRules(context), from);
}

function nextRules({ chain }: DevelopmentContext): ForkRules {
  const { number, timestamp } = chain.head.header;
  return chain.rules.at({ number: number + 1, timestamp });
}

function typeOf({ gasPrice, accessList, authorizationList }: CallRequest): number {
  if (authorizationList !== undefined) return 4;
  if (gasPrice === undefined) return 2;
  return accessList === undefined ? 0 : 1;
}

/** Twice the base fee covers six full blocks, as in wallets. */
function feesOf({ chain }: DevelopmentContext, request: CallRequest, rules: ForkRules) {
  if (request.gasPrice !== undefined) return { gasPrice: request.gasPrice };
  const { baseFeePerGas } = nextFees(chain.head.header, chain.rules, rules);
  const { maxFeePerGas: max } = request;
  const tip = request.maxPriorityFeePerGas ?? cappedAt(suggestTip(chain), max);
  return { maxPriorityFeePerGas: tip, maxFeePerGas: max ?? tip + 2n * baseFeePerGas };
}

function cappedAt(tip: bigint, max: bigint | undefined): bigint {
  return max !== undefined && max < tip ? max : tip;
}

function toTuple(entry: NonNullable<CallRequest["authorizationList"]>[number]): Bytes[] {
  return [entry.chainId, entry.address, entry.nonce, entry.yParity, entry.r, entry.s];
}
