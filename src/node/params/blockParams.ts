import type { Hash } from "../../chain/encoding/bytes.ts";
import { dataFault, quantityFault } from "./hexText.ts";
import { cannotUnmarshal, invalidArgument, invalidParams, isAbsent, required } from "./params.ts";

export type Tag = "latest" | "earliest" | "pending" | "safe" | "finalized";

export type BlockNumberId = { readonly tag: Tag } | { readonly number: number };

export type BlockId = BlockNumberId | { readonly hash: Hash };

const LATEST: BlockId = { tag: "latest" };

const TAGS: ReadonlySet<unknown> = new Set<Tag>(["latest", "earliest", "pending", "safe", "finalized"]);

const isTag = (value: unknown): value is Tag => TAGS.has(value);

/** Development tools send JSON numbers. */
const isHeight = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;

/** A tag, number, hash or object (EIP-1898). Defaults to the head. */
export function blockIdParam(params: readonly unknown[], argument: number): BlockId {
  return isAbsent(params, argument) ? LATEST : readBlockId(params[argument], argument);
}

export function requiredBlockId(params: readonly unknown[], argument: number): BlockId {
  const value = required(params, argument);
  if (value === null) throw invalidParams(`missing value for required argument ${argument}`);
  return readBlockId(value, argument);
}

/** A tag or number, without a default. */
export function blockNumberParam(params: readonly unknown[], argument: number): BlockNumberId {
  return readBlockNumber(required(params, argument), argument);
}

export function readBlockNumber(value: unknown, argument: number): BlockNumberId {
  if (isTag(value)) return { tag: value };
  if (isHeight(value)) return { number: value };
  // geth parses any JSON value as text.
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return { number: readNumber(text, argument) };
}

function readBlockId(value: unknown, argument: number): BlockId {
  if (isTag(value)) return { tag: value };
  if (isHeight(value)) return { number: value };
  if (typeof value === "string") return readNumberOrHash(value, argument);
  if (typeof value === "object" && value !== null && !Array.isArray(value)) {
    return readBlockObject(value as Record<string, unknown>, argument);
  }
  const kind = Array.isArray(value) ? "array" : typeof value === "boolean" ? "bool" : typeof value;
  throw cannotUnmarshal({ argument }, kind, "string");
}

function readNumberOrHash(text: string, argument: number): BlockId {
  if (text.length !== 66) return { number: readNumber(text, argument) };
  const fault = dataFault(text);
  if (fault !== undefined) throw invalidArgument(argument, fault);
  return { hash: Buffer.from(text.slice(2), "hex") };
}

function readBlockObject({ blockNumber, blockHash }: Record<string, unknown>, argument: number): BlockId {
  const hasNumber = blockNumber !== undefined && blockNumber !== null;
  const hasHash = blockHash !== undefined && blockHash !== null;
  if (hasNumber && hasHash) {
    throw invalidArgument(argument, "cannot specify both BlockHash and BlockNumber, choose one or the other");
  }
  if (hasNumber) return readBlockNumber(blockNumber, argument);
  if (!hasHash) throw invalidParams("invalid arguments; neither block nor hash specified");
  // Blocks known by hash are canonical, so `requireCanonical` is always met.
  if (typeof blockHash !== "string" || blockHash.length !== 66 || dataFault(blockHash) !== undefined) {
    throw cannotUnmarshal({ argument }, "object", "string");
  }
  return { hash: Buffer.from(blockHash.slice(2), "hex") };
}

const MAX_INT64 = 2n ** 63n - 1n;

function readNumber(text: string, argument: number): number {
  const fault = quantityFault(text, 64);
  if (fault !== undefined) throw invalidArgument(argument, fault);
  const number = BigInt(text.toLowerCase());
  if (number > MAX_INT64) throw invalidArgument(argument, "blocknumber too high");
  return Number(number);
}
