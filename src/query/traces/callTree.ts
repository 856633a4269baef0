import { decodeParameters } from "../../chain/abi/decode.ts";
import type { AbiFunction } from "../../chain/abi/functions.ts";
import { readFunctions } from "../../chain/abi/functions.ts";
import type { Parameter } from "../../chain/abi/signature.ts";
import type { AbiValue } from "../../chain/abi/value.ts";
import type { Bytes } from "../../chain/encoding/bytes.ts";
import type { Hex } from "../../chain/encoding/hex.ts";
import { toHex } from "../../chain/encoding/hex.ts";
import { ChainError } from "../../chain/error.ts";
import { LruCache } from "../../std/maps.ts";
import type { AddressInfos } from "../../store/read/addressInfos.ts";
import type { QueryContext } from "../context.ts";
import { MAX_LISTED_INPUT_LENGTH } from "../decode/decoder.ts";
import type { PageInfo, PageRequest } from "../pages.ts";
import type { CallFrame } from "./callFrames.ts";
import { readFrame } from "./callFrames.ts";
import { listRawTrace } from "./transactionTrace.ts";

/** Values with what is known of them. */
export interface NamedValues {
  readonly parameters: readonly Parameter[];
  readonly values: readonly AbiValue[];
}

export interface TreeCall extends CallFrame {
  /** Name of the function; undefined if it is unknown or none is called. */
  readonly method: string | undefined;
  readonly inputs: NamedValues | undefined;
  /** Undefined if the types are unknown or it failed. */
  readonly outputs: NamedValues | undefined;
  /** Whether it failed by itself rather than by a call that it made. */
  readonly isOrigin: boolean;
  readonly calls: readonly TreeCall[];
}

export interface CallTree {
  readonly roots: readonly TreeCall[];
  /** Of all calls, whatever the page has. */
  readonly gasUsed: number;
  readonly addresses: AddressInfos;
  readonly info: PageInfo;
}

/** Calls of a transaction with decoded arguments and results; undefined if it is unknown. */
export async function readCallTree(
  context: QueryContext,
  hash: Bytes,
  request: PageRequest<Bytes>,
): Promise<CallTree | undefined> {
  const page = await listRawTrace(context, hash, request);
  if (page === undefined) return undefined;
  const frames = page.traces.map(readFrame);
  const functions = page.header === undefined ? new Map() : await readCalled(context, frames, page.header);
  const fallback = await context.decoder.listed(frames.map(({ input }) => input.subarray(0, MAX_LISTED_INPUT_LENGTH)));
  const decoded = frames.map((frame, at) => {
    const own = frame.to && functions.get(toHex(frame.to))?.get(toHex(frame.input.subarray(0, 4)));
    return own ? decodeWith(frame, own) : { ...frame, ...describeFallback(frame, fallback[at]), outputs: undefined };
  });
  const parties = frames.flatMap(({ from, to }) => [from, to].filter((party) => party !== undefined));
  const addresses = await context.store.read((session) => session.addresses.infos(parties));
  return {
    roots: nest(decoded),
    gasUsed: Math.max(...frames.map(({ gasUsed }) => gasUsed), 0),
    addresses,
    info: page.info,
  };
}

type Fallback = Awaited<ReturnType<QueryContext["decoder"]["listed"]>>[number];
type Named = Pick<TreeCall, "method" | "inputs" | "outputs">;

function describeFallback({ input }: CallFrame, found: Fallback | undefined): Omit<Named, "outputs"> {
  const { decoded } = found ?? {};
  const isWhole = decoded !== undefined && input.length <= MAX_LISTED_INPUT_LENGTH;
  const inputs = isWhole && { parameters: decoded.signature.inputs, values: decoded.values as readonly AbiValue[] };
  return { method: found?.name, inputs: inputs || undefined };
}

/** Longer values are not decoded. */
const MAX_VALUES_LENGTH = 16 << 10;

function decodeWith(frame: CallFrame, { signature, outputs }: AbiFunction): CallFrame & Named {
  return {
    ...frame,
    method: signature.name,
    inputs: valuesIn(signature.inputs, frame.input.subarray(4)),
    outputs: outputs && frame.output && valuesIn(outputs, frame.output),
  };
}

function valuesIn(parameters: readonly Parameter[], data: Bytes): NamedValues | undefined {
  if (data.length > MAX_VALUES_LENGTH) return undefined;
  const types = parameters.map(({ type }) => type);
  const values = decodeParameters(types, data);
  return values && { parameters, values };
}

/** Contracts of a trace whose ABIs are looked for. */
const MAX_CONTRACTS = 100;

type FunctionsBySelector = ReadonlyMap<Hex, AbiFunction>;

/** Functions by contract, from verified and imported ABIs. */
async function readCalled(
  { abis, node }: QueryContext,
  frames: readonly CallFrame[],
  at: { readonly number: number; readonly hash: Bytes },
): Promise<Map<Hex, FunctionsBySelector>> {
  const found = new Map<Hex, FunctionsBySelector>();
  if (abis === undefined || abis.isEmpty || node === undefined) return found;
  const called = new Map(frames.flatMap(({ to }) => (to === undefined ? [] : [[toHex(to), to] as const])));
  const codes = await node.state.codes([...called.values()].slice(0, MAX_CONTRACTS), at).catch(rethrowDefects);
  for (const [address, code] of codes ?? []) {
    if (code.length > 0) found.set(address, await functionsOf(abis, code));
  }
  return found;
}

/** Without code, calls are named by what is known of selectors. */
function rethrowDefects(error: unknown): undefined {
  if (!(error instanceof ChainError)) throw error;
}

type Abis = NonNullable<QueryContext["abis"]>;

const MAX_KEPT = 100;

/** Parsed ABIs by code, until contracts are verified or imported. */
const parsed = new WeakMap<object, LruCache<string, FunctionsBySelector>>();

async function functionsOf(abis: Abis, code: Bytes): Promise<FunctionsBySelector> {
  const kept = parsed.get(abis.all) ?? new LruCache<string, FunctionsBySelector>(MAX_KEPT);
  parsed.set(abis.all, kept);
  const key = toHex(code);
  const known = kept.get(key);
  if (known !== undefined) return known;
  const text = await abis.textOfCode(code);
  const functions = text === undefined ? [] : readFunctions(JSON.parse(text) as readonly unknown[]);
  const bySelector = new Map(functions.map((each) => [each.selector, each]));
  kept.set(key, bySelector);
  return bySelector;
}

type Open = CallFrame & Named & { calls: Open[]; isOrigin: boolean };

/** Calls in preorder as a tree. A page may begin inside of one. */
function nest(frames: readonly (CallFrame & Named)[]): readonly TreeCall[] {
  const roots: Open[] = [];
  const open: Open[] = [];
  for (const frame of frames) {
    const call: Open = { ...frame, calls: [], isOrigin: frame.error !== undefined };
    while (open.length > 0 && open.at(-1)!.depth >= frame.depth) open.pop();
    const caller = open.at(-1);
    (caller?.calls ?? roots).push(call);
    // An error that a call passes on came from the call that failed last.
    if (frame.error !== undefined) for (const outer of open) if (outer.error !== undefined) outer.isOrigin = false;
    open.push(call);
  }
  return roots;
}
