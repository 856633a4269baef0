import { toHex } from "../../chain/encoding/hex.ts";
import { ChainError } from "../../chain/error.ts";
import type { CallOutcome } from "../../chain/source.ts";
import { uriCall } from "../../chain/token/tokenCall.ts";
import { decodeText } from "../../chain/token/tokenText.ts";
import type { QueryContext } from "../context.ts";
import type { IndexedRange } from "../indexedRange.ts";
import type { ItemMetadata } from "../itemMetadata.ts";
import type { TokenItem } from "./items.ts";

export const MAX_SHOWN_URI = 2048;

/** Nesting depth. */
export const MAX_METADATA_DEPTH = 32;

/** At the newest indexed block. */
export async function readMetadata(
  context: Pick<QueryContext, "node" | "documents" | "metadata">,
  item: TokenItem,
  range: IndexedRange | undefined,
): Promise<ItemMetadata> {
  const metadata = await askMetadata(context, item, range);
  if (range !== undefined) context.metadata.keep(item, metadata, range.tip);
  return metadata;
}

async function askMetadata(
  { node, documents }: Pick<QueryContext, "node" | "documents">,
  { token, tokenId }: TokenItem,
  range: IndexedRange | undefined,
): Promise<ItemMetadata> {
  const call = uriCall(token.address, tokenId, token.state.hasItems ? "uri" : "tokenURI");
  const reported = range && (await node?.readThrough.calls([call], range.tip).catch(expectChainError));
  const found = textIn(reported?.[0]);
  if ("problem" in found) return { uri: null, json: null, problem: found.problem };
  const uri = found.text.replaceAll("{id}", toHex(tokenId).slice(2));
  const shown = uri.slice(0, MAX_SHOWN_URI);
  try {
    const text = /^data:/i.test(uri) ? decodeData(uri) : await documents.read(uri);
    return { uri: shown, json: parseMetadata(text), problem: null };
  } catch (error) {
    if (!(error instanceof ChainError)) throw error;
    return { uri: shown, json: null, problem: error.message };
  }
}

function expectChainError(error: unknown): undefined {
  if (!(error instanceof ChainError)) throw error;
}

function textIn(outcome: CallOutcome | undefined): { readonly text: string } | { readonly problem: string } {
  if (outcome === undefined || outcome instanceof ChainError) return { problem: "the node does not answer the call" };
  if (outcome === "reverted") {
    return { problem: "the contract refuses the call, needs over 5,000,000 gas for it or returns over 128 KiB" };
  }
  const text = decodeText(outcome);
  return text === undefined || text === "" ? { problem: "the contract returns no URI" } : { text };
}

/** RFC 2397. Contracts often omit the escapes. */
function decodeData(uri: string): string {
  const comma = uri.indexOf(",");
  if (comma < 0) throw invalid("the data: URI has no data");
  const body = uri.slice(comma + 1);
  if (/;base64$/i.test(uri.slice(0, comma))) return Buffer.from(body, "base64").toString("utf8");
  try {
    return decodeURIComponent(body);
  } catch {
    return body;
  }
}

function parseMetadata(text: string): Readonly<Record<string, unknown>> {
  if (depthOf(text) > MAX_METADATA_DEPTH) throw invalid(`the metadata are nested over ${MAX_METADATA_DEPTH} deep`);
  const json = parseJson(text);
  if (typeof json !== "object" || json === null || Array.isArray(json))
    throw invalid("the metadata are no JSON object");
  return json as Record<string, unknown>;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw invalid("the metadata are no JSON", cause);
  }
}

function depthOf(text: string): number {
  let [depth, deepest, isQuoted] = [0, 0, false];
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (isQuoted && character === "\\") at++;
    else if (character === '"') isQuoted = !isQuoted;
    else if (isQuoted) continue;
    else if (character === "{" || character === "[") deepest = Math.max(deepest, ++depth);
    else if (character === "}" || character === "]") depth--;
  }
  return deepest;
}

function invalid(message: string, cause?: unknown): ChainError {
  return new ChainError("upstream_invalid", message, cause === undefined ? undefined : { cause });
}
