import { isObject } from "../../std/isObject.ts";
import type { Hex } from "../encoding/hex.ts";
import { clip } from "../encoding/hex.ts";
import type { ChainError } from "../error.ts";
import { NAME } from "./parseSignature.ts";
import type { Parameter, Signature } from "./signature.ts";
import { canonicalText, selectorOf, topicOf } from "./signature.ts";
import type { AbiType } from "./type.ts";
import { elementaryType, MAX_DEPTH, tupleOf, unusable, withDimensions } from "./type.ts";

/** Where signatures are found by selector or first topic; several can share one. */
export interface Lookup {
  get(id: Hex): readonly Signature[] | undefined;
}

export type SignatureMap = ReadonlyMap<Hex, readonly Signature[]>;

/** The signatures of one contract, or of many. */
export interface Signatures {
  readonly functions: Lookup;
  readonly events: Lookup;
  readonly errors: Lookup;
  /** Events whose logs do not name them. */
  readonly anonymousEvents?: readonly Signature[];
}

/** What a contract's ABI says. */
export interface Abi extends Signatures {
  readonly functions: SignatureMap;
  readonly events: SignatureMap;
  readonly errors: SignatureMap;
  readonly anonymousEvents: readonly Signature[];
  /** What the constructor takes; empty where none is declared, undefined where they cannot be decoded. */
  readonly constructorInputs: readonly Parameter[] | undefined;
}

export const MAX_ABI_LENGTH = 8 << 20;
export const MAX_PARAMETERS = 65_536;

/** How many parameters and members one function has at most: the cost of trying a signature on some data. */
export const MAX_ITEMS_IN_ONE = 1024;

/** How many that share a selector or a topic are kept: selectors can be made to collide, to no good end. */
export const MAX_ALIKE = 16;

type Json = { readonly [key: string]: unknown };

/** Parses the text of an ABI file. */
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
 * Reads an ABI as compilers write it. Whatever has not the form of one is refused; only a function, event or error
 * with a type that is in no call, as libraries have (`Lib.Data storage`), or of very many parameters is left out.
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
    const most = isAnonymous ? 4 : 3;
    const indexed = signature.inputs.filter((input) => input.indexed).length;
    if (indexed > most) throw misshapen(signature.name, `an event has at most ${most} indexed parameters`);
    if (!isAnonymous) this.#add(this.#events, topicOf(signature), signature);
    else if (this.#anonymousEvents.length < MAX_ALIKE) this.#anonymousEvents.push(signature);
  }

  /** Of those that differ in names alone the first is used, so the others are not kept. */
  #add(map: Map<Hex, Signature[]>, id: Hex, signature: Signature): void {
    const layout = `${map === this.#errors} ${canonicalText(signature)} ${signature.inputs.map(({ indexed }) => +indexed)}`;
    if (this.#seen.has(layout)) return;
    this.#seen.add(layout);
    const alike = map.get(id);
    if (alike === undefined) map.set(id, [signature]);
    else if (alike.length < MAX_ALIKE) alike.push(signature);
  }

  /** Undefined where a type is in no call. */
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
    const items = this.#list(components).map((item) => this.#type(item.type, item.components, depth + 1));
    if (!items.every((item) => item !== undefined)) return undefined;
    return withDimensions(tupleOf(items), brackets);
  }

  /** Objects that hold one another, which no JSON does, end here too. */
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
