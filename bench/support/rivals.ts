import { spawn } from "node:child_process";
import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { Agent, request } from "node:http";
import { buffer } from "node:stream/consumers";
import { findAnvil } from "../../test/support/realNode.ts";
import { cpuOf, startNode } from "./program.ts";

/** A node in a process of its own, asked by one client over one connection. */
export interface Rival {
  readonly name: string;
  /** Returns the body of the response. */
  send(method: string, ...params: unknown[]): Promise<Buffer>;
  /** Of all its threads so far. */
  cpuMs(): number;
  stop(): Promise<void>;
}

export async function ask<T = unknown>(rival: Rival, method: string, ...params: unknown[]): Promise<T> {
  const { result, error } = JSON.parse((await rival.send(method, ...params)).toString()) as {
    result: T;
    error?: object;
  };
  if (error !== undefined) throw new Error(`${rival.name}: ${method}: ${JSON.stringify(error)}`);
  return result;
}

export async function startOriel(): Promise<Rival> {
  const { url, cpuMs, stop } = await startNode();
  return { name: "oriel", ...connect(`${url}/rpc`), cpuMs, stop };
}

/** Anvil with the same chain id, accounts, rules and gas limit; or why it is not here. */
export async function startAnvil(...more: string[]): Promise<Rival | string> {
  const kind = findAnvil();
  if (typeof kind === "string") return kind;
  const flags = [
    "--chain-id",
    "677",
    "--hardfork",
    "prague",
    "--gas-limit",
    "30000000",
    "--balance",
    "1000000",
    ...more,
  ];
  const child = spawn(kind.command, [...kind.args, ...flags], { stdio: ["ignore", "pipe", "inherit"] });
  const port = await portIn(child.stdout, kind.listens);
  const stop = async () => {
    child.kill("SIGKILL");
    await once(child, "exit");
  };
  return { name: "anvil", ...connect(`http://127.0.0.1:${port}`), cpuMs: () => cpuOf(child.pid!), stop };
}

async function portIn(output: AsyncIterable<Buffer>, listens: RegExp): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const read = async () => {
    let text = "";
    for await (const chunk of output) {
      text = `${text}${chunk}`.slice(-10_000);
      const found = listens.exec(text);
      if (found !== null) resolve(Number(found[1]));
    }
    reject(new Error(`anvil ended: ${text}`));
  };
  void read();
  return promise;
}

function connect(url: string): Pick<Rival, "send"> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  return {
    async send(method, ...params) {
      const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
      const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(body) };
      const sent = request(url, { method: "POST", agent, headers });
      sent.end(body);
      const [response] = (await once(sent, "response")) as [IncomingMessage];
      return buffer(response);
    },
  };
}
