import type { Log } from "../block/receipt.ts";
import type { Bytes } from "../encoding/bytes.ts";
import type { Hex } from "../encoding/hex.ts";
import { toHex } from "../encoding/hex.ts";
import { decodeLeading } from "./decode.ts";
import type { EventValue } from "./event.ts";
import { decodeEvent } from "./event.ts";
import type { Signatures } from "./parseAbi.ts";
import type { Signature } from "./signature.ts";
import { topicOf, typesOf } from "./signature.ts";

/**
 * Where a signature is from: the contract's own ABI, that of what it delegates to, the table of well-known ones, or
 * its bytecode, which tells types but no names and can be misread.
 */
export type Origin = "abi" | "implementation" | "known" | "bytecode";

export interface Candidates {
  readonly origin: Origin;
  readonly signatures: Signatures;
}

/** Data decoded by a signature. */
export interface Decoded {
  /** The selector of a function or an error, the whole hash of an event. */
  readonly id: Hex;
  readonly signature: Signature;
  /** One for each of the signature's inputs. */
  readonly values: readonly EventValue[];
  readonly origin: Origin;
  /** Whether the types were guessed from bytecode. */
  readonly isGuess: boolean;
  /** The bytes of calldata after the values, where there are any. */
  readonly trailing?: Bytes;
}

/**
 * Decodes calldata by the first candidate that it is the whole encoding for. Where there is none, by the first that it
 * begins with the encoding for: wallets and routers append data of their own. A guess has to fit to the end.
 */
export function decodeCall(input: Bytes, candidates: readonly Candidates[]): Decoded | undefined {
  const found = matchCall(input, candidates);
  return found && decodedBySelector(input, found);
}

/** The name of the function that calldata is decoded by. */
export function nameCall(input: Bytes, candidates: readonly Candidates[]): string | undefined {
  return matchCall(input, candidates)?.signature.name;
}

function matchCall(input: Bytes, candidates: readonly Candidates[]): Match | undefined {
  return matchSelector(input, candidates, "functions", (origin) => origin !== "bytecode");
}

/** Decodes what a contract reverted with, where it is an error of a candidate to its end. */
export function decodeError(data: Bytes, candidates: readonly Candidates[]): Decoded | undefined {
  const found = matchSelector(data, candidates, "errors", () => false);
  return found && decodedBySelector(data, found);
}

/**
 * Decodes a log by the first candidate that takes its topics and its data to the end; undefined where none does. That an
 * anonymous event fits says less than that a topic is an event's hash, so those are tried last.
 */
export function decodeLog(log: Pick<Log, "topics" | "data">, candidates: readonly Candidates[]): Decoded | undefined {
  return decodeNamed(log, candidates) ?? decodeAnonymous(log, candidates);
}

function decodeNamed(log: Pick<Log, "topics" | "data">, candidates: readonly Candidates[]): Decoded | undefined {
  if (log.topics.length < 32) return undefined;
  const id = toHex(log.topics.subarray(0, 32));
  for (const { origin, signatures } of candidates) {
    for (const signature of signatures.events.get(id) ?? []) {
      const values = decodeEvent(signature, log);
      if (values !== undefined) return decodedAs({ id, signature, values, origin });
    }
  }
  return undefined;
}

function decodeAnonymous(log: Pick<Log, "topics" | "data">, candidates: readonly Candidates[]): Decoded | undefined {
  for (const { origin, signatures } of candidates) {
    for (const signature of signatures.anonymousEvents ?? []) {
      const values = decodeEvent(signature, log, false);
      if (values !== undefined) return decodedAs({ id: topicOf(signature), signature, values, origin });
    }
  }
  return undefined;
}

/** A signature of some data's selector, and the values that the data begins with the encoding of. */
interface Match {
  readonly origin: Origin;
  readonly signature: Signature;
  readonly values: readonly EventValue[];
  /** Where they end, after the selector. */
  readonly end: number;
}

/**
 * The first signature, in the order of the candidates, that takes data to its end. Where there is none, the first that does
 * not, of those whose origin lets data go on.
 */
function matchSelector(
  data: Bytes,
  candidates: readonly Candidates[],
  kind: "functions" | "errors",
  mayGoOn: (origin: Origin) => boolean,
): Match | undefined {
  if (data.length < 4) return undefined;
  const id = toHex(data.subarray(0, 4));
  const body = data.subarray(4);
  let first: Match | undefined;
  for (const { origin, signatures } of candidates) {
    for (const signature of signatures[kind].get(id) ?? []) {
      const decoded = decodeLeading(typesOf(signature), body);
      if (decoded === undefined) continue;
      const match = { origin, signature, values: decoded.values, end: decoded.end };
      if (decoded.end === body.length) return match;
      if (mayGoOn(origin)) first ??= match;
    }
  }
  return first;
}

function decodedBySelector(data: Bytes, { origin, signature, values, end }: Match): Decoded {
  const decoded = decodedAs({ id: toHex(data.subarray(0, 4)), signature, values, origin });
  return 4 + end < data.length ? { ...decoded, trailing: data.subarray(4 + end) } : decoded;
}

function decodedAs(found: Omit<Decoded, "isGuess">): Decoded {
  return { ...found, isGuess: found.origin === "bytecode" };
}
