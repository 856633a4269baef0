import { createRequire } from "node:module";

const require = createRequire(import.meta.url);

export interface Solc {
  version(): string;
  /** JSON in, JSON out. Without a callback it resolves no imports. */
  compile(input: string): string;
}

type Value = string | number;
type Call = (...values: readonly Value[]) => Value;

interface Soljson {
  cwrap(name: string, result: string, types: readonly string[]): Call;
  readonly _malloc?: (size: number) => number;
  readonly lengthBytesUTF8?: (text: string) => number;
  readonly stringToUTF8?: (text: string, at: number, size: number) => void;
}

export function loadSoljson(path: string): Solc {
  const wrap = require("solc/wrapper") as (soljson: Soljson) => Solc;
  return wrap(passTextsOnHeap(require(path) as Soljson));
}

/** Emscripten passes strings on the stack, four bytes per character; sources of a megabyte overflow it. */
function passTextsOnHeap(soljson: Soljson): Soljson {
  const { _malloc: allocate, lengthBytesUTF8: lengthOf, stringToUTF8: write } = soljson;
  if (allocate === undefined || lengthOf === undefined || write === undefined) return soljson;
  const place = (value: Value) => {
    const size = lengthOf(String(value)) + 1;
    const at = allocate(size);
    write(String(value), at, size);
    return at;
  };
  const cwrap = (name: string, result: string, types: readonly string[]): Call => {
    const isText = types.map((type) => type === "string");
    const call = soljson.cwrap(
      name,
      result,
      types.map((type) => (type === "string" ? "number" : type)),
    );
    return (...values) => call(...values.map((value, at) => (isText[at] ? place(value) : value)));
  };
  return Object.assign(Object.create(soljson) as Soljson, { cwrap });
}
