import { Readable } from "node:stream";
import type { FastifyReply } from "fastify";
import { Turn } from "../../../std/async.ts";
import { csvLine } from "../../http/csvText.ts";
import type { Envelope } from "../envelope.ts";
import { COLUMN_SETS } from "../parameters.ts";
import type { Query } from "../params.ts";
import { ParameterError, parseChoice } from "../params.ts";
import { isAbsent, parseTime } from "../parseTime.ts";
import type { RestContext, RestRequest, Route } from "../route.ts";
import { blockscoutColumns } from "./blockscoutColumns.ts";
import type { CsvColumn } from "./csvColumns.ts";
import { columnsOf, timeFieldOf } from "./csvColumns.ts";
import { readableColumns } from "./readableColumns.ts";

export const MAX_ROWS = 10_000;

const PAGE_SIZE = 200;

/** Pages of a filtered list may be empty. */
export const MAX_PAGES = 500;

type Item = Readonly<Record<string, unknown>>;
type ItemPage = Envelope<Item>;
type ReadPage = (query: Query) => Promise<ItemPage>;

/** Inclusive, Unix milliseconds. */
interface Period {
  readonly field: string;
  readonly from: number;
  readonly to: number;
  /** Whether the export can stop at the first item that is too old. */
  readonly isNewestFirst: boolean;
}

/** Streams a list as CSV, page by page. */
export async function serveCsv(route: Route, context: RestContext, request: RestRequest, reply: FastifyReply) {
  const { servePage } = route;
  if (servePage === undefined) throw new ParameterError("path", "a list");
  const query = pageQuery(request.query);
  const period = parsePeriod(request.query, query, timeFieldOf(route.schema));
  const read: ReadPage = async (asked) => (await servePage(context, { ...request, query: asked })) as ItemPage;
  const first = await read({ ...query, page_size: String(PAGE_SIZE) });
  reply.header("content-type", "text/csv; charset=utf-8; header=present");
  reply.header("content-disposition", `attachment; filename="${fileName(route.path)}"`);
  // Fastify drains a stream to answer HEAD.
  if (reply.request.method === "HEAD") return Readable.from([]);
  return Readable.from(linesOf(columnsFor(route, context, request), first, read, query, period));
}

function columnsFor({ path, schema }: Route, { settings }: RestContext, request: RestRequest): CsvColumn[] {
  if (parseChoice(request.query, "columns", COLUMN_SETS) === "readable")
    return readableColumns(schema) ?? columnsOf(schema);
  const ofBlockscout = settings.compat === "blockscout" ? blockscoutColumns(path, request.parameter) : undefined;
  return ofBlockscout ?? columnsOf(schema);
}

const fileName = (path: string): string =>
  `${path
    .replace(/\{\w+\}/g, "")
    .match(/[\w-]+/g)
    ?.join("-")}.csv`;

const OF_PAGES = ["page", "page_size", "items_count", "anchor"];

/** Translates Blockscout's direction parameters. */
function pageQuery({ from_period, to_period, filter_type, filter_value, columns, ...query }: Query): Query {
  for (const name of OF_PAGES) {
    if (query[name] !== undefined) throw new ParameterError(name, `no ${name}: a file has all pages`);
  }
  if (isAbsent(filter_type) || isAbsent(filter_value)) return query;
  if (filter_type === "address") return { ...query, filter: filter_value };
  throw new ParameterError("filter_type", "address");
}

function parsePeriod({ from_period, to_period }: Query, query: Query, field: string | undefined): Period | undefined {
  if (isAbsent(from_period) && isAbsent(to_period)) return undefined;
  if (field === undefined) throw new ParameterError("from_period", "no period: this list has no times");
  const isNewestFirst = query.order !== "asc" && (query.sort === undefined || query.sort === "block_number");
  const from = parseTime(from_period, "from_period") ?? Number.NEGATIVE_INFINITY;
  return { field, from, to: parseTime(to_period, "to_period") ?? Number.POSITIVE_INFINITY, isNewestFirst };
}

export async function* linesOf(
  columns: readonly CsvColumn[],
  first: ItemPage,
  read: ReadPage,
  query: Query,
  period: Period | undefined,
  max = { rows: MAX_ROWS, pages: MAX_PAGES },
): AsyncGenerator<string> {
  yield csvLine(columns.map(({ name }) => name));
  let [rows, pages] = [0, 0];
  const turn = new Turn();
  for (let page: ItemPage | undefined = first; page !== undefined; ) {
    const wanted = period === undefined ? page.items : page.items.filter((item) => isIn(item, period));
    const items = wanted.slice(0, max.rows - rows);
    yield items.map((item) => csvLine(columns.map((column) => column.read(item)))).join("");
    rows += items.length;
    pages++;
    const { next_page_params: next } = page;
    if (next === null || rows >= max.rows || (period !== undefined && isPast(page.items.at(-1), period))) return;
    // An aborted response tells the client that the file is incomplete.
    if (pages >= max.pages) throw new Error(`over ${max.pages} pages would have to be read`);
    await turn.yieldToEventLoop();
    page = await read({ ...query, ...textsOf(next) });
  }
}

const textsOf = (next: object): Query =>
  Object.fromEntries(Object.entries(next).map(([name, value]) => [name, String(value)]));

const timeOf = (item: Item, { field }: Period): number => Date.parse(String(item[field]));

function isIn(item: Item, period: Period): boolean {
  const time = timeOf(item, period);
  return time >= period.from && time <= period.to;
}

const isPast = (item: Item | undefined, period: Period): boolean =>
  period.isNewestFirst && item !== undefined && timeOf(item, period) < period.from;
