import { asChainError } from "../chain/error.ts";
import type { Source } from "../chain/source.ts";
import type { Settings } from "../config.ts";
import { storeUrlOf } from "../config.ts";
import { compareAccounts } from "../indexer/balances/compareAccounts.ts";
import { compareWithSource } from "../indexer/compare.ts";
import { compareBalances } from "../indexer/compareBalances.ts";
import { AUDITED_STAGES } from "../indexer/stages.ts";
import type { Invocation } from "../invocation.ts";
import { openPool } from "../source/pool/openPool.ts";
import { auditStore } from "../store/audit/audit.ts";
import { openStoreReadOnly } from "../store/openStore.ts";
import type { ReadSession } from "../store/session.ts";
import type { StoreReader } from "../store/storeReader.ts";
import { indexToRead } from "./networks.ts";

const MAX_SHOWN = 20;

/** Returns 1 if the index is inconsistent. Safe while the indexer is running. */
export async function audit(invocation: Invocation): Promise<number> {
  const { settings } = await indexToRead(invocation);
  const store = await openStoreReadOnly(storeUrlOf(settings));
  try {
    const problems = await store.read(recompute);
    if (settings.rpc !== undefined && (await store.latest.blocks.tip()) !== undefined)
      problems.push(...(await compare(store, settings, settings.rpc)));
    for (const problem of problems.slice(0, MAX_SHOWN)) console.error(problem);
    console.log(problems.length === 0 ? "no differences" : `${problems.length} differences`);
    return problems.length === 0 ? 0 : 1;
  } finally {
    await store.close();
  }
}

async function recompute(session: ReadSession): Promise<string[]> {
  const tip = await session.blocks.tip();
  const problems = await auditStore(session, { onBlock: report });
  console.log(`recomputed ${tip?.totals.transactions ?? 0} transactions up to block ${tip?.number ?? "none"}`);
  for (const { stage, events } of AUDITED_STAGES) {
    problems.push(...(await stage.audit(session, events, { onBlock: report })));
    const summary = await stage.summary(session);
    if (summary !== undefined) console.log(`recomputed ${summary}`);
  }
  return problems;
}

function report(number: number): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[Kblock ${number}\r`);
}

async function compare(store: StoreReader, settings: Settings, urls: readonly string[]): Promise<string[]> {
  const source = openPool(urls, { chainId: await store.latest.chainId() });
  try {
    const problems = await compareBlocks(store, source, settings.samples);
    await printBalances(store, source, settings.samples);
    await printAccounts(store, source, settings.samples);
    return problems;
  } finally {
    await source.close();
  }
}

async function compareBlocks(store: StoreReader, source: Source, samples: number): Promise<string[]> {
  const [oldest, tip] = [await store.latest.blocks.first(), await store.latest.blocks.tip()];
  if (oldest === undefined || tip === undefined) return [];
  const [first, last] = [oldest.header.number, tip.number];
  const numbers = new Set<number>();
  const wanted = Math.min(samples, last - first + 1);
  while (numbers.size < wanted) numbers.add(first + Math.floor(Math.random() * (last - first + 1)));
  const problems = await compareWithSource(
    store,
    source,
    [...numbers].sort((a, b) => a - b),
  );
  console.log(`compared ${numbers.size} blocks with ${source.name}`);
  return problems;
}

/** Tokens may return anything and nodes prune state, so differences are not errors. */
async function printBalances(store: StoreReader, source: Source, samples: number): Promise<void> {
  try {
    const found = await compareBalances(store, source, samples);
    if (found === undefined) return;
    for (const line of found.differing.slice(0, MAX_SHOWN)) console.log(line);
    const { asked, reported, differing } = found;
    console.log(
      `compared ${asked} token balances with their contracts: ${reported} answered, ${differing.length} differ`,
    );
  } catch (error) {
    console.log(`token balances are not compared: ${asChainError(error).message}`);
  }
}

/** Some chains change balances outside blocks, so differences are not errors; the indexer refreshes them. */
async function printAccounts(store: StoreReader, source: Source, samples: number): Promise<void> {
  try {
    const found = await compareAccounts(store, source, samples);
    if (found === undefined) return;
    for (const line of found.differing.slice(0, MAX_SHOWN)) console.log(line);
    console.log(`compared the balances of ${found.asked} accounts with the node: ${found.differing.length} differ`);
  } catch (error) {
    console.log(`balances of accounts are not compared: ${asChainError(error).message}`);
  }
}
