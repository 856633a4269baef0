import { setImmediate as others } from "node:timers/promises";
import { KNOWN } from "../../chain/abi/known.ts";
import type { Signatures } from "../../chain/abi/parseAbi.ts";
import type { Candidates, Decoded } from "../../chain/abi/resolve.ts";
import { CallSignatures, decodeCall, decodeLog } from "../../chain/abi/resolve.ts";
import type { RevertReason } from "../../chain/abi/revert.ts";
import { decodeRevert } from "../../chain/abi/revert.ts";
import type { Signature } from "../../chain/abi/signature.ts";
import { canonicalText } from "../../chain/abi/signature.ts";
import type { Log } from "../../chain/block/receipt.ts";
import type { Bytes } from "../../chain/encoding/bytes.ts";
import type { Hex } from "../../chain/encoding/hex.ts";
import { toHex } from "../../chain/encoding/hex.ts";
import { ChainError } from "../../chain/error.ts";
import type { Head } from "../../chain/source.ts";
import { Deadline, withTimeout } from "../../std/async.ts";
import type { NodeState } from "../node/nodeState.ts";
import type { Abis } from "./abis.ts";
import type { RecoveredFunction } from "./recoverFunctions.ts";
import { Recovery } from "./recovery.ts";

type At = Pick<Head, "number" | "hash">;

/** A log whose data may have been left out. */
export type LoggedData = Pick<Log, "address" | "topics"> & { readonly data: Bytes | null };

/** What is longer stays raw: to show it would hold up all others. */
export const MAX_DECODED_LENGTH = 64 << 10;
/** In a list a longer input is left out and not decoded: a page of a rollup's batches would be hundreds of megabytes. */
export const MAX_LISTED_INPUT_LENGTH = 1024;
/** Bytes of the logs of one page that are decoded. */
export const MAX_LOGGED = 1 << 20;
/** Contracts whose code is asked for to decode one page of logs. */
export const MAX_EMITTERS = 100;
/** Trouble with ABIs is reported once in so many milliseconds. */
const TROUBLE_PAUSE = 60_000;
/** Bytes decoded before others have their turn. */
const TURN = 16 << 10;

export interface DecoderOptions {
  /** Without a node nobody's code is known. */
  readonly nodeState?: NodeState | undefined;
  readonly abis?: Abis | undefined;
  /** Milliseconds that a call waits for the analysis of bytecode; it is there for the next who asks. */
  readonly patience?: number;
  /** Milliseconds that an answer waits for all that the node is asked to decode it. */
  readonly deadline?: number | undefined;
  /** What could not be used to decode, and why. */
  readonly onTrouble?: (what: string, reason: string) => void;
}

/** An input in a list; of one that is too long for lists the first four bytes do. */
export type ListedInput = Bytes | { readonly selector: Bytes };

/** What a call in a list is: its name, and all of it where it is short. */
export interface ListedCall {
  readonly name: string | undefined;
  readonly decoded: Decoded | undefined;
}

/**
 * Decodes with, in this order: the ABI of the contract, that of its proxy implementation, all imported ABIs and the
 * well-known signatures, its bytecode. What the first three decode asks the node for code only where there are ABIs.
 */
export class Decoder {
  readonly #nodeState: NodeState | undefined;
  readonly #abis: Abis | undefined;
  readonly #recovery: Recovery;
  readonly #patience: number;
  readonly #deadline: number;
  readonly #onTrouble: (what: string, reason: string) => void;
  #reportedAt = Number.NEGATIVE_INFINITY;

  constructor({ nodeState, abis, patience = 2000, deadline = 5000, onTrouble = () => {} }: DecoderOptions) {
    this.#patience = patience;
    this.#deadline = deadline;
    this.#onTrouble = onTrouble;
    this.#nodeState = nodeState;
    this.#abis = abis;
    this.#recovery = new Recovery({ onTrouble: (reason) => onTrouble("bytecode could not be analysed", reason) });
  }

  /** Whether decoding asks for the code of contracts before all else. */
  get hasAbis(): boolean {
    return this.#abis !== undefined && !this.#abis.isEmpty;
  }

  close(): Promise<void> {
    return this.#recovery.close();
  }

  /** The deadline of one request, for all that it asks the node. */
  deadline(): Deadline {
    return new Deadline(this.#deadline);
  }

  /** Decodes a call of a contract, by what the contract is at a block; undefined where nothing takes it to its end. */
  async call(contract: Bytes, input: Bytes, at: At | undefined, by = this.deadline()): Promise<Decoded | undefined> {
    if (input.length < 4 || input.length > MAX_DECODED_LENGTH) return undefined;
    const own = await this.#ownAbis([contract], at, by);
    const decoded = decodeCall(input, [...(own?.get(toHex(contract)) ?? []), ...this.#shared()]);
    return decoded ?? decodeCall(input, (await by.wait(this.#recovered(contract, at, by))) ?? []);
  }

  /** Decodes what a call of a contract, or the creation of one, reverted with. */
  async revert(contract: Bytes | null, data: Bytes, at: At | undefined, by = this.deadline()): Promise<RevertReason> {
    if (data.length > MAX_DECODED_LENGTH) return { raw: data };
    const own = contract && (await this.#ownAbis([contract], at, by))?.get(toHex(contract));
    return decodeRevert(data, [...(own ?? []), ...this.#shared()]);
  }

  /** Decodes logs, each by what its emitter is at a block; undefined where nothing takes one to its end. */
  async logs(
    logs: readonly LoggedData[],
    at: At | undefined,
    by = this.deadline(),
  ): Promise<readonly (Decoded | undefined)[]> {
    const emitters = new Map(logs.map(({ address }) => [toHex(address), address]));
    const own = await this.#ownAbis([...emitters.values()].slice(0, MAX_EMITTERS), at, by);
    const shared = this.#shared();
    let bytes = 0;
    return inTurns(logs, sizeOfLog, ({ address, topics, data }) => {
      if (data === null || data.length > MAX_DECODED_LENGTH) return undefined;
      bytes += topics.length + data.length;
      if (bytes > MAX_LOGGED) return undefined;
      return decodeLog({ topics, data }, [...(own?.get(toHex(address)) ?? []), ...shared]);
    });
  }

  /** The functions that bytecode shows; undefined where that takes too long, or too many wait for it. */
  async recover(code: Bytes): Promise<readonly RecoveredFunction[] | undefined> {
    try {
      const recovered = await withTimeout(this.#recovery.recover(code), this.#patience, () => undefined);
      return recovered?.functions;
    } catch (error) {
      if (error instanceof ChainError) return undefined;
      throw error;
    }
  }

  /** What calls are by the signatures that all contracts share. Asks nobody. */
  listed(inputs: readonly ListedInput[]): Promise<readonly ListedCall[]> {
    const shared = this.#shared();
    return inTurns(inputs, sizeOfListed, (input) => {
      if (!isShort(input)) return { name: signatureBy(selectorOf(input), shared)?.name, decoded: undefined };
      const decoded = decodeCall(input, shared);
      return { name: decoded?.signature.name, decoded };
    });
  }

  /** The names alone of calls in a list. */
  listedNames(inputs: readonly ListedInput[]): Promise<readonly (string | undefined)[]> {
    const signatureOf = this.signaturesOfCalls();
    return inTurns(inputs, sizeOfListed, (input) => signatureOf(input)?.name);
  }

  /** The functions of calls in a list. */
  listedSignatures(inputs: readonly ListedInput[]): Promise<readonly (Signature | undefined)[]> {
    return inTurns(inputs, sizeOfListed, this.signaturesOfCalls());
  }

  /** Tells the functions of calls one by one, which are short work each. */
  signaturesOfCalls(): (input: ListedInput) => Signature | undefined {
    const shared = this.#shared();
    const signatures = new CallSignatures(shared);
    return (input) => (isShort(input) ? signatures.signatureOf(input) : signatureBy(selectorOf(input), shared));
  }

  /** An anonymous event of one contract says nothing of the logs of another. */
  #shared(): readonly Candidates[] {
    if (this.#abis === undefined || this.#abis.isEmpty) return [KNOWN];
    const { functions, events, errors } = this.#abis.all;
    return [{ origin: "known", signatures: { functions, events, errors } }, KNOWN];
  }

  /** The ABIs of contracts and of their implementations, by the hex of their addresses; undefined if there are none, or not in time. */
  async #ownAbis(contracts: readonly Bytes[], at: At | undefined, by: Deadline) {
    if (!this.hasAbis || this.#nodeState === undefined || at === undefined) return undefined;
    return by.wait(this.#findAbis(this.#nodeState, contracts, at, by));
  }

  async #findAbis(
    nodeState: NodeState,
    contracts: readonly Bytes[],
    at: At,
    by: Deadline,
  ): Promise<ReadonlyMap<Hex, readonly Candidates[]>> {
    const found = new Map<Hex, Candidates[]>();
    const { codes, targets } = await this.#codesOf(nodeState, contracts, at, by);
    for (const [contract, code] of codes) {
      const own = await this.#candidates("abi", [code], by);
      found.set(contract, [...own, ...(await this.#candidates("implementation", targets.get(contract) ?? [], by))]);
    }
    return found;
  }

  async #candidates(
    origin: "abi" | "implementation",
    codes: readonly Bytes[],
    by: Deadline,
  ): Promise<readonly Candidates[]> {
    const contracts = codes.filter(({ length }) => length > 0);
    const found = await Promise.all(contracts.map((code) => this.#abiOf(code, by)));
    return found.filter((signatures) => signatures !== undefined).map((signatures) => ({ origin, signatures }));
  }

  /** An ABI that cannot be read is no failure of the request: the other origins are used. */
  async #abiOf(code: Bytes, by: Deadline): Promise<Signatures | undefined> {
    try {
      return await this.#abis?.ofCode(code);
    } catch (error) {
      if (!(error instanceof ChainError)) throw error;
      by.miss();
      const now = performance.now();
      if (now - this.#reportedAt >= TROUBLE_PAUSE) {
        this.#reportedAt = now;
        this.#onTrouble("an imported ABI could not be read", error.message);
      }
      return undefined;
    }
  }

  /** The code of contracts, and that of their implementations. */
  async #codesOf(nodeState: NodeState, contracts: readonly Bytes[], at: At, by: Deadline): Promise<ContractCodes> {
    const codes = await nodeState.codes(contracts, at);
    const proxies = await nodeState.proxies(codes, at);
    const implementations = [...proxies.values()].flatMap((proxy) => proxy?.implementations ?? []);
    const known = await nodeState.codes(implementations, at);
    const areKnown = contracts.every((one) => codes.has(toHex(one)));
    const areTargetsKnown = proxies.size === codes.size && implementations.every((one) => known.has(toHex(one)));
    if (!areKnown || !areTargetsKnown) by.miss();
    const codeOf = (address: Bytes) => known.get(toHex(address));
    const targets = new Map(
      [...proxies].map(([contract, proxy]) => [
        contract,
        (proxy?.implementations ?? []).map(codeOf).filter((code) => code !== undefined),
      ]),
    );
    return { codes, targets };
  }

  async #recovered(contract: Bytes, at: At | undefined, by: Deadline): Promise<readonly Candidates[]> {
    if (this.#nodeState === undefined || at === undefined) return [];
    const { codes, targets } = await this.#codesOf(this.#nodeState, [contract], at, by);
    const analysed = [...codes.values(), ...[...targets.values()].flat()].filter(({ length }) => length > 0);
    try {
      const recovered = Promise.all(analysed.map((code) => this.#recovery.recover(code)));
      const candidates = (await withTimeout(recovered, this.#patience, () => undefined)) ?? [undefined];
      const inFull = candidates.filter((one) => one !== undefined);
      if (inFull.length < candidates.length) by.miss();
      return inFull;
    } catch (error) {
      if (!(error instanceof ChainError)) throw error;
      // Too many wait for their analysis: the call stays raw.
      by.miss();
      return [];
    }
  }
}

interface ContractCodes {
  readonly codes: ReadonlyMap<Hex, Bytes>;
  /** Of the implementations of each proxy. */
  readonly targets: ReadonlyMap<Hex, readonly Bytes[]>;
}

/** The function with this selector, where there is only one; others may call its parameters differently. */
function signatureBy(bytes: Bytes, candidates: readonly Candidates[]): Signature | undefined {
  const selector = toHex(bytes);
  const found = candidates.flatMap(({ signatures }) => signatures.functions.get(selector) ?? []);
  const [first] = found;
  if (first === undefined || found.length === 1) return first;
  const text = canonicalText(first);
  return found.every((other) => canonicalText(other) === text) ? first : undefined;
}

const isShort = (input: ListedInput): input is Bytes =>
  input instanceof Uint8Array && input.length <= MAX_LISTED_INPUT_LENGTH;
const selectorOf = (input: ListedInput) => (input instanceof Uint8Array ? input.subarray(0, 4) : input.selector);
const sizeOfListed = (input: ListedInput) => (isShort(input) ? input.length : MAX_LISTED_INPUT_LENGTH);
const sizeOfLog = ({ topics, data }: LoggedData) => topics.length + (data?.length ?? 0);

/** Maps a page, and lets others have their turn where its items are large. */
async function inTurns<T, R>(
  items: readonly T[],
  sizeOf: (item: T) => number,
  map: (item: T) => R,
): Promise<readonly R[]> {
  const results: R[] = [];
  let size = 0;
  for (const item of items) {
    size += sizeOf(item);
    if (size > TURN) {
      await others();
      size = 0;
    }
    results.push(map(item));
  }
  return results;
}
