import { encodeCall } from "../../chain/abi/encodeCall.ts";
import type { AddressBytes, Bytes } from "../../chain/encoding/bytes.ts";
import { fromHex, toHex } from "../../chain/encoding/hex.ts";
import { uintToBigInt } from "../../chain/encoding/uint.ts";
import { ChainError } from "../../chain/error.ts";
import type { CallOutcome, ContractCall, Head } from "../../chain/source.ts";
import { Deadline } from "../../std/async.ts";
import type { ReadThrough } from "./readThrough.ts";

/** Calls per batch. */
const BATCH_SIZE = 50;

/** Milliseconds for all calls of a request, and those after which contracts are asked one by one. */
const TIMEOUT = 2000;
const BATCH_TIMEOUT = 1000;

export function contractCall(to: AddressBytes, ...question: Parameters<typeof encodeCall>): ContractCall {
  return { to, data: fromHex(encodeCall(...question)) };
}

/** Undefined without a node. */
export interface Caller {
  readonly node: { readonly readThrough: Pick<ReadThrough, "calls"> } | undefined;
}

const keyOf = ({ to, data }: ContractCall) => `${toHex(to)} ${toHex(data)}`;

/** Words that a call returned; none without an answer. */
export type ReadWords = (call: ContractCall) => readonly bigint[];

/**
 * Equal calls are asked once. What the node does not answer in time has no words. A node answers a batch as a whole, and one
 * contract that runs for seconds would leave all others without an answer, so then each contract has a batch of its own.
 */
export async function callContracts(
  { node }: Caller,
  calls: readonly ContractCall[],
  at: Pick<Head, "number" | "hash">,
): Promise<ReadWords> {
  const answers = new Map<string, CallOutcome>();
  const [deadline, batchDeadline] = [new Deadline(TIMEOUT), new Deadline(BATCH_TIMEOUT)];
  const ask = async (batch: readonly ContractCall[], until: Deadline) => {
    const outcomes = await until.wait(readBatch(node!, batch, at));
    for (const [index, outcome] of outcomes?.entries() ?? []) answers.set(keyOf(batch[index]!), outcome);
  };
  const asked = node === undefined ? [] : [...new Map(calls.map((call) => [keyOf(call), call])).values()];
  for (let from = 0; from < asked.length && !batchDeadline.isMissed; from += BATCH_SIZE) {
    await ask(asked.slice(from, from + BATCH_SIZE), batchDeadline);
  }
  const unanswered = asked.filter((call) => !answers.has(keyOf(call)));
  if (batchDeadline.isMissed) {
    const byContract = Map.groupBy(unanswered, ({ to }) => toHex(to));
    await Promise.all([...byContract.values()].map((batch) => ask(batch, deadline)));
  }
  return (call) => {
    const outcome = answers.get(keyOf(call));
    return outcome instanceof Uint8Array ? wordsOf(outcome) : [];
  };
}

/** Nothing if the node fails. */
function readBatch(
  { readThrough }: NonNullable<Caller["node"]>,
  batch: readonly ContractCall[],
  at: Pick<Head, "number" | "hash">,
): Promise<CallOutcome[]> {
  return readThrough.calls(batch, at).catch((error: unknown) => {
    if (error instanceof ChainError) return [];
    throw error;
  });
}

function wordsOf(bytes: Bytes): bigint[] {
  return Array.from({ length: bytes.length >> 5 }, (_, at) => uintToBigInt(bytes.subarray(32 * at, 32 * at + 32)));
}
