import { FUNCTIONS } from "../../chain/abi/knownSignatures.ts";
import type { Hex } from "../../chain/encoding/hex.ts";
import { fromHex } from "../../chain/encoding/hex.ts";
import { isSelector } from "../../chain/encoding/parse.ts";
import type { QueryContext } from "../context.ts";
import { readIndexedRange } from "../indexedRange.ts";
import type { PageInfo, PageRequest } from "../pages.ts";
import { pageOfTransaction } from "../pages.ts";

export interface KnownMethod {
  readonly selector: Hex;
  readonly name: string | null;
}

const METHODS: readonly KnownMethod[] = FUNCTIONS.trim()
  .split("\n")
  .map((line) => ({ selector: `0x${line.slice(0, 8)}` as Hex, name: line.slice(9, line.indexOf("(")) }))
  .sort((a, b) => order(a.name, b.name) || order(a.selector, b.selector));

function order(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

interface MethodPage {
  readonly methods: readonly KnownMethod[];
  readonly info: PageInfo;
}

/** Case-insensitive prefix match, or a selector, which imported ABIs may name. */
export async function listMethods(
  context: QueryContext,
  text: string | undefined,
  request: PageRequest,
): Promise<MethodPage> {
  const found = await findMethods(context, text);
  const range = await context.store.read(readIndexedRange);
  const { info, window } = pageOfTransaction(found.length, range, request);
  return { methods: found.slice(window.from, window.to), info };
}

/** A literal selector, or those of well-known functions with this name. */
export function selectorsNamed(word: string): Hex[] {
  const selector = word.toLowerCase();
  if (isSelector(selector)) return [selector];
  return METHODS.filter(({ name }) => name === word).map((method) => method.selector);
}

async function findMethods({ decoder }: QueryContext, text = ""): Promise<readonly KnownMethod[]> {
  const wanted = text.toLowerCase();
  if (!isSelector(wanted)) return METHODS.filter(({ name }) => name?.toLowerCase().startsWith(wanted));
  const [name] = await decoder.listedNames([{ selector: fromHex(wanted) }]);
  return [{ selector: wanted as Hex, name: name ?? null }];
}
