import type { Bytes } from "../../chain/encoding/bytes.ts";
import { RPC, RpcError } from "../../jsonrpc/rpcError.ts";

/** Position of an RLP value: header at `start`, content in [from, to). */
export interface RlpItem {
  readonly isList: boolean;
  readonly start: number;
  readonly from: number;
  readonly to: number;
}

interface Words {
  readonly truncated: string;
  readonly tooLarge: string;
}

const VALUE: Words = { truncated: "unexpected EOF", tooLarge: "rlp: value size exceeds available input length" };

const TOO_LARGE_ELEMENT = "rlp: element is larger than containing list";
const ELEMENT: Words = { truncated: TOO_LARGE_ELEMENT, tooLarge: TOO_LARGE_ELEMENT };

export function refuse(message: string): RpcError {
  return new RpcError(RPC.server, message);
}

export function readValue(bytes: Bytes, at: number, end: number): RlpItem {
  return readItem(bytes, at, end, VALUE);
}

export function readElement(bytes: Bytes, at: number, end: number): RlpItem {
  return readItem(bytes, at, end, ELEMENT);
}

function readItem(bytes: Bytes, at: number, end: number, words: Words): RlpItem {
  if (at >= end) throw refuse(words.truncated);
  const first = bytes[at]!;
  if (first < 0x80) return { isList: false, start: at, from: at, to: at + 1 };
  const isList = first >= 0xc0;
  const short = first - (isList ? 0xc0 : 0x80);
  const from = at + 1 + Math.max(0, short - 55);
  if (from > end) throw refuse(words.truncated);
  const size = short < 56 ? short : readSize(bytes, at + 1, from);
  if (size > end - from) throw refuse(words.tooLarge);
  return { isList, start: at, from, to: from + size };
}

function readSize(bytes: Bytes, at: number, end: number): number {
  let size = 0;
  for (let i = at; i < end; i++) size = size * 256 + bytes[i]!;
  if (size < 56 || bytes[at] === 0) throw refuse("rlp: non-canonical size information");
  return size;
}
