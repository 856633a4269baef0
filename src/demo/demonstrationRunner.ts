import type { Node } from "../node/node.ts";
import type { DemonstratedContracts } from "./demonstratedContracts.ts";
import { readDemonstratedContracts } from "./demonstratedContracts.ts";
import { Demonstration } from "./demonstration.ts";
import { LiveTraffic } from "./liveTraffic.ts";

export interface DemonstrationRunnerOptions {
  readonly network: string;
  readonly seed: string;
  /** Reports completion of the history, or why there is no demonstration. */
  readonly onNotice: (notice: string) => void;
  /** Receives the contracts once the history is complete. */
  readonly onDemonstrated: (contracts: DemonstratedContracts) => void;
  readonly onError: (error: unknown) => void;
}

const SPENT = "demonstration_traffic";

/** Runs the demonstration: first its history, then live traffic. */
export class DemonstrationRunner {
  readonly #node: Node;
  readonly #options: DemonstrationRunnerOptions;
  readonly #stopping = new AbortController();
  #traffic: LiveTraffic | undefined;
  #running: Promise<void> = Promise.resolve();

  constructor(node: Node, options: DemonstrationRunnerOptions) {
    this.#node = node;
    this.#options = options;
  }

  start(): void {
    this.#running = this.#run().catch(this.#options.onError);
  }

  noteActivity(): void {
    this.#traffic?.noteActivity();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#traffic?.stop();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { network, seed, onNotice, onError } = this.#options;
    const onEnd = (reason: string) => onNotice(`the traffic of the demonstration ends: ${reason}`);
    const opened = await Demonstration.open(this.#node, { network, seed, onError, onEnd });
    if ("off" in opened) {
      onNotice(`no demonstration: ${opened.off}`);
      return;
    }
    const { demonstration } = opened;
    if (!demonstration.isComplete) {
      await demonstration.buildPast(this.#stopping.signal);
      if (!demonstration.isComplete) return;
      onNotice(`the demonstration has its past: ${this.#node.context.chain.head.header.number} blocks`);
    }
    const { chain } = this.#node.context;
    this.#options.onDemonstrated(await readDemonstratedContracts(chain, demonstration.scene));
    const { database } = chain;
    this.#traffic = new LiveTraffic({
      makeBlock: () => demonstration.live(),
      ledger: {
        read: () => database.meta(SPENT),
        write: (entry) => database.transaction(() => database.setMeta(SPENT, entry)),
      },
      onError,
    });
    this.#traffic.noteActivity();
    this.#traffic.start();
  }
}
