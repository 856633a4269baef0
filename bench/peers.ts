import { mkdirSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import type { Bar } from "./support/measure.ts";
import { inParallel, printBars, printTable, writeResult } from "./support/measure.ts";
import { PlainBalances } from "./support/peers/balances.ts";
import { ENVIO } from "./support/peers/envio.ts";
import type { PeerResult } from "./support/peers/measurePeer.ts";
import { measurePeer } from "./support/peers/measurePeer.ts";
import { ORIEL, ORIEL_CORE } from "./support/peers/oriel.ts";
import type { Peer } from "./support/peers/peer.ts";
import { PONDER } from "./support/peers/ponder.ts";
import { SQD } from "./support/peers/sqd.ts";
import { SHAPES } from "./support/syntheticBlocks.ts";
import { PlainClient, startUpstream } from "./support/upstream.ts";

const PEERS: Readonly<Record<string, Peer>> = {
  oriel: ORIEL,
  core: ORIEL_CORE,
  sqd: SQD,
  ponder: PONDER,
  envio: ENVIO,
};

/** Blocks on top, below which Ponder takes blocks as final. */
const FINALITY = 30;

/** Transfers and balances of the same chain by other indexers. Names of programs run only those. */
export async function run(args: string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      transactions: { type: "string", default: "40000" },
      shape: { type: "string", default: "realistic" },
      folder: { type: "string" },
      minutes: { type: "string", default: "15" },
      seed: { type: "string", default: "1" },
    },
  });
  const { transactions: perBlock } = SHAPES[values.shape]!;
  const blocks = Math.ceil(Number(values.transactions) / perBlock);
  const folder = resolve(values.folder ?? mkdtempSync(join(tmpdir(), "oriel-peers-")));
  mkdirSync(folder, { recursive: true });
  // Ends what was started, too.
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));
  console.log(`peers are installed in ${folder}; --folder uses it again`);
  const installed = await installAll(positionals.length > 0 ? positionals : Object.keys(PEERS), folder);
  console.log(`generating ${blocks} blocks of ${perBlock} transactions (seed ${values.seed})…`);
  const upstream = await startUpstream(values.shape, blocks + 1, Number(values.seed), FINALITY);
  const chain = await readChain(upstream.url, blocks);
  const work = { rpc: upstream.url, last: blocks, minutes: Number(values.minutes), ...chain };
  const results: Record<string, PeerResult> = {};
  for (const [name, place] of installed) {
    console.log(`indexing with ${PEERS[name]!.name}…`);
    results[name] = await measurePeer(PEERS[name]!, { ...work, folder: place });
  }
  upstream.close();
  const { transfers, amounts } = chain.expected;
  const size = `${blocks * perBlock} transactions, ${transfers} transfers, ${amounts.size} balances`;
  console.log(`\n${size}, ${(chain.bytes / 1e6).toFixed(0)} MB of JSON`);
  for (const [name, result] of Object.entries(results)) report(PEERS[name]!, result, transfers);
  printBars(barsOf(results));
  writeResult("peers", { size, results });
}

async function installAll(names: readonly string[], folder: string): Promise<(readonly [string, string])[]> {
  const installed: (readonly [string, string])[] = [];
  for (const name of names) {
    const peer = PEERS[name];
    if (peer === undefined) throw new Error(`${name} is none of ${Object.keys(PEERS).join(", ")}`);
    try {
      installed.push([name, await peer.install(folder)]);
    } catch (cause) {
      console.log(`${peer.name} is left out, for it cannot be installed: ${(cause as Error).message}`);
    }
  }
  return installed;
}

/** The balances by plain addition, and how large the chain is. */
async function readChain(url: string, blocks: number) {
  const client = new PlainClient(url);
  const expected = new PlainBalances();
  let bytes = 0;
  await inParallel(blocks, 4, async (at) => {
    const body = await client.fetch(at + 1);
    bytes += body.length;
    const [, receipts] = JSON.parse(body.toString("latin1")) as { result: never }[];
    expected.add(receipts!.result);
  });
  client.close();
  return { expected, bytes, tokens: expected.tokens() };
}

function report(peer: Peer, result: PeerResult, transfers: number): void {
  const { cpuMs, wallMs, peakMegabytes, databaseBytes, wrong } = result;
  printTable(peer.name, [
    ["settings", peer.settings],
    ["CPU of all processes, s", (cpuMs / 1000).toFixed(1)],
    ["transfers per second of CPU", ((transfers * 1000) / cpuMs).toFixed(0)],
    ["wall, s", (wallMs / 1000).toFixed(1)],
    ["peak memory of all processes, MB", peakMegabytes.toFixed(0)],
    ["database, MB", (databaseBytes / 1e6).toFixed(1)],
    ["balances", wrong === undefined ? "not stored" : wrong.length === 0 ? "right" : `${wrong.length} WRONG`],
    ...(result.failure === undefined ? [] : [["failed", result.failure] as const]),
    ...(wrong ?? []).slice(0, 5).map((one) => ["wrong", one] as const),
  ]);
}

function barsOf(results: Readonly<Record<string, PeerResult>>): Bar[] {
  const { oriel, core, ...others } = results;
  const errors = Object.values(results).reduce((sum, { wrong, failure }) => {
    return sum + (wrong?.length ?? 0) + (failure === undefined ? 0 : 1);
  }, 0);
  const bars: Bar[] = [{ what: "wrong balances, and programs that failed", value: errors, atMost: 0 }];
  if (oriel === undefined) return bars;
  const ofSqd = oriel.cpuMs / (others.sqd?.cpuMs ?? Number.NaN);
  bars.push({ what: "Oriel with everything to SQD's transfers, CPU", value: ofSqd, atMost: 0.5 });
  for (const [name, { peakMegabytes }] of Object.entries(others)) {
    bars.push({ what: `its memory to that of ${name}`, value: oriel.peakMegabytes / peakMegabytes, atMost: 1 });
  }
  return bars;
}
