import { RPC, RpcError } from "../../jsonrpc/rpcError.ts";
import { min } from "../../std/numbers.ts";
import type { Context } from "../context.ts";
import { keepPace } from "../machine/instructions.ts";
import type { BlockId } from "../params/blockParams.ts";
import { Pace } from "../state/pace.ts";
import type { ExecutionResult, Setting } from "./applyMessage.ts";
import { applyMessage } from "./applyMessage.ts";
import type { CallRequest } from "./callRequest.ts";
import { blobGasOf, MessageRefused } from "./checkMessage.ts";
import { unpricedFor } from "./environment.ts";
import { callFailure } from "./failure.ts";
import type { Message } from "./message.ts";
import { expectChain, messageOf } from "./message.ts";
import type { Overrides } from "./setting.ts";
import { limitsOf, openSetting } from "./setting.ts";

const TRANSFER_GAS = 21_000n;
const CALL_STIPEND = 2300n;

/** Tolerance in thousandths; wallets add a margin anyway. */
const ERROR_RATIO = 15n;

/** EIP-7825 (Osaka). */
const MAX_TRANSACTION_GAS = 2n ** 24n;

export async function estimateGas(
  context: Context,
  request: CallRequest,
  id: BlockId,
  overrides: Overrides,
  before: readonly CallRequest[] = [],
): Promise<bigint> {
  const limits = limitsOf(context);
  expectChain(request, context.chain.rules.chainId);
  const pace = await Pace.begin(limits.milliseconds);
  const { machine, environment } = await openSetting(context, id, overrides);
  const message = messageOf(request, 2n ** 63n, environment.header.baseFeePerGas);
  keepPace(machine, pace);
  for (const each of before) await run({ machine, environment }, each, limits.gas);
  const setting = { machine, environment: unpricedFor(environment, message) };
  const max = await allowance(setting, message, request.gas, limits.gas);
  if (await isTransfer(setting, message)) {
    const result = await attempt(setting, message, TRANSFER_GAS).catch(() => "failed" as const);
    if (result !== "failed" && result.error === undefined) return TRANSFER_GAS;
  }
  return search(setting, message, max);
}

async function run({ machine, environment }: Setting, request: CallRequest, gasCap: bigint): Promise<void> {
  const message = messageOf(request, gasCap, environment.header.baseFeePerGas);
  const gas = min(message.gas, environment.header.gasLimit);
  try {
    await applyMessage(
      { machine, environment: unpricedFor(environment, message) },
      { ...message, gas },
      { isCall: true },
    );
  } catch (error) {
    if (error instanceof RpcError) throw error;
  }
}

/** Upper bound: block, request, sender's balance and node limit. */
async function allowance(
  { machine, environment }: Setting,
  message: Message,
  asked: bigint | undefined,
  gasCap: bigint,
): Promise<bigint> {
  let max = asked !== undefined && asked >= TRANSFER_GAS ? asked : environment.header.gasLimit;
  if (environment.rules.isActivatedEIP(7825)) max = min(max, MAX_TRANSACTION_GAS);
  if (message.maxFeePerGas > 0n) {
    let available = (await machine.state.getAccount(message.from))?.balance ?? 0n;
    if (message.value > 0n && message.value >= available) throw failed("insufficient funds for transfer");
    available -= message.value;
    const blobs = blobGasOf(message) * (message.maxFeePerBlobGas ?? 0n);
    if (blobs > 0n && blobs >= available) throw failed("insufficient funds for gas * price + value");
    max = min(max, (available - blobs) / message.maxFeePerGas);
  }
  return min(max, gasCap);
}

async function isTransfer({ machine }: Setting, { data, to }: Message): Promise<boolean> {
  return data.length === 0 && to !== undefined && (await machine.state.getCode(to)).length === 0;
}

async function search(setting: Setting, message: Message, max: bigint): Promise<bigint> {
  const first = await attempt(setting, message, max);
  if (first === "failed") throw failed(`gas required exceeds allowance (${max})`);
  if (first.error !== undefined) {
    if (first.error.error === "out of gas") throw failed(`gas required exceeds allowance (${max})`);
    throw callFailure(first.error, first.returnValue, first.runState);
  }
  const suffices = async (gas: bigint) => {
    const result = await attempt(setting, message, gas);
    return result !== "failed" && result.error === undefined;
  };
  let [low, high] = [first.gasUsed - 1n, max];
  // Gas before refunds, with stipend and the 63/64 rule, is probably sufficient.
  const likely = ((first.peakGas + CALL_STIPEND) * 64n) / 63n;
  if (likely < high) {
    if (await suffices(likely)) high = likely;
    else low = likely;
  }
  while (low + 1n < high && (high - low) * 1000n >= high * ERROR_RATIO) {
    const middle = min((low + high) / 2n, low * 2n);
    if (await suffices(middle)) high = middle;
    else low = middle;
  }
  return high;
}

/** Executes and reverts. "failed" also if the gas is below the intrinsic gas. */
async function attempt(setting: Setting, message: Message, gas: bigint): Promise<ExecutionResult | "failed"> {
  const { state, evm } = setting.machine;
  await state.checkpoint();
  try {
    return await applyMessage(setting, { ...message, gas }, { isCall: true });
  } catch (error) {
    if (error instanceof MessageRefused) {
      if (error.refusal === "intrinsicGas") return "failed";
      throw failed(`failed with ${gas} gas: ${error.reason}`);
    }
    throw error;
  } finally {
    await state.revert();
    evm.journal.cleanJournal();
  }
}

function failed(message: string): RpcError {
  return new RpcError(RPC.server, message);
}
