import type { Log } from "../block/receipt.ts";
import type { Bytes } from "../encoding/bytes.ts";
import type { Hex } from "../encoding/hex.ts";
import { toHex } from "../encoding/hex.ts";
import { decodeParameters } from "./decode.ts";
import { decodeEvent } from "./event.ts";
import type { Signatures } from "./parseAbi.ts";
import type { DecodedInput, DecodedLogInput } from "./present.ts";
import { presentCall, presentLog } from "./present.ts";
import type { Signature } from "./signature.ts";
import { topicOf, typesOf } from "./signature.ts";
import type { AbiValue } from "./value.ts";

/**
 * Where a signature is from: the contract's own ABI, that of what it delegates to, the table of well-known ones, or
 * its bytecode, which tells types but no names and can be misread.
 */
export type Origin = "abi" | "implementation" | "known" | "bytecode";

export interface Candidates {
  readonly origin: Origin;
  readonly signatures: Signatures;
}

export interface Decoded<T extends DecodedInput = DecodedInput> {
  readonly input: T;
  readonly origin: Origin;
  readonly isGuess: boolean;
}

/** The signature that data was encoded by, and the values in it. */
export interface Match {
  readonly selector: Hex;
  readonly signature: Signature;
  readonly values: readonly AbiValue[];
  readonly origin: Origin;
}

/** Finds the first candidate that takes calldata to its end; undefined where none does. */
export function matchCall(input: Bytes, candidates: readonly Candidates[]): Match | undefined {
  return matchSelector(input, candidates, "functions");
}

/** Decodes calldata by the first candidate that takes it to its end; undefined where none does. */
export function decodeCall(input: Bytes, candidates: readonly Candidates[]): Decoded | undefined {
  return presentMatch(matchCall(input, candidates));
}

/** Decodes what a contract reverted with, where it is an error of a candidate. */
export function decodeError(data: Bytes, candidates: readonly Candidates[]): Decoded | undefined {
  return presentMatch(matchSelector(data, candidates, "errors"));
}

/**
 * Decodes a log by the first candidate that takes its topics and its data to the end; undefined where none does. That an
 * anonymous event fits says less than that a topic is an event's hash, so those are tried last.
 */
export function decodeLog(
  log: Pick<Log, "topics" | "data">,
  candidates: readonly Candidates[],
): Decoded<DecodedLogInput> | undefined {
  return decodeNamed(log, candidates) ?? decodeAnonymous(log, candidates);
}

function decodeNamed(log: Pick<Log, "topics" | "data">, candidates: readonly Candidates[]) {
  if (log.topics.length < 32) return undefined;
  const topic = toHex(log.topics.subarray(0, 32));
  for (const { origin, signatures } of candidates) {
    for (const event of signatures.events.get(topic) ?? []) {
      const values = decodeEvent(event, log);
      if (values !== undefined) return decodedFrom(origin, presentLog(topic.slice(2, 10), event, values));
    }
  }
  return undefined;
}

function decodeAnonymous(log: Pick<Log, "topics" | "data">, candidates: readonly Candidates[]) {
  for (const { origin, signatures } of candidates) {
    for (const event of signatures.anonymousEvents ?? []) {
      const values = decodeEvent(event, log, false);
      if (values !== undefined) return decodedFrom(origin, presentLog(topicOf(event).slice(2, 10), event, values));
    }
  }
  return undefined;
}

function matchSelector(data: Bytes, candidates: readonly Candidates[], kind: "functions" | "errors") {
  if (data.length < 4) return undefined;
  const selector = toHex(data.subarray(0, 4));
  const body = data.subarray(4);
  for (const { origin, signatures } of candidates) {
    for (const signature of signatures[kind].get(selector) ?? []) {
      const values = decodeParameters(typesOf(signature), body);
      if (values !== undefined) return { selector, signature, values, origin };
    }
  }
  return undefined;
}

/** A match as explorers show it. */
export function presentMatch(match: Match): Decoded;
export function presentMatch(match: Match | undefined): Decoded | undefined;
export function presentMatch(match: Match | undefined): Decoded | undefined {
  if (match === undefined) return undefined;
  const { selector, signature, values, origin } = match;
  return decodedFrom(origin, presentCall(selector.slice(2), signature, values));
}

function decodedFrom<T extends DecodedInput>(origin: Origin, input: T): Decoded<T> {
  return { input, origin, isGuess: origin === "bytecode" };
}
