import type { ProxyContract, ProxyType } from "../../chain/contract/proxy.ts";
import { proxyOf, proxySlots } from "../../chain/contract/proxy.ts";
import type { Bytes } from "../../chain/encoding/bytes.ts";
import { EMPTY } from "../../chain/encoding/bytes.ts";
import type { Hex } from "../../chain/encoding/hex.ts";
import { toHex } from "../../chain/encoding/hex.ts";
import { uintToBigInt } from "../../chain/encoding/uint.ts";
import { WireReader } from "../../chain/encoding/wire.ts";
import { ChainError } from "../../chain/error.ts";
import type { CallOutcome, Head } from "../../chain/source.ts";
import type { ReadThrough, StateQuestion } from "./readThrough.ts";

type At = Pick<Head, "number" | "hash">;

export interface NodeAccount {
  readonly balance: bigint;
  readonly code: Bytes;
}

export interface ProxyTargets {
  readonly type: ProxyType;
  readonly implementations: readonly Bytes[];
}

interface KnownState {
  readonly accounts: Map<Hex, NodeAccount>;
  readonly balances: Map<Hex, bigint>;
  readonly codes: Map<Hex, Bytes>;
  readonly proxies: Map<Hex, ProxyTargets | null>;
}

const MAX_KEPT = 16 << 20;
const OVERHEAD = 200;
/** Selector of `implementation()` on beacons. */
const IMPLEMENTATION = Uint8Array.of(0x5c, 0x60, 0xda, 0x1b);

/** Account state from the node, cached per state. */
export class NodeState {
  readonly #readThrough: ReadThrough;
  #state = "";
  #known = nothingKnown();
  #size = 0;

  constructor(readThrough: ReadThrough) {
    this.#readThrough = readThrough;
  }

  /** Undefined if the node does not answer in time. */
  async account(address: Bytes, at: At): Promise<NodeAccount | undefined> {
    const [{ accounts }, key] = [this.#knownAt(at), toHex(address)];
    const known = accounts.get(key);
    if (known !== undefined) return known;
    const account = await this.#askAccount(key, at).catch(absentOnFailure);
    if (account !== undefined) this.#keep(accounts, key, account, account.code.length);
    return account;
  }

  /** Undefined if the node does not answer. */
  async nonce(address: Bytes, at: At): Promise<bigint | undefined> {
    const question = { method: "eth_getTransactionCount", params: [toHex(address)] } as const;
    const answer = await this.#readThrough.state([question], at).catch(absentOnFailure);
    return answer && readUnlessInvalid(() => uintToBigInt(new WireReader().uint(answer[0], "nonce")));
  }

  /** Wei by address; missing if the node does not answer. */
  balances(addresses: readonly Bytes[], at: At): Promise<ReadonlyMap<Hex, bigint>> {
    const { balances } = this.#knownAt(at);
    return this.#readMany(balances, addresses.map(toHex), (unknown) => this.#askBalances(unknown, at));
  }

  /** By address; missing if the node does not answer. */
  codes(addresses: readonly Bytes[], at: At): Promise<ReadonlyMap<Hex, Bytes>> {
    const { codes } = this.#knownAt(at);
    return this.#readMany(codes, addresses.map(toHex), (unknown) => this.#askCodes(unknown, at));
  }

  /** Null if it is no known kind of proxy; undefined if the node does not answer. */
  async proxy(address: Bytes, code: Bytes, at: At): Promise<ProxyTargets | null | undefined> {
    return (await this.proxies(new Map([[toHex(address), code]]), at)).get(toHex(address));
  }

  /** By address; missing if the node does not answer. */
  proxies(codes: ReadonlyMap<Hex, Bytes>, at: At): Promise<ReadonlyMap<Hex, ProxyTargets | null>> {
    const { proxies } = this.#knownAt(at);
    return this.#readMany(proxies, [...codes.keys()], (unknown) => this.#askProxies(unknown, codes, at));
  }

  async #readMany<T extends Bytes | bigint | ProxyTargets | null>(
    known: Map<Hex, T>,
    addresses: readonly Hex[],
    ask: (unknown: readonly Hex[]) => Promise<ReadonlyMap<Hex, T>>,
  ): Promise<ReadonlyMap<Hex, T>> {
    const unknown = [...new Set(addresses)].filter((address) => !known.has(address));
    const answers = unknown.length === 0 ? undefined : await ask(unknown).catch(absentOnFailure);
    for (const [address, answer] of answers ?? []) {
      this.#keep(known, address, answer, answer instanceof Uint8Array ? answer.length : 0);
    }
    const found = new Map<Hex, T>();
    for (const address of addresses) {
      const answer = known.get(address);
      if (answer !== undefined) found.set(address, answer);
    }
    return found;
  }

  #keep<T>(known: Map<Hex, T>, address: Hex, answer: T, size: number): void {
    known.set(address, answer);
    this.#size += OVERHEAD + size;
  }

  #knownAt(at: At): KnownState {
    const state = this.#readThrough.stateName(at);
    if (this.#state !== state || this.#size > MAX_KEPT) {
      this.#known = nothingKnown();
      this.#size = 0;
    }
    this.#state = state;
    return this.#known;
  }

  async #askAccount(address: Hex, at: At): Promise<NodeAccount> {
    const questions: StateQuestion[] = [
      { method: "eth_getBalance", params: [address] },
      { method: "eth_getCode", params: [address] },
    ];
    const [balance, code] = await this.#readThrough.state(questions, at);
    const reader = new WireReader();
    return { balance: uintToBigInt(reader.uint(balance, "balance")), code: reader.code(code).slice() };
  }

  async #askBalances(addresses: readonly Hex[], at: At): Promise<ReadonlyMap<Hex, bigint>> {
    const ask = (address: Hex): StateQuestion => ({ method: "eth_getBalance", params: [address] });
    const balances = await this.#readThrough.state(addresses.map(ask), at);
    const read = (i: number) => uintToBigInt(new WireReader().uint(balances[i], "balance"));
    return present(addresses, (_, i) => readUnlessInvalid(() => read(i)));
  }

  async #askCodes(addresses: readonly Hex[], at: At): Promise<ReadonlyMap<Hex, Bytes>> {
    const ask = (address: Hex): StateQuestion => ({ method: "eth_getCode", params: [address] });
    const codes = await this.#readThrough.state(addresses.map(ask), at);
    return present(addresses, (_, i) => readUnlessInvalid(() => new WireReader().code(codes[i]).slice()));
  }

  async #askProxies(
    addresses: readonly Hex[],
    codes: ReadonlyMap<Hex, Bytes>,
    at: At,
  ): Promise<ReadonlyMap<Hex, ProxyTargets | null>> {
    const slots = addresses.flatMap((address) =>
      proxySlots(codes.get(address) ?? EMPTY).map((slot) => ({ address, slot })),
    );
    const ask = ({ address, slot }: (typeof slots)[number]): StateQuestion => ({
      method: "eth_getStorageAt",
      params: [address, slot],
    });
    const words = slots.length === 0 ? [] : await this.#readThrough.state(slots.map(ask), at);
    const held = slots.map((each, i) => ({ ...each, word: words[i] }));
    const proxies = addresses.map((address) => {
      const own = held.filter((each) => each.address === address);
      return readUnlessInvalid(() => proxyIn(codes.get(address) ?? EMPTY, own));
    });
    const beacons = await this.#askBeacons(
      proxies.map((proxy) => proxy?.beacon),
      at,
    );
    return present(addresses, (_, i) => {
      const proxy = proxies[i];
      if (!proxy?.beacon) return proxy && { type: proxy.type, implementations: proxy.implementations };
      const implementations = beacons[i];
      return implementations && { type: proxy.type, implementations };
    });
  }

  /** In order; undefined if the node does not answer, empty if the beacon returns nothing. */
  async #askBeacons(
    beacons: readonly (Bytes | undefined)[],
    at: At,
  ): Promise<readonly (readonly Bytes[] | undefined)[]> {
    const asked = beacons.filter((beacon) => beacon !== undefined);
    if (asked.length === 0) return [];
    const calls = asked.map((to) => ({ to, data: IMPLEMENTATION }));
    const answer = await this.#readThrough.calls(calls, at).catch(absentOnFailure);
    return beacons.map((beacon) => beacon && implementationIn(answer?.[asked.indexOf(beacon)]));
  }
}

function nothingKnown(): KnownState {
  return { accounts: new Map(), balances: new Map(), codes: new Map(), proxies: new Map() };
}

function present<T>(addresses: readonly Hex[], find: (address: Hex, at: number) => T | undefined): Map<Hex, T> {
  const found = new Map<Hex, T>();
  for (const [at, address] of addresses.entries()) {
    const one = find(address, at);
    if (one !== undefined) found.set(address, one);
  }
  return found;
}

function proxyIn(code: Bytes, places: readonly { readonly slot: Hex; readonly word: unknown }[]): ProxyContract | null {
  const reader = new WireReader();
  const slots = places.map(({ slot, word }) => [slot, reader.bytes(word, "storage", 32)] as const);
  return proxyOf(code, new Map(slots)) ?? null;
}

function implementationIn(answer: CallOutcome | undefined): readonly Bytes[] | undefined {
  if (answer === undefined || answer instanceof ChainError) return undefined;
  return answer === "reverted" || answer.length !== 32 ? [] : [answer.slice(12)];
}

/** Skips an account with invalid data. */
function readUnlessInvalid<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    return absentOnFailure(error);
  }
}

/** A missing answer does not fail the request. */
function absentOnFailure(error: unknown): undefined {
  if (!(error instanceof ChainError)) throw error;
}
