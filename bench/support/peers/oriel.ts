import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { PROGRAM_ENVIRONMENT, PROGRAM_FLAGS } from "../../../bin/node.js";
import { findProgram } from "../../../bin/program.js";
import { inParallel } from "../measure.ts";
import type { Balances } from "./balances.ts";
import { balanceKey, positive } from "./balances.ts";
import type { Peer, PeerPlace, RunningPeer } from "./peer.ts";
import { startPeerProcess } from "./peerProcess.ts";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const PAGE = 1000;

const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as { version: string };

/** Oriel as it runs by default. */
export const ORIEL: Peer = oriel(
  "everything",
  "default settings, all checks: blocks, transactions, logs, tokens, pools",
);

export const ORIEL_CORE: Peer = oriel("core", "`--no-tokens`, all checks: blocks, transactions, logs", "--no-tokens");

function oriel(what: string, settings: string, ...flags: string[]): Peer {
  return {
    name: `Oriel ${version}, ${what}`,
    settings,
    expects: flags.includes("--no-tokens") ? undefined : positive,
    install: async (folder) => folder,
    start: (at) => start(at, flags),
  };
}

async function start({ rpc, last, tokens }: PeerPlace, flags: readonly string[]): Promise<RunningPeer> {
  const directory = mkdtempSync(join(tmpdir(), "oriel-bench-"));
  const program = startPeerProcess(process.execPath, {
    args: [...PROGRAM_FLAGS, findProgram(ROOT), "start", "--data", directory, "--port", "0", "--rpc", rpc, ...flags],
    cwd: directory,
    env: { ...process.env, ...PROGRAM_ENVIRONMENT },
  });
  const [, url] = await program.matched(/(?:serving|chain \d+)\s+(http:\S+)/);
  return {
    roots: [program.pid],
    failure: program.failure,
    indexed: async () => {
      const response = await fetch(`${url}/status`).catch(() => undefined);
      if (!response?.ok) return undefined;
      const { indexed, stages = [] } = (await response.json()) as OrielStatus;
      return Math.min(indexed?.number ?? -1, ...stages.map(({ block }) => block ?? -1));
    },
    balances: () => readHolders(url!, tokens, last),
    databaseBytes: async () => sizeOf(directory),
    stop: async () => {
      await program.stop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

interface OrielStatus {
  readonly indexed: { readonly number: number } | null;
  readonly stages?: readonly { readonly block: number | null }[];
}

/** Through the API, as a user would. Holders have balances above zero. */
async function readHolders(url: string, tokens: readonly string[], last: number): Promise<Balances> {
  const amounts = new Map<string, bigint>();
  const listed = await fetch(`${url}/api/v2/token-transfers?page_size=1`);
  const { total_count: transfers } = (await listed.json()) as { total_count: number };
  await inParallel(tokens.length, 4, async (at) => {
    const token = tokens[at]!;
    for (let page = 1, rows = PAGE; rows === PAGE; page++) {
      const query = `module=token&action=tokenholderlist&contractaddress=${token}&page=${page}&offset=${PAGE}`;
      const { result } = (await (await fetch(`${url}/api?${query}`)).json()) as { result: Holder[] | null };
      for (const row of result ?? []) {
        amounts.set(balanceKey(token, row.TokenHolderAddress), BigInt(row.TokenHolderQuantity));
      }
      rows = result?.length ?? 0;
    }
  });
  if (amounts.size === 0) throw new Error(`no holder of ${tokens.length} tokens is known at block ${last}`);
  return { amounts, transfers };
}

interface Holder {
  readonly TokenHolderAddress: string;
  readonly TokenHolderQuantity: string;
}

const sizeOf = (directory: string): number =>
  readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
