import { decodeHeader, headerHash } from "../../chain/block/header.ts";
import { equalBytes } from "../../chain/encoding/bytes.ts";
import { quantity, toHex } from "../../chain/encoding/hex.ts";
import { readObject, WireReader } from "../../chain/encoding/wire.ts";
import type { Member } from "./member.ts";

/** Headers requested below the head. */
const MAX_SHOWN = 64;

/** A block that a higher head of the same branch stands on: the head of another node, or the one followed before. */
export interface Checkpoint {
  readonly number: number;
  readonly hash: string;
  /** Whether its hash was recomputed from its header. */
  readonly isHashed: boolean;
}

/**
 * Checks that a node can link its head to one of the checkpoints. Undefined if it can, or if none is a lower block of its
 * branch. Throws if the node cannot be asked.
 */
export async function headProblem(member: Member, checkpoints: readonly Checkpoint[]): Promise<string | undefined> {
  const { newest, head } = member;
  if (newest === undefined) return "it has not shown its newest block";
  const shared = checkpoints.filter(({ number, hash }) => number <= head && member.hashAt(number) === hash);
  const isHashed = shared.some((checkpoint) => checkpoint.isHashed);
  if (isHashed && !newest.isHashed) return `the hash of its newest block ${head} is not that of the header`;
  const lower = shared.filter(({ number }) => number < head);
  const floor = Math.max(...lower.map(({ number }) => number));
  if (lower.length === 0) return undefined;
  const parent = newest.parentHash && toHex(newest.parentHash);
  // Read before the request: the head may change meanwhile.
  const floorHash = member.hashAt(floor);
  const headers = await readHeaders(member, Math.max(floor + 1, head - MAX_SHOWN), head - 1);
  let below = headers.length === head - 1 - floor ? floorHash : headers[0]?.parentHash;
  for (const header of headers) {
    if (header === undefined || header.parentHash !== below) return missing(head);
    if (isHashed && !header.isHashed) return `the hash of its block ${header.number} is not that of the header`;
    below = header.hash;
  }
  return parent === below ? undefined : missing(head);
}

function missing(head: number): string {
  return `it reports block ${head} as its newest, and does not have the blocks below it`;
}

interface Link {
  readonly number: number;
  readonly hash: string;
  readonly parentHash: string;
  readonly isHashed: boolean;
}

async function readHeaders(member: Member, from: number, to: number): Promise<(Link | undefined)[]> {
  const numbers = Array.from({ length: Math.max(0, to - from + 1) }, (_, at) => from + at);
  if (numbers.length === 0) return [];
  const questions = numbers.map((number) => ({ method: "eth_getBlockByNumber", params: [quantity(number), false] }));
  const wires = await member.ask((upstream) => upstream.requests(questions));
  return wires.map((wire, at) => {
    if (wire === null) return undefined;
    const header = decodeHeader(readObject(wire, "block"), new WireReader());
    if (header.number !== numbers[at]) return undefined;
    const isHashed = equalBytes(headerHash(header), header.hash);
    return { number: header.number, hash: toHex(header.hash), parentHash: toHex(header.parentHash), isHashed };
  });
}
