import { toHex } from "../chain/encoding/hex.ts";
import { ChainError } from "../chain/error.ts";
import type { Settings } from "../config.ts";
import { storeUrlOf } from "../config.ts";
import type { Invocation } from "../invocation.ts";
import { messageOf } from "../std/values.ts";
import { describeUrl } from "../store/engine/databases.ts";
import { openStoreReadOnly } from "../store/openStore.ts";
import { networksToShow } from "./networks.ts";

type Rows = (readonly [label: string, value: string | number])[];

/**
 * Asks the running servers, or reads the index if none runs. A directory without a port selects that index, since
 * another network may serve on the default port.
 */
export async function status(invocation: Invocation): Promise<number> {
  const networks = await networksToShow(invocation);
  const isAboutData = (invocation.flags.has("data") || invocation.flags.has("store")) && !invocation.flags.has("port");
  for (const [index, { name, settings }] of networks.entries()) {
    const rows = isAboutData
      ? await readDirectory(settings, networks.length > 1)
      : ((await askServer(settings)) ?? (await readUnserved(settings, networks.length > 1)));
    const width = Math.max(...rows.map(([label]) => label.length));
    const margin = name === undefined ? "" : "  ";
    if (name !== undefined) console.log(`${index === 0 ? "" : "\n"}${name}`);
    for (const [label, value] of rows) console.log(`${margin}${label.padEnd(width)}  ${value}`);
  }
  return 0;
}

interface Status {
  readonly chain_id: number;
  readonly chain_name: string;
  readonly head: { number: number } | null;
  readonly indexed: { number: number; hash: string } | null;
  readonly lag: number | null;
  readonly disagreement: { number: number } | null;
  readonly digest: string | null;
  readonly indexer: { state: string; message?: string };
  readonly writer: { name: string; active: boolean } | null;
  readonly totals: Readonly<Record<string, number | string>> | null;
}

async function askServer({ host, port }: Settings): Promise<Rows | undefined> {
  const url = `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
  let answer: Status;
  try {
    const response = await fetch(`${url}/status`, { signal: AbortSignal.timeout(5000) });
    answer = (await response.json()) as Status;
  } catch {
    return undefined;
  }
  if (typeof answer?.chain_id !== "number")
    throw new ChainError("upstream_invalid", `what answers at ${url} is not oriel`);
  const { indexer, totals, writer } = answer;
  return [
    ["server", url],
    ["chain", `${answer.chain_id} (${answer.chain_name})`],
    ["node's head", answer.head?.number ?? "unknown"],
    ["indexed", answer.indexed === null ? "nothing yet" : `${answer.indexed.number} ${answer.indexed.hash}`],
    ...(answer.disagreement ? [["disagreement", `at block ${answer.disagreement.number}`] as const] : []),
    ["behind", answer.lag === null ? "unknown" : `${answer.lag} blocks`],
    ["indexer", indexer.message === undefined ? indexer.state : `${indexer.state}: ${indexer.message}`],
    ...(writer ? [["writer", writer.active ? writer.name : `none; last ${writer.name}`] as const] : []),
    ["digest", answer.digest ?? "none"],
    ...Object.entries(totals ?? {}).map(([name, value]) => [name.replaceAll("_", " "), value] as const),
  ];
}

async function readUnserved(settings: Settings, isOneOfMany: boolean): Promise<Rows> {
  const { host, port } = settings;
  const server = ["server", `none on ${host}:${port}`] as const;
  try {
    return [server, ...(await readIndex(settings))];
  } catch (error) {
    const message = messageOf(error);
    if (isOneOfMany) return [server, ["index", message]];
    throw new ChainError("not_found", `nothing serves on ${host}:${port}, and ${message}`, { cause: error });
  }
}

async function readDirectory(settings: Settings, isOneOfMany: boolean): Promise<Rows> {
  try {
    return [["data", describeUrl(storeUrlOf(settings))], ...(await readIndex(settings))];
  } catch (error) {
    if (isOneOfMany) return [["index", messageOf(error)]];
    throw error;
  }
}

async function readIndex(settings: Settings): Promise<Rows> {
  const store = await openStoreReadOnly(storeUrlOf(settings));
  try {
    const tip = await store.latest.blocks.tip();
    return [
      ["chain", await store.latest.chainId()],
      ["indexed", tip === undefined ? "nothing yet" : `${tip.number} ${toHex(tip.hash)}`],
      ["digest", tip === undefined ? "none" : toHex(tip.digest)],
      ["transactions", tip?.totals.transactions ?? 0],
      ["logs", tip?.totals.logs ?? 0],
      ["addresses", tip?.totals.addresses ?? 0],
    ];
  } finally {
    await store.close();
  }
}
