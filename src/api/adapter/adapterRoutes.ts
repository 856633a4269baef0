import type { TSchema } from "typebox";
import type { Hex } from "../../chain/encoding/hex.ts";
import { isAddress, parseInteger } from "../../chain/encoding/parse.ts";
import { ChainError } from "../../chain/error.ts";
import type { QueryContext } from "../../query/context.ts";
import { findAdapterAsset, findAdapterPair } from "../../query/pools/adapterDetail.ts";
import { hasExactReserves } from "../../query/pools/adapterPools.ts";
import { parsePoolId } from "../../query/pools/poolId.ts";
import { findReadyBlock } from "../../query/pools/readyBlock.ts";
import { listSpanEvents } from "../../query/pools/spanEvents.ts";
import type { BlockSpan } from "../../query/pools/spanLogs.ts";
import { mapInTurns } from "../../std/async.ts";
import type { COSTS } from "../http/rateLimit.ts";
import type { Parameter } from "../openapi/operation.ts";
import { count, grouped, text } from "../openapi/values.ts";
import { AssetSchema, EventsSchema, LatestBlockSchema, PairSchema } from "./adapterSchema.ts";
import type { AdapterFormat } from "./presentAdapter.ts";
import { presentAsset, presentBlock, presentEvent, presentPair } from "./presentAdapter.ts";

export interface AdapterContext {
  readonly network: QueryContext;
  readonly format: AdapterFormat;
}

type Query = Readonly<Record<string, unknown>>;

export interface AdapterRoute {
  readonly path: string;
  readonly summary: string;
  readonly parameters: readonly Parameter[];
  readonly schema: TSchema;
  readonly cost: keyof typeof COSTS;
  /** Statuses of its failures. */
  readonly failures: readonly number[];
  /** Whether responses are true until the index changes. */
  readonly isCacheable: boolean;
  serve(context: AdapterContext, query: Query): Promise<object>;
}

export const MAX_BLOCKS = 10_000;

const ID = "Of a token or a pool its address, of a pool without one its id.";

const required = (name: string, schema: TSchema): Parameter => ({ name, in: "query", required: true, schema });

export const ADAPTER_ROUTES: readonly AdapterRoute[] = [
  {
    path: "/latest-block",
    summary: "the newest [block](#adapter-block) whose events stay as they are",
    parameters: [],
    schema: LatestBlockSchema,
    cost: "record",
    failures: [],
    isCacheable: false,
    serve: async ({ network }) => ({ block: presentBlock(expectReady(await findReadyBlock(network))) }),
  },
  {
    path: "/asset",
    summary: "a [token](#adapter-asset) of a pool",
    parameters: [required("id", text(ID))],
    schema: AssetSchema,
    cost: "record",
    failures: [400, 404],
    isCacheable: true,
    serve: async ({ network, format }, query) => {
      const found = await findAdapterAsset(network, parseAsset(query));
      return { asset: presentAsset(expectFound(found), format) };
    },
  },
  {
    path: "/pair",
    summary: "a [pool](#adapter-pair)",
    parameters: [required("id", text(ID))],
    schema: PairSchema,
    cost: "record",
    failures: [400, 404],
    isCacheable: true,
    serve: async ({ network, format }, query) => {
      const found = await findAdapterPair(network, parsePair(query));
      const isListed = format === "dexscreener" || (found && hasExactReserves(found.pool));
      return { pair: presentPair(expectFound(isListed ? found : undefined)) };
    },
  },
  {
    path: "/events",
    summary: "the [swaps](#adapter-swap), [joins and exits](#adapter-join-or-exit) in these blocks",
    parameters: [
      { ...required("fromBlock", count("The first block.")), example: "0" },
      { ...required("toBlock", count(`The last block, of ${grouped(MAX_BLOCKS)} in all at most.`)), example: "0" },
    ],
    schema: EventsSchema,
    cost: "search",
    failures: [400, 413],
    isCacheable: true,
    serve: async ({ network, format }, query) => {
      const events = await listSpanEvents(network, parseSpan(query));
      const listed = format === "dexscreener" ? events : events.filter(({ reserves }) => reserves !== undefined);
      return { events: await mapInTurns(listed, presentEvent) };
    },
  },
];

const invalid = (message: string) => new ChainError("invalid_argument", message);

function expectFound<T>(found: T | undefined): T {
  if (found === undefined) throw new ChainError("not_found", "Not found");
  return found;
}

function expectReady<T>(found: T | undefined): T {
  if (found === undefined) throw new ChainError("stage_behind", "No block is final yet.");
  return found;
}

function parseAsset({ id }: Query): Hex {
  const address = typeof id === "string" ? id.toLowerCase() : undefined;
  if (isAddress(address)) return address;
  throw invalid("id must be an address of 0x and 40 hex digits");
}

function parsePair({ id }: Query): Hex {
  const pool = typeof id === "string" ? parsePoolId(id) : undefined;
  if (pool !== undefined) return pool;
  throw invalid("id must be an address of 0x and 40 hex digits, or the id of a pool of 64");
}

function parseSpan(query: Query): BlockSpan {
  const [from, to] = [parseBlock(query, "fromBlock"), parseBlock(query, "toBlock")];
  if (to < from) throw invalid("toBlock must not be before fromBlock");
  if (to - from >= MAX_BLOCKS) throw invalid(`at most ${grouped(MAX_BLOCKS)} blocks may be asked for at once`);
  return { from, to };
}

const MAX_DIGITS = 15;

function parseBlock(query: Query, name: string): number {
  const number = parseInteger(query[name], MAX_DIGITS);
  if (number !== undefined && number >= 0) return number;
  throw invalid(`${name} must be the number of a block`);
}
