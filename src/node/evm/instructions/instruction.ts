import type { Execution } from "../execution.ts";
import type { Frame } from "../frame.ts";

export const YIELD = Symbol("yield");

/**
 * Runs after the stack check and static gas. Reads operands and charges dynamic gas before it changes anything. Returns
 * YIELD unless the next instruction of the same call follows.
 */
export type Instruction = (frame: Frame, execution: Execution) => unknown;

export type Instructions = Readonly<Record<string, Instruction>>;
