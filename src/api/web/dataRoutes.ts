import { checksumAddress } from "../../chain/encoding/checksum.ts";
import { toHex } from "../../chain/encoding/hex.ts";
import type { SearchPage, SearchResult } from "../../query/search.ts";
import { search } from "../../query/search.ts";
import { readSearchQuery } from "../../query/searchQuery.ts";
import { cacheable } from "../http/responseCache.ts";
import type { WebContext, WebRequest } from "./context.ts";
import { pathOf } from "./pages/searchPages.ts";
import { parsePage } from "./params.ts";
import { count, safeText } from "./parts/format.ts";
import { shorten } from "./parts/links.ts";

interface DataRoute {
  readonly path: string;
  readonly serve: (context: WebContext, request: Pick<WebRequest, "query">) => Promise<object>;
}

/** What scripts of the pages ask for. It is for them alone: programs have the other interfaces. */
export const DATA_ROUTES: readonly DataRoute[] = [
  { path: "/live", serve: serveLive },
  { path: "/suggest", serve: serveSuggestions },
];

/** Something that is another after every change of the index. */
async function serveLive({ network: { stats } }: WebContext): Promise<object> {
  const tip = (await stats.figures())?.tip;
  return cacheable("index", { block: tip?.number ?? null, hash: tip === undefined ? null : toHex(tip.hash) });
}

const MOST_SUGGESTED = 8;
const LONGEST_QUERY = 200;

async function serveSuggestions({ network }: WebContext, { query }: Pick<WebRequest, "query">): Promise<object> {
  const asked = typeof query.q === "string" ? query.q.slice(0, LONGEST_QUERY) : "";
  if (asked.trim() === "") return [];
  const page = await search(network, readSearchQuery(asked), parsePage({}, MOST_SUGGESTED));
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
  const { token, mostHolders } = result;
  const isCopy = token.state.holders < mostHolders ? ", same symbol as another" : "";
  return {
    kind: "Token",
    text: safeText(token.seen?.symbol.text || shorten(checksumAddress(token.address)), 20),
    note: `${safeText(token.seen?.name.text ?? "")}, ${count(token.state.holders)} holders${isCopy}`,
  };
}
