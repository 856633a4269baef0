import assert from "node:assert/strict";
import type { AddressInfo } from "node:net";
import type { TestContext } from "node:test";
import type { Json, Served, ServeOptions } from "./api.ts";
import { serveChain } from "./api.ts";

export interface List extends Json {
  items: Json[];
  page: number;
  total_count: number;
  total_pages: number;
  next_page_params: Record<string, string | number> | null;
}

export interface Lists {
  fetch(path: string): Promise<{ status: number; body: Json }>;
  list(path: string, query?: Record<string, string | number>): Promise<List>;
}

/** An app behind a real socket. */
export interface Site extends Served, Lists {}

export function listsOf(fetch: Lists["fetch"]): Lists {
  const list = async (path: string, query: Record<string, string | number> = {}) => {
    const search = new URLSearchParams(Object.entries(query).map(([key, value]) => [key, String(value)]));
    const { status, body } = await fetch(`${path}${path.includes("?") ? "&" : "?"}${search}`);
    assert.equal(status, 200, `${path} ${JSON.stringify(body)}`);
    return body as List;
  };
  return { fetch, list };
}

export async function openSite(t: TestContext, options: ServeOptions): Promise<Site> {
  const served = await serveChain({ tokens: true, ...options });
  await served.app.listen({ host: "127.0.0.1", port: 0 });
  t.after(() => served.close());
  const { port } = served.app.server.address() as AddressInfo;
  const fetchJson = async (path: string) => {
    const response = await fetch(`http://127.0.0.1:${port}/api/v2/${path}`);
    assert.match(response.headers.get("content-type")!, /^application\/json/);
    const body = (await response.json()) as Json;
    served.expectDescribed();
    return { status: response.status, body };
  };
  return { ...served, ...listsOf(fetchJson) };
}

/** Every item of a list, page after page; `between` runs after each. */
export async function walk(
  site: Lists,
  path: string,
  pageSize: number,
  between: (page: List) => Promise<void> = async () => {},
): Promise<Json[]> {
  const items: Json[] = [];
  let query: List["next_page_params"] = { page_size: pageSize };
  while (query !== null) {
    const page: List = await site.list(path, query);
    items.push(...page.items);
    query = page.next_page_params;
    await between(page);
  }
  return items;
}
