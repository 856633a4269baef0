import { readdirSync, readFileSync } from "node:fs";

const MS_PER_TICK = 10;

interface Stat {
  readonly parent: number;
  readonly cpuMs: number;
}

/** A process and all that it started. Needs Linux. */
export class ProcessTree {
  readonly #roots: readonly number[];
  #peak = 0;
  readonly #sampling: NodeJS.Timeout;

  constructor(...roots: number[]) {
    this.#roots = roots;
    this.#sampling = setInterval(() => this.#sample(), 500);
  }

  /** Milliseconds of CPU so far, with that of children that ended. */
  cpuMs(): number {
    const stats = readStats();
    return this.#pids(stats).reduce((sum, pid) => sum + stats.get(pid)!.cpuMs, 0);
  }

  /** The most memory of all its processes at once. What they share counts once. */
  peakMegabytes(): number {
    this.#sample();
    return this.#peak;
  }

  close(): void {
    clearInterval(this.#sampling);
  }

  #sample(): void {
    const kilobytes = this.#pids(readStats()).reduce((sum, pid) => sum + proportionalKilobytes(pid), 0);
    this.#peak = Math.max(this.#peak, kilobytes / 1024);
  }

  #pids(stats: ReadonlyMap<number, Stat>): number[] {
    const children = Map.groupBy(stats.keys(), (pid) => stats.get(pid)!.parent);
    const all: number[] = [];
    const add = (pid: number) => {
      all.push(pid);
      for (const child of children.get(pid) ?? []) add(child);
    };
    for (const root of this.#roots) if (stats.has(root)) add(root);
    return all;
  }
}

function readStats(): Map<number, Stat> {
  const stats = new Map<number, Stat>();
  for (const name of readdirSync("/proc")) {
    const text = /^\d+$/.test(name) ? readOrNothing(`/proc/${name}/stat`) : "";
    if (text !== "") stats.set(Number(name), parseStat(text));
  }
  return stats;
}

/** The name of the program is in brackets and may contain spaces. */
export function parseStat(text: string): Stat {
  const fields = text.slice(text.lastIndexOf(") ") + 2).split(" ");
  const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
  return { parent: Number(fields[1]), cpuMs: ticks * MS_PER_TICK };
}

function proportionalKilobytes(pid: number): number {
  const found = /^Pss:\s+(\d+)/m.exec(readOrNothing(`/proc/${pid}/smaps_rollup`));
  return Number(found?.[1] ?? 0);
}

/** A process may end at any time. */
function readOrNothing(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return "";
  }
}
