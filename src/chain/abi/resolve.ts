import type { Log } from "../block/receipt.ts";
import type { Bytes } from "../encoding/bytes.ts";
import type { Hex } from "../encoding/hex.ts";
import { toHex } from "../encoding/hex.ts";
import { decodeLeading, findEnd } from "./decode.ts";
import type { EventValue } from "./event.ts";
import { decodeEvent } from "./event.ts";
import type { Signatures } from "./parseAbi.ts";
import type { Signature } from "./signature.ts";
import { topicOf, typesOf } from "./signature.ts";
import type { AbiType } from "./type.ts";

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

function matchCall(input: Bytes, candidates: readonly Candidates[]): DecodedMatch | undefined {
  return matchSelector(input, candidates, "functions", mayCallGoOn);
}

const mayCallGoOn = (origin: Origin) => origin !== "bytecode";

/** The functions that calldata is decoded by. Of many calls that have few selectors each is looked up once. */
export class CallSignatures {
  readonly #candidates: readonly Candidates[];
  readonly #known = new Map<number, readonly Candidate[]>();

  constructor(candidates: readonly Candidates[]) {
    this.#candidates = candidates;
  }

  signatureOf(input: Bytes): Signature | undefined {
    if (input.length < 4) return undefined;
    const read = (types: readonly AbiType[]) => findEnd(types, input, 4);
    return firstMatch(this.#signaturesOf(input), input.length, mayCallGoOn, read)?.signature;
  }

  #signaturesOf(input: Bytes): readonly Candidate[] {
    const selector = (input[0]! << 24) | (input[1]! << 16) | (input[2]! << 8) | input[3]!;
    const known = this.#known.get(selector);
    if (known !== undefined) return known;
    const found = signaturesOf(toHex(input.subarray(0, 4)), this.#candidates, "functions");
    this.#known.set(selector, found);
    return found;
  }
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

interface Candidate {
  readonly origin: Origin;
  readonly signature: Signature;
}

/** What data begins with the encoding of, and where that ends. */
interface Leading {
  readonly end: number;
}

/** A signature of some data's selector, and what was read of the data by it. */
interface Match<L extends Leading> extends Candidate {
  readonly leading: L;
}

type DecodedMatch = Match<NonNullable<ReturnType<typeof decodeLeading>>>;

function matchSelector(
  data: Bytes,
  candidates: readonly Candidates[],
  kind: "functions" | "errors",
  mayGoOn: (origin: Origin) => boolean,
): DecodedMatch | undefined {
  if (data.length < 4) return undefined;
  const body = data.subarray(4);
  const signatures = signaturesOf(toHex(data.subarray(0, 4)), candidates, kind);
  return firstMatch(signatures, body.length, mayGoOn, (types) => decodeLeading(types, body));
}

/** In the order of the candidates. */
function signaturesOf(id: Hex, candidates: readonly Candidates[], kind: "functions" | "errors"): readonly Candidate[] {
  return candidates.flatMap(({ origin, signatures }) =>
    (signatures[kind].get(id) ?? []).map((signature) => ({ origin, signature })),
  );
}

/** The first signature that takes data to its end. Where there is none, the first that does not, of those whose origin lets data go on. */
function firstMatch<L extends Leading>(
  signatures: readonly Candidate[],
  dataEnd: number,
  mayGoOn: (origin: Origin) => boolean,
  read: (types: readonly AbiType[]) => L | undefined,
): Match<L> | undefined {
  let first: Match<L> | undefined;
  for (const { origin, signature } of signatures) {
    const leading = read(typesOf(signature));
    if (leading === undefined) continue;
    const match = { origin, signature, leading };
    if (leading.end === dataEnd) return match;
    if (mayGoOn(origin)) first ??= match;
  }
  return first;
}

function decodedBySelector(data: Bytes, { origin, signature, leading }: DecodedMatch): Decoded {
  const { values, end } = leading;
  const decoded = decodedAs({ id: toHex(data.subarray(0, 4)), signature, values, origin });
  return 4 + end < data.length ? { ...decoded, trailing: data.subarray(4 + end) } : decoded;
}

function decodedAs(found: Omit<Decoded, "isGuess">): Decoded {
  return { ...found, isGuess: found.origin === "bytecode" };
}
