import { existsSync } from "node:fs";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { pino } from "pino";
import { createApp } from "../api/app.ts";
import { asChainError, ChainError } from "../chain/error.ts";
import type { Settings } from "../config.ts";
import { Upstream } from "../source/upstream.ts";
import { Store } from "../store/store.ts";
import { IndexerThread } from "./indexerThread.ts";
import { ProgressLine } from "./progress.ts";
import { stopSignal } from "./stopSignal.ts";
import { VERSION } from "./version.ts";

/** Runs until a signal comes; answers the exit code. */
export async function start(settings: Settings): Promise<number> {
  // Blocks live for a moment, so a heap that may double before it is swept is memory held for nothing.
  setFlagsFromString("--heap-growing-percent=30");
  if (settings.rpc === undefined) {
    throw new ChainError("invalid_argument", "oriel needs a node to index: oriel start --rpc http://127.0.0.1:8545");
  }
  const progress = new ProgressLine(process.stdout);
  const stopped = stopSignal();
  await using running = new AsyncDisposableStack();
  running.defer(() => progress.end());
  const found = await Promise.race([connect(settings.rpc, settings, progress), stopped.then((code) => ({ code }))]);
  if ("code" in found) return found.code;
  const { chainId } = found;
  const source = new Upstream({ url: settings.rpc, authoritative: settings.dev, chainId, maxBytes: MOST_READ_THROUGH });
  running.defer(() => source.close());
  const thread = new IndexerThread(
    { ...workerSettings(settings, settings.rpc), chainId },
    {
      onProgress: (news) => progress.progress(news),
      onState: (state) => progress.state(state),
      onUnobserved: (reason) => progress.line(`tokens are not observed for now: ${reason}`),
      onRestart: (reason) => progress.line(`the indexer ended (${reason}) and starts again`),
    },
  );
  await thread.start();
  running.defer(() => thread.stop());
  const store = await Store.openReadOnly(settings.data);
  running.defer(() => store.close());
  const app = createApp({ store, source, settings: appSettings(settings, chainId) });
  running.defer(() => app.close());
  const url = await listen(app, settings);
  progress.line(`oriel ${VERSION}: chain ${chainId} from ${source.name}, data in ${settings.data}, serving ${url}`);
  return await stopped;
}

/** What is read through is parsed on the thread that serves, so a giant block waits for the indexer. */
const MOST_READ_THROUGH = 32 << 20;

/** Somebody waits for the first answer, so the node is not given as long as later. */
const FIRST_CONTACT = { timeoutMs: 10_000, retry: { attempts: 4, deadlineMs: 10_000 } };

/** Without an index a node that cannot be reached is a mistake worth ending for; with one there is something to serve. */
async function connect(url: string, settings: Settings, progress: ProgressLine): Promise<{ chainId: number }> {
  const source = new Upstream({ url, ...chainIdOf(settings), ...FIRST_CONTACT });
  try {
    return { chainId: await source.connect() };
  } catch (error) {
    const failure = asChainError(error);
    if (failure.code === "wrong_chain" || !existsSync(join(settings.data, "index.sqlite"))) throw failure;
    const store = await Store.openReadOnly(settings.data);
    const chainId = await store.chainId();
    await store.close();
    progress.line(`the node does not answer yet (${failure.message}); serving what is indexed`);
    return { chainId: settings["chain-id"] ?? chainId };
  } finally {
    await source.close();
  }
}

async function listen(app: ReturnType<typeof createApp>, { host, port }: Settings): Promise<string> {
  try {
    return await app.listen({ host, port });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const reason = code === "EADDRINUSE" ? "the port is in use; choose another with --port" : message;
    throw new ChainError("invalid_argument", `cannot serve on ${host}:${port}: ${reason}`, { cause: error });
  }
}

function chainIdOf(settings: Settings): { chainId?: number } {
  const chainId = settings["chain-id"];
  return chainId === undefined ? {} : { chainId };
}

function workerSettings(settings: Settings, rpc: string) {
  const { data, poll, integrity, tokens, dev } = settings;
  return { rpc, data, poll, integrity, tokens, dev, fromBlock: settings["from-block"] };
}

function appSettings(settings: Settings, chainId: number) {
  return {
    version: VERSION,
    chainId,
    chainName: settings["chain-name"] ?? `Chain ${chainId}`,
    blobUpdateFraction: settings["blob-update-fraction"],
    trustProxy: settings["trust-proxy"],
    devMethods: settings["dev-methods"],
    logger: pino({ level: "warn" }, pino.destination({ fd: 2, sync: true })),
  };
}
