import type { Hex } from "../../chain/encoding/hex.ts";
import { toHex } from "../../chain/encoding/hex.ts";
import { currentCaller } from "../caller.ts";
import type { Context } from "../context.ts";
import { keepPace } from "../machine/instructions.ts";
import type { BlockId } from "../params/blockParams.ts";
import { Pace } from "../state/pace.ts";
import type { ExecutionResult } from "./applyMessage.ts";
import { applyMessage } from "./applyMessage.ts";
import type { CallRequest } from "./callRequest.ts";
import { unpricedFor } from "./environment.ts";
import { callFailure } from "./failure.ts";
import { expectChain, messageOf } from "./message.ts";
import type { Overrides } from "./setting.ts";
import { limitsOf, openSetting } from "./setting.ts";

export async function call(context: Context, request: CallRequest, id: BlockId, overrides: Overrides): Promise<Hex> {
  const { error, returnValue, runState } = await runCall(context, request, id, overrides);
  if (error !== undefined) throw callFailure(error, returnValue, runState);
  return toHex(returnValue);
}

async function runCall(
  context: Context,
  request: CallRequest,
  id: BlockId,
  overrides: Overrides,
): Promise<ExecutionResult> {
  const limits = limitsOf(context);
  expectChain(request, context.chain.rules.chainId);
  const pace = await Pace.begin(limits.milliseconds);
  const { machine, environment } = await openSetting(context, id, overrides);
  const message = messageOf(request, limits.gas, environment.header.baseFeePerGas);
  keepPace(machine, pace);
  // Untrusted callers must not fill the log.
  if (currentCaller()?.isTrusted === true) context.chain.console?.watch(machine);
  return applyMessage({ machine, environment: unpricedFor(environment, message) }, message, { isCall: true });
}
