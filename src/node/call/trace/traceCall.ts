import type { Context } from "../../context.ts";
import type { BlockId } from "../../params/blockParams.ts";
import { Pace } from "../../state/pace.ts";
import { applyMessage } from "../applyMessage.ts";
import type { CallRequest } from "../callRequest.ts";
import { unpricedFor } from "../environment.ts";
import { expectChain, messageOf } from "../message.ts";
import type { Overrides } from "../setting.ts";
import { limitsOf, openSetting } from "../setting.ts";
import { observe } from "./observe.ts";
import { beginningOf } from "./traceBlock.ts";
import type { TraceConfig } from "./traceConfig.ts";

export async function traceCall(
  context: Context,
  request: CallRequest,
  id: BlockId,
  overrides: Overrides,
  config: TraceConfig,
): Promise<unknown> {
  expectChain(request, context.chain.rules.chainId);
  const pace = await Pace.begin(config.milliseconds);
  const opened = await openSetting(context, id, overrides);
  const message = messageOf(request, limitsOf(context).gas, opened.environment.header.baseFeePerGas);
  const setting = { ...opened, environment: unpricedFor(opened.environment, message) };
  const tracer = config.tracer();
  await tracer.begin?.(beginningOf(setting, message));
  observe(setting.machine, tracer, pace);
  const { gasUsed } = await applyMessage(setting, message, { isCall: true });
  await tracer.end?.(gasUsed);
  return tracer.result();
}
