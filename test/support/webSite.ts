import type { Json } from "./api.ts";
import { ask } from "./networkProgram.ts";
import type { Cleaning } from "./program.ts";
import { get, makeTemporaryDirectory, runProgram } from "./program.ts";
import { until } from "./waiting.ts";

/** A program with a demonstration, whose pages are looked at. */
export interface WebSite {
  readonly url: string;
  read(path: string): Promise<Json>;
  readExchange(path: string): Promise<Json>;
  /** Mines one transfer; answers its hash once it is indexed. */
  transfer(): Promise<string>;
}

interface Status {
  readonly head: { readonly number: number } | null;
  readonly indexed: { readonly number: number } | null;
  readonly traces: { readonly block: number | null } | null;
}

/** The demonstration of the testnet, once its past is built, indexed and traced. */
export async function startSite(after: Cleaning["after"], ...flags: readonly string[]): Promise<WebSite> {
  const { directory, remove } = makeTemporaryDirectory();
  const args = ["start", "--network", "testnet", "--port", "0", "--data", directory, "--poll", "50", ...flags];
  const program = runProgram({ after }, args, { environment: { ORIEL_DEMO: "true" } });
  after(remove);
  const served = () => /chain 968 +(http:\/\/\S+)/.exec(program.stdout)?.[1];
  await until("it serves", () => served() !== undefined, TIMEOUT);
  const url = served()!;
  const read = async (path: string) => (await get(`${url}/api/v2${path}`)).body;
  const readExchange = async (path: string) => (await get(`${url}/api/v1${path}`)).body;
  await until(
    "the past is built, indexed and traced",
    async () => {
      const { head, indexed, traces } = (await get(`${url}/status`)).body as unknown as Status;
      return head !== null && head.number >= PAST && indexed?.number === head.number && traces?.block === head.number;
    },
    TIMEOUT,
  );
  await until(
    "its tokens have names",
    async () => ((await read("/tokens")).items as Json[])[0]?.symbol !== null,
    TIMEOUT,
  );
  const transfer = async () => {
    const [from, to] = await ask<string[]>(url, "eth_accounts");
    const hash = await ask<string>(url, "eth_sendTransaction", { from, to, value: "0xde0b6b3a7640000" });
    await until(
      "the transfer is indexed",
      async () => (await get(`${url}/api/v2/transactions/${hash}`)).body.block !== null,
    );
    return hash;
  };
  return { url, read, readExchange, transfer };
}

/** Blocks that the demonstration has of its past at least, and seconds that it may take. */
const PAST = 600;
const TIMEOUT = 400;
