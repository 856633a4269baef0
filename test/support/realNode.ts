import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Hex } from "../../src/chain/encoding/hex.ts";
import { Refused } from "./developmentNode.ts";
import type { Cleaning } from "./program.ts";

/** A development node that others make, as a process of its own. It does not outlive the test. */
export class RealNode {
  readonly url: string;
  readonly accounts: readonly Hex[];
  readonly interval: number;

  private constructor(url: string, accounts: readonly Hex[], interval: number) {
    this.url = url;
    this.accounts = accounts;
    this.interval = interval;
  }

  static async start(t: Cleaning, { command, args, listens, interval }: RealNodeKind): Promise<RealNode> {
    const child = spawn(command, args, { cwd: FOLDER, env: ENVIRONMENT, stdio: ["ignore", "pipe", "pipe"] });
    const ended = new Promise((resolve) => child.once("close", resolve));
    t.after(async () => {
      child.kill("SIGKILL");
      await ended;
    });
    const url = `http://127.0.0.1:${await portOf(child, listens)}`;
    return new RealNode(url, await askNode<Hex[]>(url, "eth_accounts"), interval);
  }

  ask<T = unknown>(method: string, ...params: unknown[]): Promise<T> {
    return askNode<T>(this.url, method, ...params);
  }
}

/** How a node is started, and what it writes when it listens. */
export interface RealNodeKind {
  readonly command: string;
  readonly args: readonly string[];
  readonly listens: RegExp;
  readonly interval: number;
}

const FOLDER = fileURLToPath(new URL("../nodes", import.meta.url));
const ENVIRONMENT = { ...process.env, CI: "true", HARDHAT_DISABLE_TELEMETRY_PROMPT: "true" };
const { resolve } = createRequire(join(FOLDER, "package.json"));

/** Where a package of a node is, or undefined where its platform has none. */
function folderOf(name: string): string | undefined {
  try {
    return dirname(resolve(`${name}/package.json`));
  } catch {
    return undefined;
  }
}

/** Anvil, or why it cannot be started here. */
export function findAnvil(): RealNodeKind | string {
  const folder = folderOf("@foundry-rs/anvil-linux-amd64");
  if (folder === undefined) return "the registry has anvil for linux on x64 alone";
  const command = join(folder, "bin", "anvil");
  return { command, args: ["--port", "0"], listens: /Listening on \S+:(\d+)/, interval: 1 };
}

/** Hardhat, or why it cannot be started here. */
export function findHardhat(): RealNodeKind | string {
  const folder = folderOf("hardhat");
  const machine = `${process.platform}-${process.arch}`;
  const binary = [`edr-${machine}-gnu`, `edr-${machine}-musl`, `edr-${machine}`, `edr-${machine}-msvc`].find(
    (name) => folderOf(`@nomicfoundation/${name}`) !== undefined,
  );
  if (folder === undefined || binary === undefined) return `npm brought no node of hardhat for ${machine}`;
  const script = join(folder, "dist", "src", "cli.js");
  if (!existsSync(script)) return `hardhat has no ${script}`;
  const args = [script, "node", "--hostname", "127.0.0.1", "--port", "0"];
  return { command: process.execPath, args, listens: /server at http:\/\/[^:]+:(\d+)/, interval: 200 };
}

function portOf(child: ChildProcess, listens: RegExp): Promise<number> {
  const { promise, resolve: found, reject } = Promise.withResolvers<number>();
  let written = "";
  const read = (text: string) => {
    written = `${written}${text}`.slice(-100_000);
    const match = listens.exec(written);
    if (match !== null) found(Number(match[1]));
  };
  for (const stream of [child.stdout!, child.stderr!]) stream.setEncoding("utf8").on("data", read);
  child.once("error", reject);
  child.once("close", (code) => reject(new Error(`it ended with ${code}: ${written}`)));
  return promise;
}

async function askNode<T>(url: string, method: string, ...params: unknown[]): Promise<T> {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  const response = await fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body });
  const answer = (await response.json()) as { result: T; error?: Refused };
  if (answer.error !== undefined) throw new Refused(answer.error);
  return answer.result;
}
