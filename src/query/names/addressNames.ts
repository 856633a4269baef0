import { wellKnownAt } from "../../chain/contract/wellKnownAddresses.ts";
import type { Bytes } from "../../chain/encoding/bytes.ts";
import type { Hex } from "../../chain/encoding/hex.ts";
import { toHex } from "../../chain/encoding/hex.ts";
import { asChainError, ChainError } from "../../chain/error.ts";
import { withTimeout } from "../../std/async.ts";
import type { AddressDescriber, AddressInfo, AddressLabel } from "../../store/read/addressInfo.ts";
import type { KnownToken } from "../../store/stages/tokens/read/tokenReads.ts";
import type { StoreReader } from "../../store/storeReader.ts";
import type { Exchange } from "../exchange/exchange.ts";
import type { PoolName } from "./poolNames.ts";
import { PoolNames } from "./poolNames.ts";

const POLL_INTERVAL = 1000;

/** Milliseconds after the start. */
const FIRST_WAIT = 500;

/** Labels by address; another object after a change. */
export type Labels = () => ReadonlyMap<Hex, string>;

/**
 * Names of addresses: the operator's label, the pair of a pool, the role in a configured exchange, a well-known
 * contract; else the name in the verified source or of the token, which the index has. Asked while pages are made, so it
 * answers from memory.
 */
export class AddressNames implements AddressDescriber {
  readonly #store: StoreReader;
  readonly #exchange: Exchange;
  readonly #labels: Labels;
  readonly #pools = new PoolNames();
  #version: number | undefined;
  #isUsed = true;
  #changes = 0;
  #poller: NodeJS.Timeout | undefined;
  #first: Promise<void> | undefined;
  #lastLabels: ReadonlyMap<Hex, string> | undefined;
  /** Keeps the identity of described infos stable. */
  #described = new WeakMap<AddressInfo, AddressInfo>();

  constructor(store: StoreReader, exchange: Exchange, labels: Labels) {
    this.#store = store;
    this.#exchange = exchange;
    this.#labels = labels;
  }

  /** Number of changes of names. */
  get changes(): number {
    this.#noteLabels();
    return this.#changes;
  }

  /** Learns of new pools. */
  async refresh(): Promise<void> {
    if (await this.#movePools()) this.#forget();
  }

  /** Learns of new pools while pages are asked for: after the first round, which `ready` is about, no request waits. */
  watch(onError: (reason: string) => void, firstWait = FIRST_WAIT): void {
    let isRefreshing = false;
    const poll = async () => {
      if (isRefreshing || !this.#isUsed) return;
      isRefreshing = true;
      this.#isUsed = this.#pools.isBehind;
      try {
        await this.refresh();
      } catch (error) {
        // The store may close meanwhile.
        if (this.#poller !== undefined) onError(asChainError(error).message);
      }
      isRefreshing = false;
    };
    this.#poller = setInterval(poll, POLL_INTERVAL).unref();
    this.#first = withTimeout(poll(), firstWait, () => undefined);
  }

  noteUse(): void {
    this.#isUsed = true;
  }

  /** Once the first pools have names, or that takes too long: what is asked for right after the start has names, too. */
  async ready(): Promise<void> {
    await this.#first;
    this.#first = undefined;
  }

  close(): void {
    clearInterval(this.#poller);
    this.#poller = undefined;
  }

  #noteLabels(): void {
    const labels = this.#labels();
    if (labels === this.#lastLabels) return;
    this.#lastLabels = labels;
    this.#forget();
  }

  #forget(): void {
    this.#described = new WeakMap();
    this.#changes++;
  }

  async #movePools(): Promise<boolean> {
    const { version } = this.#store;
    if (version === this.#version && !this.#pools.isBehind) return false;
    this.#version = version;
    try {
      return await this.#exchange.read((session, view) => this.#pools.move(session, view));
    } catch (error) {
      if (error instanceof ChainError && error.code === "stage_behind") return false;
      throw error;
    }
  }

  of(address: Bytes): AddressLabel | undefined {
    const hex = toHex(address);
    const label = this.#labels().get(hex);
    if (label !== undefined) return { text: label, kind: "label" };
    const pool = this.#pools.of(hex);
    if (pool !== undefined) return poolLabel(pool);
    const factory = this.#exchange.settings.factories.find((each) => each.address === hex);
    if (factory !== undefined) return { text: `${factory.name} factory`, kind: "factory" };
    const known = wellKnownAt(hex);
    return known && { text: known.name, kind: known.kind };
  }

  describe(address: Bytes, info: AddressInfo): AddressInfo {
    this.#noteLabels();
    const known = this.#described.get(info);
    if (known !== undefined) return known;
    const label = this.of(address);
    const described = label === undefined ? info : { ...info, label };
    this.#described.set(info, described);
    return described;
  }

  /** All pairs of an exchange call their shares the same; they are told apart by their tokens. */
  withoutPools(copies: ReadonlySet<KnownToken>): ReadonlySet<KnownToken> {
    return new Set([...copies].filter(({ address }) => this.#pools.of(toHex(address)) === undefined));
  }

  /** Undefined if it has no name. */
  poolAt(address: Bytes): PoolName | undefined {
    return this.#pools.of(toHex(address));
  }

  pools(): IterableIterator<PoolName> {
    return this.#pools.all();
  }

  labels(): ReadonlyMap<Hex, string> {
    return this.#labels();
  }
}

/** A pair is also the token of its shares. */
function poolLabel({ symbols, fee, hasCopy }: PoolName): AddressLabel {
  const pair = `${symbols[0]}/${symbols[1]}`;
  // The fee of a pool that changes it is no name.
  return { text: fee === 0 ? pair : `${pair} ${fee / 10_000}%`, kind: "pool", hasCopy };
}
