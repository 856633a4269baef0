import { fullText } from "../../chain/abi/signature.ts";
import { checksumAddress } from "../../chain/encoding/checksum.ts";
import { quantity, toHex } from "../../chain/encoding/hex.ts";
import { readAccount } from "../../query/accounts/account.ts";
import { readCallable } from "../../query/contracts/contractFunctions.ts";
import type { SearchPage, SearchResult } from "../../query/search.ts";
import { search } from "../../query/search.ts";
import { readSearchQuery } from "../../query/searchQuery.ts";
import { COSTS } from "../http/rateLimit.ts";
import { cacheable } from "../http/responseCache.ts";
import type { WebContext, WebRequest } from "./context.ts";
import { expectFound } from "./found.ts";
import { servePoolsCsv } from "./pages/poolsCsv.ts";
import { pathOf } from "./pages/searchPages.ts";
import { parseAddress, parsePage } from "./params.ts";
import { encodeCall } from "./parts/callInput.ts";
import { count, formatUnits, safeText } from "./parts/format.ts";
import { shorten } from "./parts/links.ts";

interface DataRoute {
  readonly path: string;
  readonly cost: number;
  readonly serve: (context: WebContext, request: WebRequest) => Promise<object>;
}

/** Endpoints for the pages' own scripts. */
export const DATA_ROUTES: readonly DataRoute[] = [
  { path: "/live", cost: COSTS.record, serve: serveLive },
  { path: "/pools/csv", cost: COSTS.list, serve: servePoolsCsv },
  { path: "/suggest", cost: COSTS.search, serve: serveSuggestions },
  { path: "/address/:address/encode", cost: COSTS.record, serve: serveEncoded },
  { path: "/verify/:guid/state", cost: COSTS.record, serve: serveVerification },
];

/** A value that changes with the index. */
async function serveLive({ network: { stats } }: WebContext): Promise<object> {
  const tip = (await stats.figures())?.tip;
  return cacheable("index", { block: tip?.number ?? null, hash: tip === undefined ? null : toHex(tip.hash) });
}

const MAX_SUGGESTED = 8;
const MAX_QUERY_LENGTH = 200;

async function serveSuggestions({ network }: WebContext, { query }: WebRequest): Promise<object> {
  const asked = typeof query.q === "string" ? query.q.slice(0, MAX_QUERY_LENGTH) : "";
  if (asked.trim() === "") return [];
  const page = await search(network, readSearchQuery(asked), parsePage({}, MAX_SUGGESTED));
  return page.results.map((result) => ({ path: pathOf(result), ...describe(result, page) }));
}

function describe(result: SearchResult, { addresses }: SearchPage) {
  if (result.kind === "block") return { kind: "Block", text: count(result.header.number), note: "" };
  if (result.kind === "transaction") return { kind: "Transaction", text: shorten(toHex(result.hash)), note: "" };
  if (result.kind === "blob") return { kind: "Blob", text: shorten(toHex(result.versionedHash)), note: "" };
  if (result.kind === "address") {
    const name = addresses.get(result.address)?.name;
    return { kind: "Address", text: shorten(checksumAddress(result.address)), note: name ? safeText(name) : "" };
  }
  if (result.kind === "contract") {
    const address = shorten(checksumAddress(result.address));
    return { kind: "Contract", text: safeText(result.name, 40), note: `verified, ${address}` };
  }
  const { token, maxHolders } = result;
  const isCopy = token.state.holders < maxHolders ? ", same symbol as another" : "";
  return {
    kind: "Token",
    text: safeText(token.seen?.symbol.text || shorten(checksumAddress(token.address)), 20),
    note: `${safeText(token.seen?.name.text ?? "")}, ${count(token.state.holders)} holders${isCopy}`,
  };
}

async function serveVerification({ verifier }: WebContext, { parameter }: WebRequest): Promise<object> {
  const { state } = expectFound(await verifier?.result(parameter));
  return { state };
}

/** Calldata for a wallet to sign, or an error. */
async function serveEncoded({ network, site }: WebContext, { parameter, query }: WebRequest): Promise<object> {
  const address = parseAddress(parameter);
  const callable = await readCallable(network, await readAccount(network, address), query.tab === "write-proxy");
  const called = callable?.functions.find(({ selector }) => selector === query.function);
  if (called === undefined) return { error: "There is no such function here." };
  const call = encodeCall(called, query);
  if ("error" in call) return call;
  return {
    to: checksumAddress(address),
    data: toHex(call.input),
    value: quantity(call.value),
    chainId: quantity(site.chainId),
    network: site.chainName,
    coin: site.coin,
    amount: formatUnits(call.value, 18),
    function: safeText(fullText(called.signature), 300),
    isGuess: callable?.origin === "bytecode",
  };
}
