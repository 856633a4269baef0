import type { TestContext } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import type { Hex } from "../../src/chain/encoding/hex.ts";
import { quantity } from "../../src/chain/encoding/hex.ts";
import { CHAIN_ID, DevelopmentNode, EMITTER, emission } from "./developmentNode.ts";
import { FaultyProxy } from "./faultyProxy.ts";
import { runProgram, temporaryDirectory } from "./program.ts";
import type { Random } from "./random.ts";

interface Mined {
  readonly transaction: Hex;
  readonly at: number;
}

/** Oriel's response and the node's. */
export interface Compared {
  readonly method: string;
  readonly milliseconds: number;
  readonly problem: string | undefined;
}

/** A node that makes blocks, behind several addresses of which each can go wrong, and Oriel in front of them. */
export class NodeCluster {
  readonly proxies: readonly FaultyProxy[];
  readonly #node: DevelopmentNode;
  readonly #emitter: Hex;
  readonly #url: string;
  readonly #mined = new Map<number, Mined>();
  #head = 0;

  private constructor(node: DevelopmentNode, proxies: readonly FaultyProxy[], emitter: Hex, url: string) {
    this.#node = node;
    this.proxies = proxies;
    this.#emitter = emitter;
    this.#url = url;
  }

  static async open(t: TestContext, count: number, args: readonly string[] = []): Promise<NodeCluster> {
    const node = await DevelopmentNode.open();
    t.after(() => node.close());
    const emitter = await node.deploy(EMITTER);
    for (let block = 0; block < 40; block++) await node.send({ to: emitter, data: emission(block, block) });
    const proxies = await Promise.all(
      Array.from({ length: count }, () => FaultyProxy.open(t, (body) => node.node.handle(body, true))),
    );
    const rpc = proxies.map(({ url }) => url).join();
    const place = ["--rpc", rpc, "--chain-id", String(CHAIN_ID), "--data", temporaryDirectory(t), "--port", "0"];
    const program = runProgram(t, ["start", ...place, ...args]);
    const cluster = new NodeCluster(node, proxies, emitter, await program.url());
    await cluster.mine();
    while ((await cluster.indexed()) < cluster.head) await delay(50);
    return cluster;
  }

  get head(): number {
    return this.#head;
  }

  /** The hash of the transaction in a block that was made since the start. */
  transactionAt(number: number): Hex | undefined {
    return this.#mined.get(number)?.transaction;
  }

  minedAt(number: number): number | undefined {
    return this.#mined.get(number)?.at;
  }

  async mine(): Promise<number> {
    const number = this.#head + 1;
    const transaction = await this.#node.send({ to: this.#emitter, data: emission(number, number) });
    this.#head = Number(await this.#node.ask("eth_blockNumber"));
    this.#mined.set(this.#head, { transaction, at: performance.now() });
    return this.#head;
  }

  async status(): Promise<{ indexed: { number: number } | null; upstreams: Record<string, unknown>[] }> {
    const response = await fetch(`${this.#url}/status`);
    return (await response.json()) as { indexed: { number: number } | null; upstreams: Record<string, unknown>[] };
  }

  async indexed(): Promise<number> {
    return (await this.status()).indexed?.number ?? -1;
  }

  /** Oriel's response with its latency. */
  async ask(method: string, params: readonly unknown[]): Promise<{ text: string; milliseconds: number }> {
    const began = performance.now();
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
    const headers = { "content-type": "application/json" };
    const response = await fetch(`${this.#url}/rpc`, { method: "POST", headers, body });
    const { result, error } = (await response.json()) as { result?: unknown; error?: unknown };
    const milliseconds = performance.now() - began;
    if (error === undefined) return { text: JSON.stringify(result), milliseconds };
    const reasons = (await this.status()).upstreams.map(({ reason }) => reason);
    return { text: JSON.stringify({ error, reasons }), milliseconds };
  }

  /** Compares an answer with that of the node itself, where blocks do not change. */
  async compare(method: string, params: readonly unknown[]): Promise<Compared> {
    const { text, milliseconds } = await this.ask(method, params);
    const real = JSON.stringify(await this.#node.ask(method, ...params));
    const problem =
      text === real || sorted(text) === sorted(real) ? undefined : `${text.slice(0, 300)}, not ${real.slice(0, 300)}`;
    return { method, milliseconds, problem };
  }

  /** The number of the newest block must be one that the chain has had since two seconds before. */
  async compareHead(method: "eth_blockNumber" | "eth_getBlockByNumber"): Promise<Compared> {
    const oldest = this.#headAt(performance.now() - 2000);
    const { text, milliseconds } = await this.ask(method, method === "eth_blockNumber" ? [] : ["latest", false]);
    const shown = JSON.parse(text) as string | { number?: string; hash?: string; error?: unknown };
    if (typeof shown === "object" && shown.error !== undefined) return { method, milliseconds, problem: text };
    const number = Number(typeof shown === "string" ? shown : shown.number);
    const real = await this.#node.ask<{ hash: string }>("eth_getBlockByNumber", quantity(Math.max(number, 0)), false);
    const isReal = typeof shown === "string" || shown.hash === real?.hash;
    const isRight = number >= oldest && number <= this.#head && isReal;
    const problem = isRight ? undefined : `${text.slice(0, 200)} while the chain went from ${oldest} to ${this.#head}`;
    return { method, milliseconds, problem };
  }

  /** A call that wallets and explorers make about the newest blocks, compared. */
  compareAny(random: Random): Promise<Compared> {
    const number = Math.max(1, this.#head - random.int(6));
    const transaction = this.transactionAt(number) ?? UNKNOWN;
    const height = quantity(number);
    const [method, params] = random.pick<[string, unknown[]]>([
      ["eth_getTransactionReceipt", [transaction]],
      ["eth_getTransactionReceipt", [transaction]],
      ["eth_getTransactionReceipt", [UNKNOWN]],
      ["eth_getTransactionByHash", [transaction]],
      ["eth_getTransactionByHash", [UNKNOWN]],
      ["eth_getBlockByNumber", [height, random.chance(0.5)]],
      ["eth_getBlockByNumber", [quantity(this.#head + 1000), false]],
      ["eth_getBlockReceipts", [height]],
      ["eth_getLogs", [{ fromBlock: height, toBlock: height }]],
      ["eth_getBalance", [this.#node.account.address, height]],
    ]);
    if (random.chance(0.2)) return this.compareHead(random.pick(["eth_blockNumber", "eth_getBlockByNumber"]));
    return this.compare(method, params);
  }

  #headAt(time: number): number {
    let number = this.#head;
    while ((this.minedAt(number) ?? Number.NEGATIVE_INFINITY) > time) number--;
    return number;
  }
}

const UNKNOWN = `0x${"ab".repeat(32)}`;

/** The fields of an answer in one order. */
function sorted(text: string): string {
  const order = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(order);
    if (typeof value !== "object" || value === null) return value;
    const entries = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
    return Object.fromEntries(entries.map(([key, item]) => [key, order(item)]));
  };
  return JSON.stringify(order(JSON.parse(text)));
}
