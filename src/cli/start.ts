import { setFlagsFromString } from "node:v8";
import { pino } from "pino";
import type { Invocation } from "../invocation.ts";
import { KzgThread } from "../node/blobs/kzgThread.ts";
import { invalid } from "../settingValues.ts";
import { banner } from "./banner.ts";
import { collectWhenIdle } from "./idleCollection.ts";
import type { NetworkRole } from "./network.ts";
import { Network } from "./network.ts";
import { networksToStart } from "./networks.ts";
import { ProgressLine } from "./progress.ts";
import { Screen } from "./screen.ts";
import { stopSignal } from "./stopSignal.ts";

export function start(invocation: Invocation): Promise<number> {
  return run(invocation, "start");
}

/** Writes the index and serves its state only. */
export function index(invocation: Invocation): Promise<number> {
  expectNodes(invocation, "index");
  return run(invocation, "index");
}

/** Serves an index that other processes write. */
export function serve(invocation: Invocation): Promise<number> {
  expectNodes(invocation, "serve");
  return run(invocation, "serve");
}

function expectNodes(invocation: Invocation, role: NetworkRole): void {
  if (networksToStart(invocation).every(({ settings }) => settings.rpc !== undefined)) return;
  throw invalid(`oriel ${role} needs the --rpc of a node: an embedded chain runs in one process, with oriel start`);
}

/** Runs until a signal arrives. Returns the exit code. */
async function run(invocation: Invocation, role: NetworkRole): Promise<number> {
  // Block data is short-lived: letting the heap double before collection wastes memory.
  setFlagsFromString("--heap-growing-percent=30");
  collectWhenIdle();
  const targets = networksToStart(invocation);
  // It loads the EVM, which only the threads of embedded chains need otherwise.
  if (invocation.settings.reset) await (await import("./reset.ts")).resetNetworks(targets);
  const stopped = stopSignal();
  await using running = new AsyncDisposableStack();
  const screen = new Screen(process.stdout);
  running.defer(() => screen.end());
  const kzg = running.adopt(new KzgThread(), (thread) => thread.close());
  const logger = pino({ level: "warn" }, pino.destination({ fd: 2, sync: true }));
  const networks = targets.map((target) => {
    const progress = new ProgressLine(screen, { name: targets.length > 1 ? target.name : undefined });
    return running.use(new Network(target, progress, { kzg, logger, targets, role }));
  });
  const isRunning = (async () => {
    const serving = await Promise.all(networks.map((network) => network.serve()));
    if (running.disposed) return;
    screen.line(banner(serving, invocation.settings));
    await Promise.all(networks.map((network) => network.follow()));
  })();
  return await Promise.race([isRunning.then(() => stopped), stopped]);
}
