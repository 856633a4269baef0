import { Address } from "@ethereumjs/util";
import type { Bytes } from "../../../chain/encoding/bytes.ts";
import { EMPTY } from "../../../chain/encoding/bytes.ts";
import type { Hex } from "../../../chain/encoding/hex.ts";
import { fromHex, toHex } from "../../../chain/encoding/hex.ts";
import type { Wire } from "../../../chain/encoding/wire.ts";
import { keccak256 } from "../../../chain/hashing/keccak.ts";
import { RpcError } from "../../../jsonrpc/rpcError.ts";
import { withTimeout } from "../../../std/async.ts";
import { toTransaction } from "../../block/toTransaction.ts";
import type { CallRequest } from "../../call/callRequest.ts";
import { readCallRequest } from "../../call/callRequest.ts";
import type { DevelopmentContext } from "../../context.ts";
import { addressParam, dataParam, expectAtMost, isAbsent, quantityParam, required } from "../../params/params.ts";
import type { SubmittedTransaction } from "../../pool/decodeRawTransaction.ts";
import { presentPendingTransaction, presentReceipt } from "../../present.ts";
import type { DevelopmentMethods } from "../methods.ts";
import { throwIfFailed } from "./failedTransaction.ts";
import { fillTransaction, leaveUnsigned, signAs } from "./fillTransaction.ts";

type Params = readonly unknown[];

async function sendRawTransaction(context: DevelopmentContext, params: Params): Promise<Hex> {
  expectAtMost(params, 1);
  const hash = await context.pool.addRaw(dataParam(params, 0));
  await context.miner.onTransaction(hash);
  await throwIfFailed(context, hash);
  return toHex(hash);
}

/** Milliseconds. */
const SYNC_TIMEOUT = 20_000;
const MAX_SYNC_TIMEOUT = 60_000;
/** EIP-7966: still pending after the timeout. */
const TIMED_OUT = 4;

/** Waits for the receipt. */
async function sendRawTransactionSync(context: DevelopmentContext, params: Params): Promise<Wire> {
  expectAtMost(params, 2);
  const timeout = timeoutParam(params);
  const bytes = dataParam(params, 0);
  const hash = await context.pool.addRaw(bytes);
  await context.miner.onTransaction(hash);
  return await receiptWithin(context, hash, timeout);
}

async function sendTransactionSync(context: DevelopmentContext, params: Params): Promise<Wire> {
  expectAtMost(params, 2);
  const timeout = timeoutParam(params);
  const hash = await sendTransaction(context, params.slice(0, 1));
  return await receiptWithin(context, fromHex(hash), timeout);
}

function timeoutParam(params: Params): number {
  const asked = isAbsent(params, 1) ? SYNC_TIMEOUT : Number(quantityParam(params, 1, "hexutil.Uint64"));
  return Math.min(asked, MAX_SYNC_TIMEOUT);
}

async function receiptWithin({ chain }: DevelopmentContext, hash: Bytes, milliseconds: number): Promise<Wire> {
  const find = () => chain.transaction(hash);
  if (find() === undefined) {
    const { promise, resolve } = Promise.withResolvers<void>();
    const unwatch = chain.watch(() => {
      if (find() !== undefined) resolve();
    });
    await withTimeout(promise, milliseconds, () => undefined);
    unwatch();
  }
  const place = find();
  if (place !== undefined) return presentReceipt(place.block, place.position);
  const message = "The transaction was added to the transaction pool but wasn't processed in time.";
  throw new RpcError(TIMED_OUT, message, toHex(hash));
}

async function sendTransaction(context: DevelopmentContext, params: Params): Promise<Hex> {
  expectAtMost(params, 1);
  return await sendFor(context, params, async (request) => await signedRequest(context, request));
}

/** As if the sender were impersonated. */
async function sendUnsignedTransaction(context: DevelopmentContext, params: Params): Promise<Hex> {
  expectAtMost(params, 1);
  return await sendFor(context, params, async (request) => {
    const filled = await fillTransaction(context, request);
    return leaveUnsigned(context, filled, request.from!.bytes);
  });
}

/** Shared lock of all estimates: an estimate must see what was sent before. No account has this key. */
const ESTIMATING = new Uint8Array(1);

/** Concurrent sends of an account get consecutive nonces. */
async function sendFor(
  context: DevelopmentContext,
  params: Params,
  complete: (request: CallRequest) => Promise<SubmittedTransaction>,
): Promise<Hex> {
  const { pool, miner } = context;
  const request = readCallRequest(required(params, 0), 0);
  const add = async () => {
    const tx = await complete(request);
    await pool.add(tx);
    return tx.transaction.hash;
  };
  const hash = await pool.withSenderLock(request.from?.bytes ?? EMPTY, () =>
    request.gas === undefined ? pool.withSenderLock(ESTIMATING, add) : add(),
  );
  await miner.onTransaction(hash);
  await throwIfFailed(context, hash);
  return toHex(hash);
}

/** Completes a request for signing; the sender is optional. */
async function fill(context: DevelopmentContext, params: Params): Promise<Wire> {
  expectAtMost(params, 1);
  const request = readCallRequest(required(params, 0), 0);
  const { from = new Address(new Uint8Array(20)) } = request;
  const filled = await fillTransaction(context, { ...request, from });
  const raw = filled.serialize();
  const tx = presentPendingTransaction(toTransaction(filled, keccak256(raw), from.bytes));
  return { raw: toHex(raw), tx: filled.type < 2 ? tx : { ...tx, gasPrice: null } };
}

async function signTransaction(context: DevelopmentContext, params: Params): Promise<Wire> {
  expectAtMost(params, 1);
  const tx = await signedRequest(context, readCallRequest(required(params, 0), 0));
  return { raw: toHex(tx.raw), tx: presentPendingTransaction(tx.transaction) };
}

async function signedRequest(context: DevelopmentContext, request: CallRequest): Promise<SubmittedTransaction> {
  if (request.from !== undefined) context.keyring.keyOf(request.from.bytes);
  const filled = await fillTransaction(context, request);
  return signAs(context, filled, request.from!.bytes);
}

function signTypedData({ keyring }: DevelopmentContext, params: Params): Hex {
  expectAtMost(params, 2);
  return keyring.signTypedData(addressParam(params, 0), required(params, 1));
}

function accounts({ keyring }: DevelopmentContext): Hex[] {
  return keyring.accounts.map(({ address }) => address);
}

export const sendMethods: DevelopmentMethods = {
  /** Untrusted callers see no accounts. */
  eth_accounts: () => [],
  eth_fillTransaction: fill,
  eth_sendRawTransaction: sendRawTransaction,
  eth_sendRawTransactionSync: sendRawTransactionSync,
};

export const accountMethods: DevelopmentMethods = {
  eth_accounts: accounts,
  eth_requestAccounts: accounts,
  eth_sendTransaction: sendTransaction,
  eth_sendTransactionSync: sendTransactionSync,
  eth_sendUnsignedTransaction: sendUnsignedTransaction,
  eth_signTransaction: signTransaction,
  eth_sign: ({ keyring }, params) => keyring.signMessage(addressParam(params, 0), dataParam(params, 1)),
  personal_sign: ({ keyring }, params) => keyring.signMessage(addressParam(params, 1), dataParam(params, 0)),
  eth_signTypedData: signTypedData,
  eth_signTypedData_v3: signTypedData,
  eth_signTypedData_v4: signTypedData,
};
