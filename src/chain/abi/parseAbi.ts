import { isObject } from "../../std/values.ts";
import type { Hex } from "../encoding/hex.ts";
import { clip } from "../encoding/hex.ts";
import type { ChainError } from "../error.ts";
import { NAME } from "./parseSignature.ts";
import type { Parameter, Signature } from "./signature.ts";
import { canonicalText, selectorOf, topicOf } from "./signature.ts";
import type { AbiType } from "./type.ts";
import { elementaryType, MAX_DEPTH, tupleOf, unusable, withDimensions } from "./type.ts";

/** Signatures by selector or topic0; several can collide. */
export interface Lookup {
  get(id: Hex): readonly Signature[] | undefined;
}

type SignatureMap = ReadonlyMap<Hex, readonly Signature[]>;

/** Signatures of one contract, or of many. */
export interface Signatures {
  readonly functions: Lookup;
  readonly events: Lookup;
  readonly errors: Lookup;
  /** Events without a signature topic. */
  readonly anonymousEvents?: readonly Signature[];
}

export interface Abi extends Signatures {
  readonly functions: SignatureMap;
  readonly events: SignatureMap;
  readonly errors: SignatureMap;
  readonly anonymousEvents: readonly Signature[];
  /** Empty if no constructor is declared, undefined if it cannot be decoded. */
  readonly constructorInputs: readonly Parameter[] | undefined;
}

export const MAX_ABI_LENGTH = 8 << 20;
export const MAX_PARAMETERS = 65_536;

/** Parameters and tuple members per function: bounds the cost of trying a signature. */
export const MAX_ITEMS_IN_ONE = 1024;

/** Signatures per selector or topic, since collisions can be crafted. */
export const MAX_ALIKE = 16;

type Json = { readonly [key: string]: unknown };

export function parseAbi(text: string): Abi {
  if (text.length > MAX_ABI_LENGTH) throw unusable(clip(text), `it has more than ${MAX_ABI_LENGTH} characters`);
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (cause) {
    throw Object.assign(unusable(text, "it is not JSON"), { cause });
  }
  return readAbi(json);
}

/**
 * Reads a compiler's ABI and rejects malformed ones. Skips functions with a type that cannot occur in calldata
 * (`Lib.Data storage` of libraries) or with too many parameters.
 */
export function readAbi(json: unknown): Abi {
  return new AbiReader().read(json);
}

class AbiReader {
  readonly #functions = new Map<Hex, Signature[]>();
  readonly #events = new Map<Hex, Signature[]>();
  readonly #errors = new Map<Hex, Signature[]>();
  readonly #anonymousEvents: Signature[] = [];
  readonly #seen = new Set<string>();
  #constructorInputs: readonly Parameter[] | undefined = [];
  #parameters = 0;

  read(json: unknown): Abi {
    if (!Array.isArray(json)) throw misshapen(json, "expected an array of entries");
    for (const entry of json) this.#entry(entry);
    return {
      functions: this.#functions,
      events: this.#events,
      errors: this.#errors,
      anonymousEvents: this.#anonymousEvents,
      constructorInputs: this.#constructorInputs,
    };
  }

  #entry(entry: unknown): void {
    if (!isObject(entry)) throw misshapen(entry, "an entry is an object");
    this.#count();
    const { type = "function" } = entry;
    if (type === "fallback" || type === "receive") return;
    const before = this.#parameters;
    const all = this.#inputs(entry.inputs, type === "event");
    const inputs = this.#parameters - before > MAX_ITEMS_IN_ONE ? undefined : all;
    if (type === "constructor") {
      this.#constructorInputs = inputs;
      return;
    }
    if (type !== "function" && type !== "event" && type !== "error") throw misshapen(type, "no entry has this type");
    const { name } = entry;
    if (typeof name !== "string" || !NAME.test(name)) throw misshapen(name, `a name of this ${type} is no name`);
    if (inputs === undefined) return;
    const signature = { name, inputs };
    if (type === "function") this.#add(this.#functions, selectorOf(signature), signature);
    else if (type === "error") this.#add(this.#errors, selectorOf(signature), signature);
    else this.#event(signature, entry.anonymous === true);
  }

  #event(signature: Signature, isAnonymous: boolean): void {
    const max = isAnonymous ? 4 : 3;
    const indexed = signature.inputs.filter((input) => input.indexed).length;
    if (indexed > max) throw misshapen(signature.name, `an event has at most ${max} indexed parameters`);
    if (!isAnonymous) this.#add(this.#events, topicOf(signature), signature);
    else if (this.#anonymousEvents.length < MAX_ALIKE) this.#anonymousEvents.push(signature);
  }

  /** Overloads that differ only in names keep the first. */
  #add(map: Map<Hex, Signature[]>, id: Hex, signature: Signature): void {
    const layout = `${map === this.#errors} ${canonicalText(signature)} ${signature.inputs.map(({ indexed }) => +indexed)}`;
    if (this.#seen.has(layout)) return;
    this.#seen.add(layout);
    const alike = map.get(id);
    if (alike === undefined) map.set(id, [signature]);
    else if (alike.length < MAX_ALIKE) alike.push(signature);
  }

  /** Undefined if a type cannot occur in calldata. */
  #inputs(json: unknown, isEvent: boolean): readonly Parameter[] | undefined {
    const inputs = this.#list(json).map((input) => {
      const { name = "", type, indexed = false } = input;
      if (typeof name !== "string" || (name !== "" && !NAME.test(name))) throw misshapen(name, "this is no name");
      return { name, type: this.#type(type, input.components, 0), indexed: isEvent && indexed === true };
    });
    return inputs.every((input): input is Parameter => input.type !== undefined) ? inputs : undefined;
  }

  #list(json: unknown): readonly Json[] {
    if (json === undefined) return [];
    if (!Array.isArray(json)) throw misshapen(json, "expected an array of parameters");
    return json.map((parameter: unknown) => {
      this.#count();
      if (!isObject(parameter)) throw misshapen(parameter, "a parameter is an object");
      return parameter;
    });
  }

  #type(text: unknown, components: unknown, depth: number): AbiType | undefined {
    if (typeof text !== "string") throw misshapen(text, "a type is a string");
    const bracket = text.indexOf("[");
    const end = bracket === -1 ? text.length : bracket;
    const [base, brackets] = [text.slice(0, end), text.slice(end)];
    if (base !== "tuple") {
      const type = elementaryType(base);
      return type && withDimensions(type, brackets);
    }
    if (depth > MAX_DEPTH) throw unusable(text, `arrays and tuples stand at most ${MAX_DEPTH} deep`);
    const members = this.#list(components);
    const items = members.map((item) => this.#type(item.type, item.components, depth + 1));
    if (!items.every((item) => item !== undefined)) return undefined;
    const names = members.map(({ name }) => (typeof name === "string" && NAME.test(name) ? name : ""));
    return withDimensions(tupleOf(items, names), brackets);
  }

  /** Also ends on cyclic objects. */
  #count(): void {
    if (++this.#parameters > MAX_PARAMETERS) throw unusable("", `it has more than ${MAX_PARAMETERS} parameters`);
  }
}

function misshapen(value: unknown, expected: string): ChainError {
  return unusable(typeof value === "string" ? value : typeName(value), expected);
}

function typeName(value: unknown): string {
  return Array.isArray(value) ? "an array" : value === null ? "null" : typeof value;
}
