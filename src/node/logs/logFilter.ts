import type { Log } from "../../chain/block/receipt.ts";
import type { Bytes } from "../../chain/encoding/bytes.ts";
import { equalBytes } from "../../chain/encoding/bytes.ts";
import { type BloomBits, bloomBits, mayContain } from "../../chain/hashing/bloom.ts";

/** Empty criteria match anything. */
export interface LogCriteria {
  readonly addresses: readonly Bytes[];
  readonly topics: readonly (readonly Bytes[])[];
}

export class LogFilter {
  readonly #criteria: LogCriteria;
  readonly #groups: readonly (readonly BloomBits[])[];

  constructor(criteria: LogCriteria) {
    this.#criteria = criteria;
    const groups = [criteria.addresses, ...criteria.topics];
    this.#groups = groups.filter((group) => group.length > 0).map((group) => group.map(bloomBits));
  }

  mayMatch(bloom: Bytes): boolean {
    if (this.#groups.length === 0) return bloom.some((byte) => byte !== 0);
    return this.#groups.every((group) => group.some((bits) => mayContain(bloom, bits)));
  }

  matches(log: Log): boolean {
    const { addresses, topics } = this.#criteria;
    if (addresses.length > 0 && !addresses.some((address) => equalBytes(address, log.address))) return false;
    if (topics.length * 32 > log.topics.length) return false;
    return topics.every((wanted, position) => {
      if (wanted.length === 0) return true;
      const topic = log.topics.subarray(position * 32, position * 32 + 32);
      return wanted.some((one) => equalBytes(one, topic));
    });
  }
}
