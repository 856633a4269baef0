import { encodeCall } from "../../chain/abi/encodeCall.ts";
import type { AddressBytes, Bytes } from "../../chain/encoding/bytes.ts";
import { fromHex, toHex } from "../../chain/encoding/hex.ts";
import { uintToBigInt } from "../../chain/encoding/uint.ts";
import { ChainError } from "../../chain/error.ts";
import type { CallOutcome, ContractCall, Head } from "../../chain/source.ts";
import { Deadline } from "../../std/async.ts";
import type { QueryContext } from "../context.ts";

/** Calls per batch. */
const BATCH_SIZE = 50;

/** Milliseconds for all calls of a request. */
const TIMEOUT = 2000;

export function contractCall(to: AddressBytes, ...question: Parameters<typeof encodeCall>): ContractCall {
  return { to, data: fromHex(encodeCall(...question)) };
}

const keyOf = ({ to, data }: ContractCall) => `${toHex(to)} ${toHex(data)}`;

/** Words that a call returned; none without an answer. */
export type ReadWords = (call: ContractCall) => readonly bigint[];

/** Equal calls are asked once. What the node does not answer in time has no words. */
export async function callContracts(
  { node }: Pick<QueryContext, "node">,
  calls: readonly ContractCall[],
  at: Pick<Head, "number" | "hash">,
): Promise<ReadWords> {
  const asked = new Map(calls.map((call) => [keyOf(call), call]));
  const answers = new Map<string, CallOutcome>();
  const deadline = new Deadline(TIMEOUT);
  const entries = node === undefined ? [] : [...asked];
  for (let from = 0; from < entries.length; from += BATCH_SIZE) {
    const some = entries.slice(from, from + BATCH_SIZE);
    const batch = node!.readThrough
      .calls(
        some.map(([, call]) => call),
        at,
      )
      .catch((error: unknown) => {
        if (error instanceof ChainError) return undefined;
        throw error;
      });
    const outcomes = await deadline.wait(batch);
    if (outcomes === undefined) break;
    for (const [index, outcome] of outcomes.entries()) answers.set(some[index]![0], outcome);
  }
  return (call) => {
    const outcome = answers.get(keyOf(call));
    return outcome instanceof Uint8Array ? wordsOf(outcome) : [];
  };
}

function wordsOf(bytes: Bytes): bigint[] {
  return Array.from({ length: bytes.length >> 5 }, (_, at) => uintToBigInt(bytes.subarray(32 * at, 32 * at + 32)));
}
