import { randomBytes } from "node:crypto";
import { quantity, toHex } from "../../chain/encoding/hex.ts";
import { asChainError } from "../../chain/error.ts";
import type { MapBounds } from "../../std/maps.ts";
import { BoundedMap } from "../../std/maps.ts";
import { isObject } from "../../std/values.ts";
import { UpstreamError } from "../failure.ts";
import type { Call } from "../jsonRpc.ts";
import { isTransient } from "../retry.ts";

/** The oldest filter is evicted first. */
export const MAX_FILTERS = 10_000;
export const MAX_FILTER_BYTES = 16 * 1024 ** 2;

export const filterBounds = <V>(paramsOf: (value: V) => readonly unknown[]): MapBounds<V> => ({
  maxEntries: MAX_FILTERS,
  maxSize: MAX_FILTER_BYTES,
  sizeOf: (value) => JSON.stringify(paramsOf(value)).length,
});

/** Blocks replayed when a block filter moves to another node. */
export const MAX_CAUGHT_UP = 1000;

interface Filter<M> {
  readonly call: Call;
  owner: M;
  id: unknown;
  /** Everything up to this block was delivered. */
  seen: number;
  /** Newest hash delivered by a block filter. */
  last: unknown;
  /** Items that the new node may repeat. */
  repeated: { readonly height: number; readonly hashes: ReadonlySet<unknown> };
}

interface FilterSource<M> {
  members(): readonly M[];
  ask(member: M, call: Call): Promise<string>;
}

/**
 * Filters under unguessable ids. Each lives on one node; if that is lost, another takes over and first replays what
 * happened since the last poll.
 */
export class Filters<M> {
  readonly #source: FilterSource<M>;
  readonly #known = new BoundedMap<string, Filter<M>>(filterBounds(({ call }) => call.params));

  constructor(source: FilterSource<M>) {
    this.#source = source;
  }

  async pass({ method, params }: Call): Promise<string> {
    if (method.startsWith("eth_new")) return this.#create({ method, params });
    const own = params[0];
    const filter = typeof own === "string" ? this.#known.get(own) : undefined;
    if (method === "eth_uninstallFilter") return this.#uninstall(own, filter);
    if (filter === undefined) throw noFilter();
    try {
      const text = await this.#source.ask(filter.owner, { method, params: [filter.id, ...params.slice(1)] });
      return method === "eth_getFilterChanges" ? note(filter, JSON.parse(text)) : text;
    } catch (error) {
      if (!isLost(error)) throw error;
      await this.#moveOn(filter);
      const isPoll = method === "eth_getFilterChanges";
      return isPoll ? this.#catchUp(filter) : this.#source.ask(filter.owner, { method, params: [filter.id] });
    }
  }

  async #create(call: Call): Promise<string> {
    const filter: Filter<M> = {
      call,
      owner: this.#source.members()[0]!,
      id: undefined,
      seen: 0,
      last: undefined,
      repeated: NOTHING,
    };
    await this.#moveOn(filter);
    filter.seen = await this.#height(filter.owner);
    const own = toHex(randomBytes(16)).replace(/^0x0+/, "0x");
    this.#known.set(own, filter);
    return JSON.stringify(own);
  }

  /** Recreates the filter on the first node that can. Throws the last error. */
  async #moveOn(filter: Filter<M>): Promise<void> {
    const before = filter.owner;
    const isFresh = filter.id === undefined;
    const others = this.#source.members().filter((member) => isFresh || member !== before);
    let failure: unknown = noFilter();
    for (const owner of others.concat(isFresh ? [] : before)) {
      try {
        filter.id = JSON.parse(await this.#source.ask(owner, filter.call)) as unknown;
        filter.owner = owner;
        return;
      } catch (error) {
        if (!isLost(error)) throw error;
        failure = error;
      }
    }
    throw failure;
  }

  async #catchUp(filter: Filter<M>): Promise<string> {
    const { call, owner, seen } = filter;
    const head = await this.#height(owner);
    filter.repeated = { height: Math.max(head, seen), hashes: new Set() };
    if (call.method === "eth_newBlockFilter") return this.#catchUpBlocks(filter, head);
    if (head <= seen || call.method === "eth_newPendingTransactionFilter") return "[]";
    filter.seen = head;
    const criteria = isObject(call.params[0]) ? call.params[0] : {};
    const [from, to] = [heightOf(criteria.fromBlock, 0), heightOf(criteria.toBlock, head)];
    const range = { fromBlock: quantity(Math.max(from, seen + 1)), toBlock: quantity(Math.min(to, head)) };
    if (Number(range.fromBlock) > Number(range.toBlock)) return "[]";
    return this.#source.ask(owner, { method: "eth_getLogs", params: [{ ...criteria, ...range }] });
  }

  async #catchUpBlocks(filter: Filter<M>, head: number): Promise<string> {
    const { owner, last, seen, repeated } = filter;
    const known = last === undefined ? undefined : await this.#block(owner, "eth_getBlockByHash", last);
    const after = Math.max(known?.number === undefined ? seen : Number(known.number), head - MAX_CAUGHT_UP);
    const numbers = Array.from({ length: Math.max(0, head - after) }, (_, at) => quantity(after + 1 + at));
    const blocks = await Promise.all(numbers.map((number) => this.#block(owner, "eth_getBlockByNumber", number)));
    const hashes = blocks.flatMap((block) => block?.hash ?? []);
    filter.last = hashes.at(-1) ?? last;
    filter.repeated = { ...repeated, hashes: new Set(hashes) };
    return JSON.stringify(hashes);
  }

  async #block(owner: M, method: string, id: unknown): Promise<{ hash?: string; number?: string } | null> {
    const text = await this.#source.ask(owner, { method, params: [id, false] });
    return JSON.parse(text) as { hash?: string; number?: string } | null;
  }

  async #height(owner: M): Promise<number> {
    return Number(JSON.parse(await this.#source.ask(owner, { method: "eth_blockNumber", params: [] })));
  }

  async #uninstall(own: unknown, filter: Filter<M> | undefined): Promise<string> {
    if (filter === undefined) return "false";
    this.#known.delete(String(own));
    try {
      return await this.#source.ask(filter.owner, { method: "eth_uninstallFilter", params: [filter.id] });
    } catch (error) {
      if (isLost(error)) return "true";
      throw error;
    }
  }
}

const NOTHING = { height: -1, hashes: new Set<unknown>() };

/** Records progress and drops items already delivered before the node changed. */
function note<M>(filter: Filter<M>, changes: unknown): string {
  if (!Array.isArray(changes)) return JSON.stringify(changes);
  const { height, hashes } = filter.repeated;
  const isReported = (item: unknown) =>
    isObject(item) ? !item.removed && Number(item.blockNumber) <= height : hashes.has(item);
  const items = (changes as unknown[]).filter((item) => !isReported(item));
  for (const item of items) if (isObject(item)) filter.seen = Math.max(filter.seen, Number(item.blockNumber));
  filter.last = items.at(-1) ?? filter.last;
  return JSON.stringify(items);
}

/** Tags leave the bound open. */
function heightOf(bound: unknown, open: number): number {
  const isNumber = typeof bound === "number" || (typeof bound === "string" && /^0x[0-9a-f]+$/i.test(bound));
  return isNumber ? Number(bound) : open;
}

/** Whether the node is unreachable or has dropped its filters. */
function isLost(error: unknown): boolean {
  const failure = asChainError(error);
  const message = failure instanceof UpstreamError ? failure.rpc?.message : undefined;
  return message === undefined
    ? isTransient(failure) || failure.code === "wrong_chain"
    : /filter not found|unknown filter|no such filter|invalid filter id/i.test(message);
}

function noFilter(): UpstreamError {
  return new UpstreamError("upstream_rejected", "no such filter", {
    rpc: { code: -32_000, message: "filter not found" },
  });
}
