import type { Address } from "@ethereumjs/util";
import { toChecksumAddress } from "@ethereumjs/util";
import { BLOB_GAS } from "../../chain/block/fees.ts";
import { RPC, RpcError } from "../../jsonrpc/rpcError.ts";
import type { WorldState } from "../state/worldState.ts";
import type { Environment } from "./environment.ts";
import { floorGas, intrinsicGas } from "./intrinsicGas.ts";
import type { Message } from "./message.ts";

export type Refusal =
  | "nonceTooLow"
  | "nonceTooHigh"
  | "tipTooHigh"
  | "feeTooLow"
  | "intrinsicGas"
  | "funds"
  | "initCode"
  | "other";

export class MessageRefused extends RpcError {
  readonly refusal: Refusal;
  readonly reason: string;

  constructor(refusal: Refusal, reason: string, gas: bigint) {
    super(RPC.server, `err: ${reason} (supplied gas ${gas})`);
    this.refusal = refusal;
    this.reason = reason;
  }
}

export interface Checks {
  /** Calls may have any nonce, and may pay nothing if they offer nothing. */
  readonly isCall: boolean;
}

export async function checkMessage(
  message: Message,
  environment: Environment,
  state: WorldState,
  checks: Checks,
): Promise<void> {
  const refuse = (refusal: Refusal, reason: string): never => {
    throw new MessageRefused(refusal, reason, message.gas);
  };
  const account = await state.getAccount(message.from);
  if (!checks.isCall) checkNonce(message, account?.nonce ?? 0n, refuse);
  checkFees(message, environment, checks, refuse);
  checkBlobs(message, environment, checks, refuse);
  checkAuthorizations(message, refuse);
  checkFunds(message, environment, account?.balance ?? 0n, refuse);
  checkGas(message, environment, refuse);
}

type Refuse = (refusal: Refusal, reason: string) => never;

const MAX_NONCE = 2n ** 64n - 1n;

function checkNonce({ from, nonce = 0n }: Message, next: bigint, refuse: Refuse): void {
  const words = `address ${name(from)}, tx: ${nonce} state: ${next}`;
  if (nonce > next) refuse("nonceTooHigh", `nonce too high: ${words}`);
  if (nonce < next) refuse("nonceTooLow", `nonce too low: ${words}`);
  if (next === MAX_NONCE) refuse("other", `nonce has max value: address ${name(from)}, nonce: ${next}`);
}

function checkFees(message: Message, { header }: Environment, { isCall }: Checks, refuse: Refuse): void {
  const { from, maxFeePerGas, maxPriorityFeePerGas } = message;
  if (header.baseFeePerGas === undefined) return;
  if (isCall && maxFeePerGas === 0n && maxPriorityFeePerGas === 0n) return;
  if (maxFeePerGas < maxPriorityFeePerGas) {
    const fees = `maxPriorityFeePerGas: ${maxPriorityFeePerGas}, maxFeePerGas: ${maxFeePerGas}`;
    refuse("tipTooHigh", `max priority fee per gas higher than max fee per gas: address ${name(from)}, ${fees}`);
  }
  if (maxFeePerGas < header.baseFeePerGas) {
    const fees = `maxFeePerGas: ${maxFeePerGas}, baseFee: ${header.baseFeePerGas}`;
    refuse("feeTooLow", `max fee per gas less than block base fee: address ${name(from)}, ${fees}`);
  }
}

function checkBlobs(message: Message, environment: Environment, { isCall }: Checks, refuse: Refuse): void {
  const { blobVersionedHashes: hashes, maxFeePerBlobGas = 0n, from, to } = message;
  if (hashes === undefined) return;
  if (to === undefined) refuse("other", "blob transaction of type create");
  if (hashes.length === 0) refuse("other", "blob transaction missing blob hashes");
  const wrong = hashes.findIndex(([version]) => version !== 1);
  if (wrong >= 0) refuse("other", `blob ${wrong} has invalid hash version`);
  if (isCall && maxFeePerBlobGas === 0n) return;
  const price = environment.header.getBlobGasPrice();
  if (maxFeePerBlobGas < price) {
    const fees = `blobGasFeeCap: ${maxFeePerBlobGas}, blobBaseFee: ${price}`;
    refuse("other", `max fee per blob gas less than block blob gas fee: address ${name(from)} ${fees}`);
  }
}

function checkAuthorizations({ authorizationList, from, to }: Message, refuse: Refuse): void {
  if (authorizationList === undefined) return;
  const sender = `(sender ${name(from)})`;
  if (to === undefined) refuse("other", `EIP-7702 transaction cannot be used to create contract ${sender}`);
  if (authorizationList.length === 0) refuse("other", `EIP-7702 transaction with empty auth list ${sender}`);
}

function checkFunds(message: Message, { rules }: Environment, balance: bigint, refuse: Refuse): void {
  const price = rules.isActivatedEIP(1559) ? message.maxFeePerGas : message.gasPrice;
  const want = message.gas * price + message.value + blobGasOf(message) * (message.maxFeePerBlobGas ?? 0n);
  if (balance >= want) return;
  const words = `address ${name(message.from)} have ${balance} want ${want}`;
  refuse("funds", `insufficient funds for gas * price + value: ${words}`);
}

export function blobGasOf({ blobVersionedHashes = [] }: Message): bigint {
  return BigInt(blobVersionedHashes.length * BLOB_GAS);
}

function checkGas(message: Message, { rules }: Environment, refuse: Refuse): void {
  const { gas, data, to } = message;
  const intrinsic = intrinsicGas(message, rules);
  if (gas < intrinsic) refuse("intrinsicGas", `intrinsic gas too low: have ${gas}, want ${intrinsic}`);
  const floor = floorGas(message, rules);
  if (gas < floor) refuse("intrinsicGas", `insufficient gas for floor data gas cost: have ${gas}, want ${floor}`);
  if (to !== undefined) return;
  const max = rules.maxInitCodeSize;
  if (data.length > max) refuse("initCode", `max initcode size exceeded: code size ${data.length} limit ${max}`);
}

function name(address: Address): string {
  return toChecksumAddress(address.toString());
}
