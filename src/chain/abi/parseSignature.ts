import type { Parameter, Signature } from "./signature.ts";
import type { AbiType } from "./type.ts";
import { elementaryType, MAX_DEPTH, tupleOf, unusable, withDimensions } from "./type.ts";

/** More than one transaction's gas could call. */
const MAX_LENGTH = 16_384;

export const NAME = /^[A-Za-z_$][\w$]{0,255}$/;

/** Parses `transfer(address,uint256)`, with or without names of parameters and members of tuples. */
export function parseSignature(text: string): Signature {
  const reader = new Reader(text);
  const name = reader.take(/[\w$]+/y);
  if (!NAME.test(name)) throw unusable(text, "a signature begins with a name");
  const inputs = reader.list(() => reader.parameter());
  reader.end();
  return { name, inputs };
}

/** Parses comma-separated types; an empty text has none. */
export function parseTypes(text: string): readonly AbiType[] {
  const reader = new Reader(`(${text})`);
  const types = reader.list(() => reader.type(0));
  reader.end();
  return types;
}

class Reader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    if (text.length > MAX_LENGTH) throw unusable(text, `a signature has at most ${MAX_LENGTH} characters`);
    this.#text = text;
  }

  /** Consumes a match, possibly empty, and the spaces after it. */
  take(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const [found] = pattern.exec(this.#text) ?? [""];
    this.#at += found.length;
    while (this.#text[this.#at] === " ") this.#at++;
    return found;
  }

  list<T>(item: () => T): readonly T[] {
    const items: T[] = [];
    this.#expect(/\(/y, "(");
    if (this.take(/\)/y) !== "") return items;
    do items.push(item());
    while (this.take(/,/y) !== "");
    this.#expect(/\)/y, ")");
    return items;
  }

  type(depth: number): AbiType {
    if (depth > MAX_DEPTH) throw unusable(this.#text, `arrays and tuples stand at most ${MAX_DEPTH} deep`);
    const name = this.take(/(?!tuple\()\w+|tuple(?=\()/y);
    const isTuple = this.#text[this.#at] === "(" && (name === "" || name === "tuple");
    const item = isTuple ? this.#tuple(depth + 1) : elementaryType(name);
    if (item === undefined) throw unusable(this.#text, `no type is called ${JSON.stringify(name)}`);
    return withDimensions(item, this.take(/(?:\[\d*\])+/y));
  }

  #tuple(depth: number): AbiType {
    const members = this.list(() => ({ type: this.type(depth), name: this.#name(this.take(/[\w$]+/y)) }));
    return tupleOf(
      members.map(({ type }) => type),
      members.map(({ name }) => name),
    );
  }

  parameter(): Parameter {
    const type = this.type(0);
    const word = this.take(/[\w$]+/y);
    const name = this.#name(word === "indexed" ? this.take(/[\w$]+/y) : word);
    return { name, type, indexed: word === "indexed" };
  }

  #name(word: string): string {
    if (word !== "" && !NAME.test(word)) throw unusable(this.#text, "a parameter's name begins with a letter");
    return word;
  }

  end(): void {
    if (this.#at !== this.#text.length) throw unusable(this.#text.slice(this.#at), "expected the end of the signature");
  }

  #expect(pattern: RegExp, what: string): void {
    if (this.take(pattern) === "") throw unusable(this.#text.slice(this.#at), `expected ${what}`);
  }
}
