/** What `eth_getLogs` is asked for. */
export interface LogFilter {
  readonly fromBlock?: string;
  readonly toBlock?: string;
  readonly blockHash?: string;
  readonly address?: string | readonly string[];
  readonly topics?: readonly (string | readonly string[] | null)[];
}

interface WireLog {
  readonly address: string;
  readonly topics: readonly string[];
}

/** A log and its JSON. */
interface StoredLog extends WireLog {
  readonly text: Buffer;
}

/** The logs of blocks as texts, so that a search costs a node little. */
export class UpstreamLogs {
  readonly #receiptsOf: (block: number) => string;
  readonly #blocks = new Map<number, readonly StoredLog[]>();

  constructor(receiptsOf: (block: number) => string) {
    this.#receiptsOf = receiptsOf;
  }

  prepare(block: number): void {
    this.#blocks.set(block, readLogs(this.#receiptsOf(block)));
  }

  /** The JSON of a list. */
  search(filter: LogFilter, first: number, last: number): Buffer {
    const isWanted = matcher(filter);
    const parts: Buffer[] = [];
    for (let block = first; block <= last; block++) {
      const logs = this.#blocks.get(block) ?? readLogs(this.#receiptsOf(block));
      for (const log of logs) if (isWanted(log)) parts.push(parts.length === 0 ? OPEN : COMMA, log.text);
    }
    return Buffer.concat([...(parts.length === 0 ? [OPEN] : parts), CLOSE]);
  }
}

const [OPEN, COMMA, CLOSE] = ["[", ",", "]"].map((text) => Buffer.from(text)) as [Buffer, Buffer, Buffer];

function readLogs(receipts: string): StoredLog[] {
  const all = (JSON.parse(receipts) as { logs: WireLog[] }[]).flatMap(({ logs }) => logs);
  return all.map((log) => ({ address: log.address, topics: log.topics, text: Buffer.from(JSON.stringify(log)) }));
}

/** Whether a log is one that a filter asks for. */
export function matcher({ address, topics = [] }: LogFilter): (log: WireLog) => boolean {
  const wantedTopics = topics.map(oneOf);
  const addresses = oneOf(address ?? null);
  return (log) =>
    (addresses?.has(log.address) ?? true) &&
    log.topics.length >= topics.length &&
    wantedTopics.every((wanted, at) => wanted?.has(log.topics[at]!) ?? true);
}

/** Nothing and an empty list stand for anything. */
function oneOf(wanted: string | readonly string[] | null): ReadonlySet<string> | undefined {
  const all = wanted === null ? [] : [wanted].flat();
  return all.length === 0 ? undefined : new Set(all.map((one) => one.toLowerCase()));
}
