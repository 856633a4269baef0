import type { Log } from "../../chain/block/receipt.ts";
import type { Bytes } from "../../chain/encoding/bytes.ts";
import { keccak256 } from "../../chain/hashing/keccak.ts";

/** Where a log stands in its block. */
export interface LogLocation {
  readonly logIndex: number;
  readonly transactionIndex: number;
}

/** An event as its logs are known: the hash of its signature and how many topics they have, that hash included. */
export interface LogEvent {
  readonly hash: Bytes;
  readonly topicBytes: number;
}

export function logEvent(signature: string, topicCount: number): LogEvent {
  return { hash: keccak256(Buffer.from(signature)), topicBytes: topicCount * 32 };
}

export function isLogOf(event: LogEvent, { topics }: Log): boolean {
  const { hash } = event;
  // Two bytes tell nearly every other event apart, without a walk over the hash.
  if (topics.length !== event.topicBytes || topics[0] !== hash[0] || topics[1] !== hash[1]) return false;
  for (let i = 2; i < 32; i++) if (topics[i] !== hash[i]) return false;
  return true;
}

/** Whether topics `first` to `last` are addresses: 20 bytes after 12 zeros. */
export function areAddresses({ topics }: Log, first: number, last: number): boolean {
  for (let topic = first; topic <= last; topic++) {
    for (let at = topic * 32; at < topic * 32 + 12; at++) if (topics[at] !== 0) return false;
  }
  return true;
}

export function addressTopic({ topics }: Log, topic: number): Bytes {
  return topics.subarray(topic * 32 + 12, topic * 32 + 32);
}
