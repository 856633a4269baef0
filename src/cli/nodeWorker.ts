import type { MessagePort } from "node:worker_threads";
import { parentPort, workerData } from "node:worker_threads";
import type { FundedAccount } from "../api/settings.ts";
import type { ErrorCode } from "../chain/error.ts";
import { asChainError } from "../chain/error.ts";
import type { DemonstratedContracts } from "../demo/demonstratedContracts.ts";
import type { DemonstrationRunner, DemonstrationRunnerOptions } from "../demo/demonstrationRunner.ts";
import type { HandleBody } from "../jsonrpc/port.ts";
import { servePort } from "../jsonrpc/port.ts";
import { TEST_MNEMONIC } from "../node/accounts/accounts.ts";
import { KzgClient } from "../node/blobs/kzgClient.ts";
import { isFull } from "../node/databaseError.ts";
import type { NodeOptions } from "../node/node.ts";
import { Node } from "../node/node.ts";
import { messageOf } from "../std/values.ts";
import { collectWhenIdle } from "./idleCollection.ts";
import { VERSION } from "./version.ts";

export type NodeSettings = Omit<NodeOptions, "kzg" | "onError" | "onConsole" | "mnemonic" | "version"> & {
  /** Undefined uses the well-known development accounts. */
  readonly mnemonic: string | undefined;
  /** Without it the chain starts empty and idle. */
  readonly demo?: { readonly network: string; readonly seed: string } | undefined;
};

export interface NodeWorkerData {
  readonly settings: NodeSettings;
  readonly kzg: MessagePort;
}

/** The chain is open, or failed to open; then internal errors and events. */
export type NodeMessage =
  | { readonly kind: "error"; readonly reason: string }
  | { readonly kind: "notice"; readonly notice: string }
  | { readonly kind: "demonstrated"; readonly contracts: DemonstratedContracts }
  | { readonly kind: "ready"; readonly accounts: readonly FundedAccount[] }
  | { readonly kind: "failed"; readonly code: ErrorCode; readonly message: string };

export type NodeCommand = { readonly port: MessagePort } | "activity" | "stop";

/** Worker entry point: answers over ports until stopped. */
async function run(parent: MessagePort, { settings, kzg }: NodeWorkerData): Promise<void> {
  const post = (message: NodeMessage) => parent.postMessage(message);
  const onError = (error: unknown) => {
    if (isFull(error)) post({ kind: "notice", notice: messageOf(error) });
    else post({ kind: "error", reason: reasonOf(error) });
  };
  const { mnemonic = TEST_MNEMONIC, demo, ...options } = settings;
  const beginning = demo === undefined ? {} : await demonstrationBeginning(demo.network);
  const onConsole = (line: string) => post({ kind: "notice", notice: `console.log: ${line}` });
  const own = { mnemonic, version: VERSION, kzg: new KzgClient(kzg), onError, onConsole };
  const node = await Node.open({ ...options, ...beginning, ...own });
  const onNotice = (notice: string) => post({ kind: "notice", notice });
  const onDemonstrated = (contracts: DemonstratedContracts) => post({ kind: "demonstrated", contracts });
  const show = demo && (await openRunner(node, { ...demo, onError, onNotice, onDemonstrated }));
  const ports: MessagePort[] = [kzg];
  const stopped = Promise.withResolvers<void>();
  parent.on("message", (command: NodeCommand) => {
    if (command === "stop") stopped.resolve();
    else if (command === "activity") show?.noteActivity();
    else {
      ports.push(command.port);
      const handle: HandleBody = (...call) => node.handle(...call);
      servePort(command.port, handle, (listener) => node.watch(listener));
    }
  });
  post({ kind: "ready", accounts: presentAccounts(node, settings.mnemonic === undefined) });
  show?.start();
  await stopped.promise;
  await show?.stop();
  await node.close();
  for (const port of ports) port.close();
}

/** Genesis options for a demonstration, loaded on demand. */
async function demonstrationBeginning(network: string): Promise<Partial<NodeOptions>> {
  const { DAYS, Demonstration } = await import("../demo/demonstration.ts");
  return {
    funded: Demonstration.funded(network),
    genesisTime: Math.floor(Date.now() / 1000) - DAYS * 86_400,
  };
}

async function openRunner(node: Node, options: DemonstrationRunnerOptions): Promise<DemonstrationRunner> {
  const { DemonstrationRunner } = await import("../demo/demonstrationRunner.ts");
  return new DemonstrationRunner(node, options);
}

function presentAccounts({ accounts }: Node, isPublic: boolean): FundedAccount[] {
  return accounts.map(({ address, privateKey }) => ({ address, ...(isPublic && { privateKey }) }));
}

/** Internal errors include the stack. */
function reasonOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

if (parentPort !== null) {
  collectWhenIdle();
  const data: NodeWorkerData = workerData;
  try {
    await run(parentPort, data);
  } catch (error) {
    const { code, message } = asChainError(error);
    parentPort.postMessage({ kind: "failed", code, message } satisfies NodeMessage);
    data.kzg.close();
  }
  parentPort.close();
}
