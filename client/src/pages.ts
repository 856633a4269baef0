import type { Paths } from "./generated/paths.ts";

type Parameters = Readonly<Record<string, unknown>>;

/** Pages of the explorer API say which parameters the next one has. */
interface AnchoredPage {
  readonly items: readonly unknown[];
  readonly next_page_params: Parameters | null;
}

/** Pages of the exchange data API are numbered. */
interface NumberedPage {
  readonly data: readonly unknown[];
}

export type Page = AnchoredPage | NumberedPage;

type ItemOfAnswer<A> = A extends { readonly items: readonly (infer T)[]; readonly next_page_params: unknown }
  ? T
  : A extends { readonly data: readonly (infer T)[] }
    ? T
    : never;

/** Paths whose answers are pages. */
export type ListPath = {
  [P in keyof Paths]: Paths[P]["parameters"] extends { readonly page?: unknown } | { readonly page_num?: unknown }
    ? [ItemOfAnswer<Paths[P]["answer"]>] extends [never]
      ? never
      : P
    : never;
}[keyof Paths];

export type ItemOf<P extends ListPath> = ItemOfAnswer<Paths[P]["answer"]>;

/** All pages from the one that the parameters name. */
export async function* readPages<P extends Page>(
  read: (parameters: Parameters) => Promise<P>,
  first: Parameters,
): AsyncGenerator<P, void, undefined> {
  let parameters = first;
  for (;;) {
    const page = await read(parameters);
    yield page;
    const next = nextOf(page, parameters);
    if (next === null) return;
    parameters = { ...first, ...next };
  }
}

function nextOf(page: Page, parameters: Parameters): Parameters | null {
  if ("next_page_params" in page) return page.next_page_params;
  return page.data.length === 0 ? null : { page_num: Number(parameters.page_num) + 1 };
}

/** Without a page, some lists are whole. */
export const NUMBERED = { page_num: 1, page_size: 100 };

/** An item that has moved from one numbered page to the next is not repeated; anchored pages have each item once. */
export async function* readItems(pages: AsyncIterable<Page>): AsyncGenerator<unknown, void, undefined> {
  let last = new Set<string>();
  for await (const page of pages) {
    if ("items" in page) {
      yield* page.items;
      continue;
    }
    const keys = page.data.map(keyOf);
    for (const [at, item] of page.data.entries()) if (!last.has(keys[at]!)) yield item;
    last = new Set(keys);
  }
}

const IDENTITIES = ["transaction_hash", "log_index", "pair", "poolId", "token_address"];

/** Identity of an item, independent of figures that change. */
function keyOf(item: unknown): string {
  const fields = item as Record<string, unknown>;
  return JSON.stringify(IDENTITIES.map((name) => fields[name]));
}
