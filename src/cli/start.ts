import { setFlagsFromString } from "node:v8";
import { pino } from "pino";
import type { Invocation } from "../invocation.ts";
import { KzgThread } from "../node/blobs/kzgThread.ts";
import { banner } from "./banner.ts";
import { Network } from "./network.ts";
import { networksToStart } from "./networks.ts";
import { ProgressLine } from "./progress.ts";
import { resetNetworks } from "./reset.ts";
import { Screen } from "./screen.ts";
import { stopSignal } from "./stopSignal.ts";

/** Runs until a signal arrives. Returns the exit code. */
export async function start(invocation: Invocation): Promise<number> {
  // Block data is short-lived: letting the heap double before collection wastes memory.
  setFlagsFromString("--heap-growing-percent=30");
  const targets = networksToStart(invocation);
  if (invocation.settings.reset) await resetNetworks(targets);
  const stopped = stopSignal();
  await using running = new AsyncDisposableStack();
  const screen = new Screen(process.stdout);
  running.defer(() => screen.end());
  const kzg = running.adopt(new KzgThread(), (thread) => thread.close());
  const logger = pino({ level: "warn" }, pino.destination({ fd: 2, sync: true }));
  const networks = targets.map((target) => {
    const progress = new ProgressLine(screen, { name: targets.length > 1 ? target.name : undefined });
    return running.use(new Network(target, progress, { kzg, logger, targets }));
  });
  const isRunning = (async () => {
    const serving = await Promise.all(networks.map(async (network) => ({ network, served: await network.serve() })));
    if (running.disposed) return;
    const all = serving.map(({ served }) => served);
    screen.line(banner(all, invocation.settings));
    await Promise.all(serving.map(({ network, served }) => network.follow(served)));
  })();
  return await Promise.race([isRunning.then(() => stopped), stopped]);
}
