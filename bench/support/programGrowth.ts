import { toHex } from "../../src/chain/encoding/hex.ts";
import { AddressSpace } from "./addressSpace.ts";
import { inParallel, measure } from "./measure.ts";
import { startProgram } from "./program.ts";
import type { Served } from "./servedReads.ts";
import { readWhileIngesting } from "./servedReads.ts";
import { REALISTIC } from "./syntheticBlocks.ts";
import { PlainClient, startUpstream } from "./upstream.ts";

/** CPU per block of the program and of the bound taken beside it. */
interface Tenth {
  readonly blocks: number;
  readonly cpuMs: number;
  readonly boundMs: number;
  readonly rssMegabytes: number;
}

export interface ProgramGrowth {
  readonly blocks: number;
  /** Fewer where a batch is more than a tenth. */
  readonly tenths: readonly Tenth[];
  readonly served: Served;
  /** Share of the time in which the main thread had work and no core to run on. */
  readonly waitForCore: number;
}

const TENTHS = 10;
/** Blocks on which the bound is taken, and how many are fetched at once. */
const SLICE = 50;
const IN_FLIGHT = 8;
/** Blocks after those that are compared: near the head every block is journaled or committed by itself. */
const NEAR_HEAD = 300;
/** Work that begins once the index has caught up must show in the peak. */
const SECONDS_AFTER = 30;

/** Indexes as many transactions by the whole program while it is read from. Needs Linux. */
export async function growProgram(transactions: number, seed: number, tokens: boolean): Promise<ProgramGrowth> {
  const blocks = Math.ceil(transactions / REALISTIC.transactions);
  console.log(`\ngenerating ${blocks + NEAR_HEAD} blocks of ${REALISTIC.transactions} transactions (seed ${seed})…`);
  const upstream = await startUpstream("realistic", blocks + NEAR_HEAD, seed);
  const client = new PlainClient(upstream.url);
  const takeBound = async () => {
    const parse = async (at: number) => void JSON.parse((await client.fetch(at + 1)).toString("latin1"));
    return (await measure(() => inParallel(SLICE, IN_FLIGHT, parse))).cpuMs / SLICE;
  };
  await takeBound();
  const program = await startProgram(upstream.url, ...(tokens ? [] : ["--no-tokens"]));
  const tenths: Tenth[] = [];
  let before = { block: 0, cpuMs: program.cpuMs() };
  let next = 1;
  const onIndexed = async (block: number) => {
    const done = Math.min(Math.floor((block / blocks) * TENTHS), TENTHS);
    if (done < next) return;
    next = done + 1;
    const after = { block, cpuMs: program.cpuMs() };
    const cpuMs = (after.cpuMs - before.cpuMs) / (after.block - before.block);
    const rssMegabytes = program.rssMegabytes();
    before = after;
    tenths.push({ blocks: block, cpuMs, rssMegabytes, boundMs: await takeBound() });
  };
  const path = pathsOf(seed);
  const [start, waited] = [performance.now(), program.waitedMs()];
  const served = await readWhileIngesting(program, blocks + NEAR_HEAD, {
    path,
    onIndexed,
    secondsAfter: SECONDS_AFTER,
  });
  const waitForCore = (program.waitedMs() - waited) / (performance.now() - start);
  await program.stop();
  client.close();
  upstream.close();
  return { blocks: blocks + NEAR_HEAD, tenths, served, waitForCore };
}

/** Blocks of all ages, and transactions of addresses of all sizes, in turn. */
function pathsOf(seed: number): (indexed: number) => string {
  const addresses = new AddressSpace(seed, REALISTIC.addresses);
  let reads = 0;
  return (indexed) => {
    if (reads++ % 2 === 0) return `/api/v2/blocks/${Math.floor(Math.random() * (indexed + 1))}`;
    const rank = Math.floor(addresses.count ** Math.random()) - 1;
    return `/api/v2/addresses/${toHex(addresses.at(rank))}/transactions`;
  };
}
