import type { Registry } from "prom-client";
import { Counter, Gauge, Histogram } from "prom-client";
import type { Activity } from "../../query/activity.ts";

const DEPTHS = [1, 2, 4, 8, 16, 32, 64, 128, 256, 1024, 4096, 16_384];
const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

/** Subscribes to index events and thread restarts. */
export function activityMetrics(activity: Activity, registry: Registry): void {
  const registers = [registry];
  const depths = new Histogram({
    name: "oriel_reorg_depth_blocks",
    help: "Blocks unwound by each reorg.",
    buckets: DEPTHS,
    registers,
  });
  const durations = new Histogram({
    name: "oriel_reorg_duration_seconds",
    help: "Time to unwind the blocks of a reorg.",
    buckets: SECONDS,
    registers,
  });
  const counter = (name: string, help: string) => new Counter({ name: `oriel_${name}`, help, registers });
  const clears = counter("clears_total", "How often the index was cleared to start over.");
  const clearing = counter("clear_seconds_total", "Time to clear the index.");
  const derived = counter("derived_blocks_total", "Blocks whose tokens were derived from stored rows.");
  const deriving = counter("derivation_seconds_total", "Time to derive tokens from stored rows.");
  activity.watch((event) => {
    const { kind, seconds } = event;
    if (kind === "unwound") {
      depths.observe(event.blocks);
      durations.observe(seconds);
    } else if (kind === "cleared") {
      clears.inc();
      clearing.inc(seconds);
    } else {
      derived.inc(event.blocks);
      deriving.inc(seconds);
    }
  });
  threadMetrics(activity, registry);
}

function threadMetrics(activity: Activity, registry: Registry): void {
  const labelNames = ["thread"];
  const registers = [registry];
  new Gauge({
    name: "oriel_thread_running",
    help: "1 while a thread is running, by thread.",
    labelNames,
    registers,
    collect() {
      for (const { name, isRunning } of activity.threads) this.set({ thread: name }, isRunning ? 1 : 0);
    },
  });
  new Counter({
    name: "oriel_thread_restarts_total",
    help: "How often a thread died and was restarted, by thread.",
    labelNames,
    registers,
    collect() {
      this.reset();
      for (const { name, restarts } of activity.threads) this.inc({ thread: name }, restarts);
    },
  });
}
