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
 * Origin of a signature: the contract's ABI, its implementation's ABI, the table of well-known signatures, or bytecode
 * analysis, which yields types without names and may be wrong.
 */
type Origin = "abi" | "implementation" | "known" | "bytecode";

export interface Candidates {
  readonly origin: Origin;
  readonly signatures: Signatures;
}

export interface Decoded {
  /** Selector of a function or error, topic0 of an event. */
  readonly id: Hex;
  readonly signature: Signature;
  /** One per input of the signature. */
  readonly values: readonly EventValue[];
  readonly origin: Origin;
  /** Whether the types were inferred from bytecode. */
  readonly isGuess: boolean;
  /** Calldata after the encoded arguments. */
  readonly trailing?: Bytes;
}

/**
 * Prefers the first candidate that consumes all calldata. Otherwise takes the first that matches a prefix: wallets and
 * routers append data. Signatures from bytecode must consume everything.
 */
export function decodeCall(input: Bytes, candidates: readonly Candidates[]): Decoded | undefined {
  const found = matchCall(input, candidates);
  return found && decodedBySelector(input, found);
}

function matchCall(input: Bytes, candidates: readonly Candidates[]): DecodedMatch | undefined {
  return matchSelector(input, candidates, "functions", mayCallGoOn);
}

const mayCallGoOn = (origin: Origin) => origin !== "bytecode";

/** Looks up each selector once for many calls. */
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

/** Decodes revert data; the error must consume all of it. */
export function decodeError(data: Bytes, candidates: readonly Candidates[]): Decoded | undefined {
  const found = matchSelector(data, candidates, "errors", () => false);
  return found && decodedBySelector(data, found);
}

/**
 * Takes the first candidate that consumes all topics and data. Anonymous events are tried last, since they match
 * without a hash.
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

/** A decoded prefix and its end. */
interface Leading {
  readonly end: number;
}

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

/** In candidate order. */
function signaturesOf(id: Hex, candidates: readonly Candidates[], kind: "functions" | "errors"): readonly Candidate[] {
  return candidates.flatMap(({ origin, signatures }) =>
    (signatures[kind].get(id) ?? []).map((signature) => ({ origin, signature })),
  );
}

/** The first signature that consumes all data; otherwise the first with trailing data whose origin allows it. */
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
