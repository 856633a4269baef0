import type { TestContext } from "node:test";
import { MessageChannel } from "node:worker_threads";
import type { FastifyInstance } from "fastify";
import { encodeFunctionData } from "viem";
import { createApp } from "../../src/api/app.ts";
import type { Hex } from "../../src/chain/encoding/hex.ts";
import { quantity, toHex } from "../../src/chain/encoding/hex.ts";
import { Indexer } from "../../src/indexer/indexer.ts";
import { STAGES } from "../../src/indexer/stages.ts";
import { TraceFollower } from "../../src/indexer/traces/traceFollower.ts";
import type { HandleBody } from "../../src/jsonrpc/port.ts";
import { PortClient, servePort } from "../../src/jsonrpc/port.ts";
import { Upstream } from "../../src/source/upstream.ts";
import { IN_MEMORY } from "../../src/store/engine/databases.ts";
import { openStore } from "../../src/store/openStore.ts";
import type { Store } from "../../src/store/store.ts";
import { checkAnswers } from "./answerSchemas.ts";
import type { Json } from "./api.ts";
import { SETTINGS } from "./api.ts";
import { CHAIN_ID, DevelopmentNode } from "./developmentNode.ts";
import { indexTraced } from "./indexTraced.ts";
import type { Random } from "./random.ts";
import { compile } from "./solidity.ts";

const { Actor } = compile(`
pragma solidity ^0.8.0;
contract Leaf {
  constructor() payable {}
  receive() external payable {}
  function end(address payable to) external { selfdestruct(to); }
}
contract Refuser { constructor() payable { revert("never"); } }
contract Actor {
  Leaf last;
  constructor() payable {}
  receive() external payable {}
  function run(bytes calldata script) public payable {
    for (uint i = 0; i + 1 < script.length; i += 2) {
      uint op = uint8(script[i]) % 10;
      uint value = uint8(script[i + 1]) % 4;
      address payable target = payable(address(uint160(0xabc000 + uint8(script[i + 1]) % 8)));
      bytes calldata rest = script[i + 2:];
      if (op == 0) { target.call{value: value}(""); }
      else if (op == 1) { last = new Leaf{value: value}(); }
      else if (op == 2) { try new Leaf{salt: bytes32(block.number * 256 + gasleft() % 256), value: value}() returns (Leaf leaf) { last = leaf; } catch {} }
      else if (op == 3) { if (address(last).code.length > 0) last.end(target); }
      else if (op == 4) { try this.run{value: value}(rest) {} catch {} return; }
      else if (op == 5) { try this.fail{value: value}(rest) {} catch {} }
      else if (op == 6) { try new Refuser{value: value}() {} catch {} }
      else if (op == 7 && i == 0 && value == 0) { revert("all of it"); }
      else if (op == 8) { payable(address(this)).call{value: value}(""); }
      else if (op == 9) { address(this).delegatecall(abi.encodeCall(this.poke, (target, value))); }
    }
  }
  function poke(address payable target, uint value) external payable { target.call{value: value}(""); }
  function fail(bytes calldata script) external payable { this.run(script); revert("taken back"); }
}`);

export interface TracedOptions {
  /** Stands between the source and the node. */
  readonly around?: (handle: HandleBody) => HandleBody;
}

/** An embedded chain whose code sends, creates and destroys, and an index with its traces. */
export class TracedChain {
  readonly node: DevelopmentNode;
  readonly store: Store;
  readonly source: Upstream;
  readonly app: FastifyInstance;
  readonly settle: () => Promise<void>;
  readonly errors: string[] = [];
  readonly #expectDescribed: () => void;
  actor!: Hex;

  private constructor(node: DevelopmentNode, store: Store, { around = (handle) => handle }: TracedOptions) {
    const client = new PortClient();
    const { port1, port2 } = new MessageChannel();
    servePort(
      port1,
      around((body, isTrusted) => node.node.handle(body, isTrusted)),
      (listener) => node.node.watch(listener),
    );
    client.use(port2);
    this.node = node;
    this.store = store;
    this.source = new Upstream({ port: client, chainId: CHAIN_ID, authoritative: true, retry: { attempts: 1 } });
    this.settle = this.#follow(store);
    this.app = createApp({ store, source: this.source, settings: { ...SETTINGS, chainId: CHAIN_ID } });
    this.#expectDescribed = checkAnswers(this.app);
  }

  static async open(t: TestContext, options: TracedOptions = {}): Promise<TracedChain> {
    const node = await DevelopmentNode.open();
    const traced = await TracedChain.over(t, node, options);
    const hash = await node.send({ to: undefined, data: Actor!.bytecode, value: 10n ** 6n, gas: 5_000_000n });
    const receipt = await node.ask<{ contractAddress: Hex }>("eth_getTransactionReceipt", hash);
    traced.actor = receipt.contractAddress;
    return traced;
  }

  static async over(t: TestContext, node: DevelopmentNode, options: TracedOptions = {}): Promise<TracedChain> {
    const traced = new TracedChain(node, await openStore(IN_MEMORY, CHAIN_ID), options);
    t.after(async () => {
      await traced.app.close();
      await traced.source.close();
      await traced.store.close();
      await node.close();
    });
    return traced;
  }

  #follow(store: Store): () => Promise<void> {
    const traces = new TraceFollower({ store, source: this.source, onError: (reason) => this.errors.push(reason) });
    return indexTraced(
      new Indexer({ store, source: this.source, stages: STAGES, traces, integrity: "enforce" }),
      traces,
    );
  }

  async fromScratch(): Promise<Store> {
    const store = await openStore(IN_MEMORY, CHAIN_ID);
    await this.#follow(store)();
    return store;
  }

  async mine(random: Random, max = 4): Promise<void> {
    const { address } = this.node.account;
    let nonce = Number(await this.node.ask("eth_getTransactionCount", address, "latest"));
    await this.node.ask("evm_setAutomine", false);
    for (let left = random.between(0, max); left > 0; left--) {
      const script = toHex(random.bytes(random.between(0, 6) * 2));
      const data = encodeFunctionData({ abi: Actor!.abi, functionName: "run", args: [script] });
      await this.node.send({ to: this.actor, data, value: BigInt(random.int(5)), gas: 3_000_000n, nonce: nonce++ });
    }
    await this.node.ask("evm_mine");
  }

  async run(script: Hex, value = 0n): Promise<Hex> {
    const nonce = Number(await this.node.ask("eth_getTransactionCount", this.node.account.address, "latest"));
    const data = encodeFunctionData({ abi: Actor!.abi, functionName: "run", args: [script] });
    await this.node.ask("evm_setAutomine", true);
    return this.node.send({ to: this.actor, data, value, gas: 8_000_000n, nonce });
  }

  async height(): Promise<number> {
    return Number(await this.node.ask("eth_blockNumber"));
  }

  async get(url: string): Promise<{ status: number; body: Json }> {
    const response = await this.app.inject({ method: "GET", url });
    this.#expectDescribed();
    return { status: response.statusCode, body: response.json<Json>() };
  }

  async plainCalls(number: number, which: "kept" | "all" = "kept"): Promise<PlainCall[]> {
    const traced = await this.node.ask<{ txHash: Hex; result: PlainFrame }[]>(
      "debug_traceBlockByNumber",
      quantity(number),
      { tracer: "callTracer" },
    );
    return traced.flatMap(({ txHash, result }, transactionIndex) =>
      plainCalls(result, which).map((call) => ({ ...call, block: number, transaction: txHash, transactionIndex })),
    );
  }
}

interface PlainFrame {
  readonly type: string;
  readonly from: Hex;
  readonly to?: Hex;
  readonly value?: Hex;
  readonly gas: Hex;
  readonly gasUsed: Hex;
  readonly error?: string;
  readonly calls?: readonly PlainFrame[];
}

export interface PlainCall {
  readonly type: string;
  readonly index: number;
  readonly depth: number;
  readonly from: Hex;
  readonly to: Hex | null;
  readonly value: bigint;
  readonly gas: number;
  readonly gasUsed: number;
  readonly error: string | undefined;
  readonly isUndone: boolean;
  readonly block: number;
  readonly transaction: Hex;
  readonly transactionIndex: number;
}

type Inside = Omit<PlainCall, "block" | "transaction" | "transactionIndex">;

function plainCalls(top: PlainFrame, which: "kept" | "all"): Inside[] {
  const found: Inside[] = [];
  let index = 0;
  const walk = ({ calls = [], ...frame }: PlainFrame, depth: number, isUndone: boolean) => {
    const { type, from, to = null, error } = frame;
    const value = /^(DELEGATE|STATIC)CALL$/.test(type) ? 0n : BigInt(frame.value ?? 0);
    const at = index++;
    const moves = (type === "CALL" || type === "CALLCODE") && value > 0n;
    if (depth > 0 && (which === "all" || moves || /^CREATE|^SELF/.test(type))) {
      const gas = Number(frame.gas);
      const gasUsed = Number(frame.gasUsed);
      found.push({ type: type.toLowerCase(), index: at, depth, from, to, value, gas, gasUsed, error, isUndone });
    }
    for (const call of calls) walk(call, depth + 1, isUndone || error !== undefined);
  };
  walk(top, 0, false);
  return found;
}
