import type { Execution } from "../execution.ts";
import type { Frame } from "../frame.ts";

/** What an instruction answers that does not lead to the next one of the same call. */
export const LEAVE = Symbol("leave");

/**
 * Runs an instruction that has been passed, whose stack is high enough and whose fixed gas is paid. It reads what it
 * takes from the stack, pays what it costs besides, and only then changes anything.
 */
export type Instruction = (frame: Frame, execution: Execution) => unknown;

/** Instructions by their names. */
export type Instructions = Readonly<Record<string, Instruction>>;
