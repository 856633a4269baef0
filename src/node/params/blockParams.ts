import type { Hash } from "../../chain/encoding/bytes.ts";
import { dataFault, quantityFault } from "./hexText.ts";
import { cannotUnmarshal, invalidArgument, invalidParams, isAbsent, required } from "./params.ts";

export type Tag = "latest" | "earliest" | "pending" | "safe" | "finalized";

/** A block as a caller names it by its height. */
export type BlockNumberId = { readonly tag: Tag } | { readonly number: number };

/** A block as a caller names it. */
export type BlockId = BlockNumberId | { readonly hash: Hash };

export const LATEST: BlockId = { tag: "latest" };

const TAGS: ReadonlySet<unknown> = new Set<Tag>(["latest", "earliest", "pending", "safe", "finalized"]);

const isTag = (value: unknown): value is Tag => TAGS.has(value);

/** A JSON number, which tools for development nodes send. */
const isHeight = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;

/** The block an argument names: by tag, number or hash, or by an object. The head where it was left out. */
export function blockIdParam(params: readonly unknown[], argument: number): BlockId {
  return isAbsent(params, argument) ? LATEST : readBlockId(params[argument], argument);
}

/** As `blockIdParam`, of an argument that must be there. */
export function requiredBlockId(params: readonly unknown[], argument: number): BlockId {
  const value = required(params, argument);
  if (value === null) throw invalidParams(`missing value for required argument ${argument}`);
  return readBlockId(value, argument);
}

/** The block an argument that must be there names by tag or number. */
export function blockNumberParam(params: readonly unknown[], argument: number): BlockNumberId {
  return readBlockNumber(required(params, argument), argument);
}

export function readBlockNumber(value: unknown, argument: number): BlockNumberId {
  if (isTag(value)) return { tag: value };
  if (isHeight(value)) return { number: value };
  // geth reads whatever stands there as the text of a number.
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
  // Every block we know by its hash is canonical, so `requireCanonical` asks for nothing more.
  if (typeof blockHash !== "string" || blockHash.length !== 66 || dataFault(blockHash) !== undefined) {
    throw cannotUnmarshal({ argument }, "object", "string");
  }
  return { hash: Buffer.from(blockHash.slice(2), "hex") };
}

const HIGHEST = 2n ** 63n - 1n;

function readNumber(text: string, argument: number): number {
  const fault = quantityFault(text, 64);
  if (fault !== undefined) throw invalidArgument(argument, fault);
  const number = BigInt(text.toLowerCase());
  if (number > HIGHEST) throw invalidArgument(argument, "blocknumber too high");
  return Number(number);
}
