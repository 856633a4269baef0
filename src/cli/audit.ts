import type { Settings } from "../config.ts";
import { compareWithSource } from "../indexer/compare.ts";
import { Upstream } from "../source/upstream.ts";
import { auditStore } from "../store/audit.ts";
import { Store } from "../store/store.ts";

const MOST_SHOWN = 20;

/** Audits the index in the data directory; 1 if anything does not agree. The indexer may be running meanwhile. */
export async function audit(settings: Settings): Promise<number> {
  const store = await Store.openReadOnly(settings.data);
  try {
    const { tip, problems } = await store.read(async () => ({
      tip: await store.blocks.tip(),
      problems: await auditStore(store, report),
    }));
    console.log(
      `recomputed ${tip === undefined ? 0 : tip.totals.transactions} transactions up to block ${tip?.number ?? "none"}`,
    );
    if (tip !== undefined && settings.rpc !== undefined)
      problems.push(...(await sample(store, settings, settings.rpc)));
    for (const problem of problems.slice(0, MOST_SHOWN)) console.error(problem);
    console.log(problems.length === 0 ? "no differences" : `${problems.length} differences`);
    return problems.length === 0 ? 0 : 1;
  } finally {
    await store.close();
  }
}

function report(number: number): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[Kblock ${number}\r`);
}

async function sample(store: Store, settings: Settings, url: string): Promise<string[]> {
  const source = new Upstream({ url, chainId: await store.chainId() });
  try {
    const first = (await store.blocks.first())!.header.number;
    const last = (await store.blocks.tip())!.number;
    const numbers = new Set<number>();
    const wanted = Math.min(settings.samples, last - first + 1);
    while (numbers.size < wanted) numbers.add(first + Math.floor(Math.random() * (last - first + 1)));
    const problems = await compareWithSource(
      store,
      source,
      [...numbers].sort((a, b) => a - b),
    );
    console.log(`compared ${numbers.size} blocks with ${source.name}`);
    return problems;
  } finally {
    await source.close();
  }
}
