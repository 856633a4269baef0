import type { ProxyContract, ProxyType } from "../../chain/contract/proxy.ts";
import { proxyOf, proxySlots } from "../../chain/contract/proxy.ts";
import type { Bytes } from "../../chain/encoding/bytes.ts";
import type { Hex } from "../../chain/encoding/hex.ts";
import { toHex } from "../../chain/encoding/hex.ts";
import { uintToBigInt } from "../../chain/encoding/uint.ts";
import { WireReader } from "../../chain/encoding/wire.ts";
import { ChainError } from "../../chain/error.ts";
import type { CallOutcome, Head } from "../../chain/source.ts";
import type { ReadThrough, StateQuestion } from "./readThrough.ts";

type At = Pick<Head, "number" | "hash">;

/** What an account has at a block. */
export interface NodeAccount {
  readonly balance: bigint;
  readonly code: Bytes;
}

/** Who runs in place of a contract. */
export interface ProxyTargets {
  readonly type: ProxyType;
  readonly implementations: readonly Bytes[];
}

type StateAnswer = NodeAccount | ProxyTargets | Bytes | null;

/** Bytes of code kept in memory. */
const MOST_KEPT = 16 << 20;
/** What keeping anything costs beside its code. */
const OVERHEAD = 200;
/** `implementation()`, which beacons answer. */
const IMPLEMENTATION = Uint8Array.of(0x5c, 0x60, 0xda, 0x1b);

/** What the node says of accounts after a block: their balance, their code, and who runs for them. Kept until that state is another. */
export class NodeState {
  readonly #readThrough: ReadThrough;
  #state = "";
  #known = new Map<string, StateAnswer>();
  #size = 0;

  constructor(readThrough: ReadThrough) {
    this.#readThrough = readThrough;
  }

  /** Undefined where the node does not say, or not in time. */
  account(address: Bytes, at: At): Promise<NodeAccount | undefined> {
    return this.#readOne(`account ${toHex(address)}`, at, () => this.#askAccount(toHex(address), at));
  }

  /** How many transactions it sent or contracts it made; undefined where the node does not say. */
  async nonce(address: Bytes, at: At): Promise<bigint | undefined> {
    const question = { method: "eth_getTransactionCount", params: [toHex(address)] } as const;
    const answer = await this.#readThrough.state([question], at).catch(absentOnFailure);
    return answer && readUnlessInvalid(() => uintToBigInt(new WireReader().uint(answer[0], "nonce")));
  }

  /** The code of accounts, by the hex of their addresses; those of which the node does not say are absent. */
  codes(addresses: readonly Bytes[], at: At): Promise<ReadonlyMap<Hex, Bytes>> {
    return this.#readMany("code", addresses.map(toHex), at, (unknown) => this.#askCodes(unknown, at));
  }

  /** Null for what is no proxy of a known kind; undefined where the node does not say. */
  async proxy(address: Bytes, code: Bytes, at: At): Promise<ProxyTargets | null | undefined> {
    return (await this.proxies(new Map([[toHex(address), code]]), at)).get(toHex(address));
  }

  /** Who runs for contracts with some code, by their addresses; those of which the node does not say are absent. */
  proxies(codes: ReadonlyMap<Hex, Bytes>, at: At): Promise<ReadonlyMap<Hex, ProxyTargets | null>> {
    return this.#readMany("proxy", [...codes.keys()], at, (unknown) => this.#askProxies(unknown, codes, at));
  }

  async #readOne(key: string, at: At, ask: () => Promise<NodeAccount>) {
    const known = this.#cacheAt(this.#readThrough.stateName(at));
    if (known.has(key)) return known.get(key) as NodeAccount;
    const answer = await ask().catch(absentOnFailure);
    if (answer !== undefined) this.#keep(known, key, answer);
    return answer;
  }

  async #readMany<T extends Bytes | ProxyTargets | null>(
    kind: "code" | "proxy",
    addresses: readonly Hex[],
    at: At,
    ask: (unknown: readonly Hex[]) => Promise<readonly (T | undefined)[]>,
  ): Promise<ReadonlyMap<Hex, T>> {
    const known = this.#cacheAt(this.#readThrough.stateName(at));
    const wanted = [...new Set(addresses)];
    const unknown = wanted.filter((address) => !known.has(`${kind} ${address}`));
    const answer = unknown.length === 0 ? [] : ((await ask(unknown).catch(absentOnFailure)) ?? []);
    for (const [i, one] of answer.entries()) {
      if (one !== undefined) this.#keep(known, `${kind} ${unknown[i]}`, one);
    }
    const present = wanted.filter((address) => known.has(`${kind} ${address}`));
    return new Map(present.map((address) => [address, known.get(`${kind} ${address}`) as T]));
  }

  #keep(known: Map<string, StateAnswer>, key: string, answer: StateAnswer): void {
    known.set(key, answer);
    this.#size += OVERHEAD;
    if (answer instanceof Uint8Array) this.#size += answer.length;
    else if (answer !== null && "code" in answer) this.#size += answer.code.length;
  }

  #cacheAt(state: string) {
    if (this.#state !== state || this.#size > MOST_KEPT) {
      this.#known = new Map();
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
    return { balance: uintToBigInt(reader.uint(balance, "balance")), code: reader.bytes(code, "code").slice() };
  }

  async #askCodes(addresses: readonly Hex[], at: At): Promise<(Bytes | undefined)[]> {
    const ask = (address: Hex): StateQuestion => ({ method: "eth_getCode", params: [address] });
    const codes = await this.#readThrough.state(addresses.map(ask), at);
    return addresses.map((_, i) => readUnlessInvalid(() => new WireReader().bytes(codes[i], "code").slice()));
  }

  async #askProxies(
    addresses: readonly Hex[],
    codes: ReadonlyMap<Hex, Bytes>,
    at: At,
  ): Promise<(ProxyTargets | null | undefined)[]> {
    const places = addresses.flatMap((address) => proxySlots(codes.get(address)!).map((slot) => ({ address, slot })));
    const ask = ({ address, slot }: (typeof places)[number]): StateQuestion => ({
      method: "eth_getStorageAt",
      params: [address, slot],
    });
    const words = places.length === 0 ? [] : await this.#readThrough.state(places.map(ask), at);
    const held = places.map((place, i) => ({ ...place, word: words[i] }));
    const proxies = addresses.map((address) => {
      const own = held.filter((place) => place.address === address);
      return readUnlessInvalid(() => proxyIn(codes.get(address)!, own));
    });
    const beacons = await this.#askBeacons(
      proxies.map((proxy) => proxy?.beacon),
      at,
    );
    return proxies.map((proxy, i) => {
      if (!proxy?.beacon) return proxy && { type: proxy.type, implementations: proxy.implementations };
      const implementations = beacons[i];
      return implementations && { type: proxy.type, implementations };
    });
  }

  /** Whom beacons have run, in their order; undefined where the node does not say. One that says nothing has nobody run. */
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

/** Null for what is no proxy of a known kind. */
function proxyIn(code: Bytes, places: readonly { readonly slot: Hex; readonly word: unknown }[]): ProxyContract | null {
  const reader = new WireReader();
  const slots = places.map(({ slot, word }) => [slot, reader.bytes(word, "storage", 32)] as const);
  return proxyOf(code, new Map(slots)) ?? null;
}

function implementationIn(answer: CallOutcome | undefined): readonly Bytes[] | undefined {
  if (answer === undefined || answer instanceof ChainError) return undefined;
  return answer === "reverted" || answer.length !== 32 ? [] : [answer.slice(12)];
}

/** What makes no sense of one account is left out, and the others stay. */
function readUnlessInvalid<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    return absentOnFailure(error);
  }
}

/** A node that does not answer is no failure of the request: what it would have said is left out. */
function absentOnFailure(error: unknown): undefined {
  if (!(error instanceof ChainError)) throw error;
}
