import type { Log } from "../block/receipt.ts";
import type { Bytes } from "../encoding/bytes.ts";
import { decodeParameters, decodeWord } from "./decode.ts";
import type { Signature } from "./signature.ts";
import type { AbiType } from "./type.ts";
import type { AbiValue } from "./value.ts";
import { WORD } from "./word.ts";

/** A dynamic indexed parameter, of which the topic holds only the keccak. */
export class HashedValue {
  readonly hash: Bytes;

  constructor(hash: Bytes) {
    this.hash = hash;
  }
}

export type EventValue = AbiValue | HashedValue;

/** Values in parameter order. Indexed parameters must use all topics and the others all of the data. */
export function decodeEvent(
  event: Signature,
  log: Pick<Log, "topics" | "data">,
  isNamed = true,
): readonly EventValue[] | undefined {
  const first = isNamed ? 1 : 0;
  const indexed = event.inputs.filter((input) => input.indexed).length;
  if (log.topics.length !== (first + indexed) * WORD) return undefined;
  const inData = decodeParameters(
    event.inputs.filter((input) => !input.indexed).map((input) => input.type),
    log.data,
  );
  if (inData === undefined) return undefined;
  const values: EventValue[] = [];
  let topic = first;
  let rest = 0;
  for (const { type, indexed } of event.inputs) {
    const value = indexed ? decodeTopic(type, topicAt(log.topics, topic++)) : inData[rest++];
    if (value === undefined) return undefined;
    values.push(value);
  }
  return values;
}

function topicAt(topics: Bytes, index: number): Bytes {
  return topics.subarray(index * WORD, (index + 1) * WORD);
}

function decodeTopic(type: AbiType, topic: Bytes): EventValue | undefined {
  const isHashed = type.isDynamic || type.kind === "tuple" || type.kind === "array";
  return isHashed ? new HashedValue(topic) : decodeWord(type, topic);
}
