import type { Profiler } from "node:inspector/promises";
import { Session } from "node:inspector/promises";

/** Parts of the work by the file a sample is in, or that of its nearest caller that is in one of these. */
const PARTS: readonly (readonly [part: string, where: RegExp])[] = [
  ["decode and hashes", /wasm:|\/src\/chain\/(scan|block)\/|\/src\/source\/blockAnswer/],
  ["other checks", /\/src\/chain\/integrity\//],
  ["events", /\/src\/(indexer\/events|chain\/token|chain\/exchange)\//],
  ["encode rows", /\/src\/store\/rows\//],
  ["statements", /\/src\/store\/engine\//],
  ["reduce", /\/src\/(store|indexer)\//],
  ["fetch", /\/src\/source\/|node:(net|internal\/stream|internal\/js_stream|events|_http)/],
];

export const PART_NAMES: readonly string[] = [...PARTS.map(([part]) => part), "garbage collection", "rest"];

/** Shares of the CPU of this thread by part. */
export type PartShares = ReadonlyMap<string, number>;

/** Samples this thread while `work` runs. Helper threads are left out: one of them takes the samples. */
export async function profileCpu(work: () => Promise<void>): Promise<PartShares> {
  const session = new Session();
  session.connect();
  await session.post("Profiler.enable");
  await session.post("Profiler.setSamplingInterval", { interval: 500 });
  await session.post("Profiler.start");
  await work();
  const { profile } = await session.post("Profiler.stop");
  session.disconnect();
  const samples = samplesByPart(profile);
  const count = [...samples.values()].reduce((sum, value) => sum + value, 0);
  return new Map([...samples].map(([part, value]) => [part, value / count]));
}

function samplesByPart({ nodes, samples = [] }: Profiler.Profile): Map<string, number> {
  const parts = new Map<number, string>();
  const visit = new Map(nodes.map((node) => [node.id, node]));
  const walk = (id: number, caller: string) => {
    const node = visit.get(id)!;
    const { functionName, url } = node.callFrame;
    const own = PARTS.find(([, where]) => where.test(url))?.[0];
    const part = functionName === "(garbage collector)" ? "garbage collection" : (own ?? caller);
    parts.set(id, functionName === "(idle)" || functionName === "(root)" ? "" : part);
    for (const child of node.children ?? []) walk(child, part);
  };
  walk(nodes[0]!.id, "rest");
  const counts = new Map<string, number>();
  for (const id of samples) {
    const part = parts.get(id)!;
    if (part !== "") counts.set(part, (counts.get(part) ?? 0) + 1);
  }
  return counts;
}
