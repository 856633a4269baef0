import type { DevelopmentContext } from "../../context.ts";
import { expectAtMost } from "../../params/params.ts";
import type { DevelopmentMethods } from "../methods.ts";
import { secondsParam } from "./numbers.ts";

type Params = readonly unknown[];

function increaseTime({ clock, chain }: DevelopmentContext, params: Params): number {
  expectAtMost(params, 1);
  const { timestamp } = chain.head.header;
  return clock.increase(secondsParam(params, 0, Math.max(clock.state.offset, timestamp)), timestamp);
}

function setNextBlockTimestamp({ miner }: DevelopmentContext, params: Params): null {
  expectAtMost(params, 1);
  miner.setNextTimestamp(secondsParam(params, 0));
  return null;
}

function setTime({ miner }: DevelopmentContext, params: Params): null {
  expectAtMost(params, 1);
  miner.setTime(secondsParam(params, 0));
  return null;
}

/** Block times strictly increase. */
function setBlockTimestampInterval({ clock }: DevelopmentContext, params: Params): null {
  expectAtMost(params, 1);
  clock.keepDistance(Math.max(1, secondsParam(params, 0)));
  return null;
}

function removeBlockTimestampInterval({ clock }: DevelopmentContext, params: Params): boolean {
  expectAtMost(params, 0);
  const hadOne = clock.state.distance !== undefined;
  clock.keepDistance(undefined);
  return hadOne;
}

export const timeMethods: DevelopmentMethods = {
  evm_increaseTime: increaseTime,
  anvil_increaseTime: increaseTime,
  evm_setNextBlockTimestamp: setNextBlockTimestamp,
  anvil_setNextBlockTimestamp: setNextBlockTimestamp,
  evm_setTime: setTime,
  anvil_setTime: setTime,
  anvil_setBlockTimestampInterval: setBlockTimestampInterval,
  anvil_removeBlockTimestampInterval: removeBlockTimestampInterval,
};
