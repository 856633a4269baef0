import { setImmediate as yieldToEventLoop } from "node:timers/promises";
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

export type LoggedData = Pick<Log, "address" | "topics"> & { readonly data: Bytes | null };

/** Longer data stays raw, since rendering it would block the event loop. */
export const MAX_DECODED_LENGTH = 64 << 10;
/** Longer inputs are omitted from lists: a page of rollup batches would be hundreds of megabytes. */
export const MAX_LISTED_INPUT_LENGTH = 1024;
export const MAX_LOGGED = 1 << 20;
export const MAX_EMITTERS = 100;
/** Milliseconds between reports of ABI problems. */
const ERROR_PAUSE = 60_000;
const TURN = 16 << 10;

export interface DecoderOptions {
  readonly nodeState?: NodeState | undefined;
  readonly abis?: Abis | undefined;
  /** Milliseconds to wait for bytecode analysis; its result is cached for later requests. */
  readonly timeout?: number;
  /** Milliseconds to wait for the node. */
  readonly deadline?: number | undefined;
  readonly onError?: (what: string, reason: string) => void;
}

/** For an input too long for lists, its selector. */
export type ListedInput = Bytes | { readonly selector: Bytes };

/** Method name, and the decoded call if it is short. */
interface ListedCall {
  readonly name: string | undefined;
  readonly decoded: Decoded | undefined;
}

/**
 * Decodes by, in order: the contract's ABI, its implementation's ABI, all imported ABIs and well-known signatures,
 * bytecode analysis. Code is only fetched if there are ABIs.
 */
export class Decoder {
  readonly #nodeState: NodeState | undefined;
  readonly #abis: Abis | undefined;
  readonly #recovery: Recovery;
  readonly #timeout: number;
  readonly #deadline: number;
  readonly #onError: (what: string, reason: string) => void;
  #reportedAt = Number.NEGATIVE_INFINITY;

  constructor({ nodeState, abis, timeout = 2000, deadline = 5000, onError = () => {} }: DecoderOptions) {
    this.#timeout = timeout;
    this.#deadline = deadline;
    this.#onError = onError;
    this.#nodeState = nodeState;
    this.#abis = abis;
    this.#recovery = new Recovery({ onError: (reason) => onError("bytecode could not be analysed", reason) });
  }

  /** Whether decoding needs the code of contracts. */
  get hasAbis(): boolean {
    return this.#abis !== undefined && !this.#abis.isEmpty;
  }

  close(): Promise<void> {
    return this.#recovery.close();
  }

  deadline(): Deadline {
    return new Deadline(this.#deadline);
  }

  /** By the contract at a block; undefined if no signature matches completely. */
  async call(contract: Bytes, input: Bytes, at: At | undefined, by = this.deadline()): Promise<Decoded | undefined> {
    if (input.length < 4 || input.length > MAX_DECODED_LENGTH) return undefined;
    const own = await this.#ownAbis([contract], at, by);
    const decoded = decodeCall(input, [...(own?.get(toHex(contract)) ?? []), ...this.#shared()]);
    return decoded ?? decodeCall(input, (await by.wait(this.#recovered(contract, at, by))) ?? []);
  }

  async revert(contract: Bytes | null, data: Bytes, at: At | undefined, by = this.deadline()): Promise<RevertReason> {
    if (data.length > MAX_DECODED_LENGTH) return { raw: data };
    const own = contract && (await this.#ownAbis([contract], at, by))?.get(toHex(contract));
    return decodeRevert(data, [...(own ?? []), ...this.#shared()]);
  }

  /** By the emitter at a block; undefined if no signature matches completely. */
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

  /** Undefined if it takes too long or the queue is full. */
  async recover(code: Bytes): Promise<readonly RecoveredFunction[] | undefined> {
    try {
      const recovered = await withTimeout(this.#recovery.recover(code), this.#timeout, () => undefined);
      return recovered?.functions;
    } catch (error) {
      if (error instanceof ChainError) return undefined;
      throw error;
    }
  }

  /** By shared signatures only; makes no requests. */
  listed(inputs: readonly ListedInput[]): Promise<readonly ListedCall[]> {
    const shared = this.#shared();
    return inTurns(inputs, sizeOfListed, (input) => {
      if (!isShort(input)) return { name: signatureBy(selectorOf(input), shared)?.name, decoded: undefined };
      const decoded = decodeCall(input, shared);
      return { name: decoded?.signature.name, decoded };
    });
  }

  listedNames(inputs: readonly ListedInput[]): Promise<readonly (string | undefined)[]> {
    const signatureOf = this.signaturesOfCalls();
    return inTurns(inputs, sizeOfListed, (input) => signatureOf(input)?.name);
  }

  listedSignatures(inputs: readonly ListedInput[]): Promise<readonly (Signature | undefined)[]> {
    return inTurns(inputs, sizeOfListed, this.signaturesOfCalls());
  }

  /** Returns a cheap function for one call at a time. */
  signaturesOfCalls(): (input: ListedInput) => Signature | undefined {
    const shared = this.#shared();
    const signatures = new CallSignatures(shared);
    return (input) => (isShort(input) ? signatures.signatureOf(input) : signatureBy(selectorOf(input), shared));
  }

  /** Anonymous events of one contract do not apply to others. */
  #shared(): readonly Candidates[] {
    if (this.#abis === undefined || this.#abis.isEmpty) return [KNOWN];
    const { functions, events, errors } = this.#abis.all;
    return [{ origin: "known", signatures: { functions, events, errors } }, KNOWN];
  }

  /** ABIs of contracts and implementations by address; undefined if none arrive in time. */
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

  /** An unreadable ABI does not fail the request. */
  async #abiOf(code: Bytes, by: Deadline): Promise<Signatures | undefined> {
    try {
      return await this.#abis?.ofCode(code);
    } catch (error) {
      if (!(error instanceof ChainError)) throw error;
      by.miss();
      const now = performance.now();
      if (now - this.#reportedAt >= ERROR_PAUSE) {
        this.#reportedAt = now;
        this.#onError("an imported ABI could not be read", error.message);
      }
      return undefined;
    }
  }

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
      const candidates = (await withTimeout(recovered, this.#timeout, () => undefined)) ?? [undefined];
      const inFull = candidates.filter((one) => one !== undefined);
      if (inFull.length < candidates.length) by.miss();
      return inFull;
    } catch (error) {
      if (!(error instanceof ChainError)) throw error;
      // The analysis queue is full, so the call stays raw.
      by.miss();
      return [];
    }
  }
}

interface ContractCodes {
  readonly codes: ReadonlyMap<Hex, Bytes>;
  readonly targets: ReadonlyMap<Hex, readonly Bytes[]>;
}

/** Undefined if several match, since their parameter names differ. */
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

/** Maps a page, yielding after large items. */
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
      await yieldToEventLoop();
      size = 0;
    }
    results.push(map(item));
  }
  return results;
}
