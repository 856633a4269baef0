import type { Log } from "../../block/receipt.ts";
import type { Bytes } from "../../encoding/bytes.ts";
import { keccak256 } from "../../hashing/keccak.ts";

export interface LogLocation {
  readonly logIndex: number;
  readonly transactionIndex: number;
}

export type Topics = Pick<Log, "topics">;

/** topic0 and the number of topics including it. */
interface LogEvent {
  readonly hash: Bytes;
  readonly topicBytes: number;
}

export function logEvent(signature: string, topicCount: number): LogEvent {
  return { hash: keccak256(Buffer.from(signature)), topicBytes: topicCount * 32 };
}

export function isLogOf(event: LogEvent, { topics }: Topics): boolean {
  const { hash } = event;
  // Two bytes rule out nearly every other event.
  if (topics.length !== event.topicBytes || topics[0] !== hash[0] || topics[1] !== hash[1]) return false;
  for (let i = 2; i < 32; i++) if (topics[i] !== hash[i]) return false;
  return true;
}

/** Whether topics `first` to `last` are zero-padded addresses. */
export function areAddresses({ topics }: Topics, first: number, last: number): boolean {
  for (let topic = first; topic <= last; topic++) {
    for (let at = topic * 32; at < topic * 32 + 12; at++) if (topics[at] !== 0) return false;
  }
  return true;
}

export function addressTopic({ topics }: Topics, topic: number): Bytes {
  return topics.subarray(topic * 32 + 12, topic * 32 + 32);
}
