import assert from "node:assert/strict";
import type { Abi, AbiEvent, AbiFunction, AbiParameter } from "viem";
import {
  decodeAbiParameters,
  decodeEventLog,
  encodeAbiParameters,
  getAddress,
  parseAbiItem,
  toEventSelector,
  toFunctionSelector,
} from "viem";
import type { Hex } from "../../src/chain/encoding/hex.ts";

/** Compares decoded calls, logs and reverts with viem, by the shown signature and by published ABIs. */
export interface Shown {
  readonly method_id: string;
  readonly method_call: string;
  readonly parameters: readonly { readonly name: string; readonly type: string; readonly value: unknown }[];
  readonly origin: string;
  readonly is_guess: boolean;
  readonly text?: string | null;
  readonly trailing_data?: string;
}

export function spelled(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(spelled);
  if (typeof value === "object" && value !== null) return Object.values(value).map(spelled);
  return typeof value === "string" && /^0x[0-9a-fA-F]{40}$/.test(value) ? getAddress(value) : String(value);
}

interface Leading {
  readonly values: unknown[];
  readonly trailing: Hex;
}

/** The values that data begins with the canonical encoding of, if there are any. */
function leadingValues(types: readonly AbiParameter[], data: Hex): Leading | undefined {
  if (types.length === 0) return { values: [], trailing: data };
  try {
    const values = decodeAbiParameters(types, data);
    const encoded = encodeAbiParameters(types, values);
    return data.startsWith(encoded) ? { values: [...values], trailing: `0x${data.slice(encoded.length)}` } : undefined;
  } catch {
    return undefined;
  }
}

/** The values that are encoded; undefined where it is not their canonical encoding. */
function valuesOf(types: readonly AbiParameter[], data: Hex): unknown[] | undefined {
  const leading = leadingValues(types, data);
  return leading?.trailing === "0x" ? leading.values : undefined;
}

const valuesShown = ({ parameters }: Shown) => parameters.map(({ value }) => value);
const nameOf = ({ method_call }: Shown) => method_call.slice(0, method_call.indexOf("("));

type Named = AbiFunction | AbiEvent;

const indexed = new WeakMap<readonly Abi[], Map<string, Named[]>>();

function itemsOf(abis: readonly Abi[], kind: "function" | "error" | "event", id: string): Named[] {
  const known = indexed.get(abis) ?? indexAll(abis);
  indexed.set(abis, known);
  return known.get(`${kind} ${id}`) ?? [];
}

function indexAll(abis: readonly Abi[]): Map<string, Named[]> {
  const items = abis.flat().filter(({ type }) => ["function", "error", "event"].includes(type)) as Named[];
  return Map.groupBy(items, (item) => {
    const id = item.type === "event" ? toEventSelector(item) : toFunctionSelector({ ...item, type: "function" });
    return `${item.type} ${id}`;
  });
}

/** Decodes calldata by published ABIs; trailing bytes are allowed if no ABI covers all of the data. */
function published(abis: readonly Abi[], data: Hex, kind: "function" | "error"): unknown[][] {
  const decoded = itemsOf(abis, kind, data.slice(0, 10)).flatMap(
    ({ inputs }) => leadingValues(inputs, `0x${data.slice(10)}`) ?? [],
  );
  const whole = decoded.filter(({ trailing }) => trailing === "0x");
  return (whole.length > 0 || kind === "error" ? whole : decoded).map(({ values }) => values.map(spelled));
}

/** Holds a decoded call, or error, to its data; it may be missing only where no published ABI decodes it. */
export function expectDecoded(
  shown: Shown | null,
  data: Hex,
  abis: readonly Abi[],
  label: string,
  kind: "function" | "error" = "function",
): void {
  const known = published(abis, data, kind);
  if (shown === null) {
    assert.deepEqual(known, [], `${label} decodes by a published ABI`);
    return;
  }
  assert.equal(shown.method_id, data.slice(2, 10), label);
  if (known.length > 0) {
    assert.deepEqual(valuesShown(shown), known[0], label);
    assert.equal(shown.is_guess, false, label);
  }
  const text = shown.is_guess ? shown.method_call.replace(/^0x/, "guessed") : shown.method_call;
  const item = parseAbiItem(`function ${text}` as string) as AbiFunction;
  if (!shown.is_guess) assert.equal(toFunctionSelector(item), data.slice(0, 10), label);
  const leading = leadingValues(item.inputs, `0x${data.slice(10)}`);
  assert.deepEqual(valuesShown(shown), leading?.values.map(spelled), label);
  assert.equal(shown.trailing_data ?? "0x", leading?.trailing, label);
}

/** Expected method name: the decoded name, or else the selector. */
export function expectMethod(method: unknown, shown: Shown | null, data: Hex, label: string): void {
  if (shown !== null && !shown.is_guess) assert.equal(method, nameOf(shown), label);
  else assert.equal(method, data.slice(0, 10), label);
}

interface RawLog {
  readonly topics: readonly (string | null)[];
  readonly data: string;
}

export function expectDecodedLog(shown: Shown | null, { topics, data }: RawLog, abis: readonly Abi[], label: string) {
  const given = topics.filter((topic) => topic !== null) as Hex[];
  const decode = (item: AbiEvent): unknown[] | undefined => {
    if (item.inputs.filter(({ indexed }) => indexed).length !== given.length - 1) return undefined;
    const plain = item.inputs.filter(({ indexed }) => indexed !== true);
    if (valuesOf(plain, data as Hex) === undefined) return undefined;
    // viem gives the values by name; places do not collide.
    const inputs = item.inputs.map((input, at) => ({ ...input, name: `at${at}` }));
    const { args } = decodeEventLog({ abi: [{ ...item, inputs }], topics: given as [Hex], data: data as Hex });
    return inputs.map(({ name }) => spelled((args as Record<string, unknown> | undefined)?.[name]));
  };
  const known = itemsOf(abis, "event", given[0] ?? "").flatMap((item) => decode(item as AbiEvent) ?? []);
  if (shown === null) {
    assert.deepEqual(known, [], `${label} decodes by a published ABI`);
    return;
  }
  const item = parseAbiItem(`event ${shown.method_call}` as string) as AbiEvent;
  assert.equal(toEventSelector(item), given[0], label);
  assert.equal(shown.method_id, given[0]!.slice(2, 10), label);
  assert.deepEqual(valuesShown(shown), decode(item), label);
}
