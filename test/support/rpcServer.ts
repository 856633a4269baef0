import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { TestContext } from "node:test";
import { quantity, toHex } from "../../src/chain/encoding/hex.ts";
import { EMPTY_ROOT } from "../../src/chain/hashing/trie.ts";

/** One JSON-RPC request as it came over HTTP. */
export interface RpcCall {
  readonly id: number;
  readonly method: string;
  readonly params: readonly unknown[];
}

export interface Post {
  readonly calls: readonly RpcCall[];
  readonly isBatch: boolean;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

export interface RpcServer {
  readonly url: string;
  readonly port: number;
  readonly posts: Post[];
  readonly connections: () => number;
  /** Every method asked so far, in order. */
  methods(): string[];
  dropConnections(): void;
  close(): void;
}

/** A real HTTP server on a free port that gives every post to `answer`; it ends with the test. */
export async function openServer(t: TestContext, answer: (post: Post) => void, port = 0): Promise<RpcServer> {
  const posts: Post[] = [];
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const json = JSON.parse(Buffer.concat(chunks).toString()) as RpcCall | RpcCall[];
    const post = { calls: [json].flat(), isBatch: Array.isArray(json), request, response };
    posts.push(post);
    answer(post);
  });
  server.on("connection", (socket) => {
    connections++;
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  const dropConnections = () => {
    for (const socket of sockets) socket.destroy();
  };
  const close = () => {
    server.close();
    dropConnections();
  };
  t.after(close);
  const address = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${address.port}`,
    port: address.port,
    posts,
    connections: () => connections,
    methods: () => posts.flatMap(({ calls }) => calls.map((call) => call.method)),
    dropConnections,
    close,
  };
}

export type Methods = Record<string, (...params: never[]) => unknown>;

/** Thrown by a method to answer with an error. */
export class RpcFault extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

export function answerOne(methods: Methods, { id, method, params }: RpcCall): Record<string, unknown> {
  const answer = methods[method] ?? (method === "eth_chainId" ? () => "0x2a5" : undefined);
  if (answer === undefined) return { jsonrpc: "2.0", id, error: { code: -32601, message: `no method ${method}` } };
  try {
    return { jsonrpc: "2.0", id, result: answer(...(params as never[])) };
  } catch (error) {
    if (!(error instanceof RpcFault)) throw error;
    return { jsonrpc: "2.0", id, error: { code: error.code, message: error.message } };
  }
}

export function sendJson(response: ServerResponse, value: unknown, status = 200): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
}

export function answerWell(methods: Methods, { calls, isBatch, response }: Post): void {
  const answers = calls.map((call) => answerOne(methods, call));
  sendJson(response, isBatch ? answers : answers[0]);
}

export function openNode(t: TestContext, methods: Methods): Promise<RpcServer> {
  return openServer(t, (post) => answerWell(methods, post));
}

const word = (value: number, tag: string) => `0x${tag}${value.toString(16).padStart(62, "0")}`;

export const blockHash = (number: number) => word(number, "b0");
export const txHash = (number: number, index: number) => word(number * 1000 + index, "70");

/** A block as a node sends it, with roots that say whether it is empty; its hashes are only labels. */
export function wireBlock(number: number, transactions = 0): Record<string, unknown> {
  return {
    number: quantity(number),
    hash: blockHash(number),
    parentHash: blockHash(Math.max(0, number - 1)),
    sha3Uncles: word(0, "11"),
    miner: `0x${"aa".repeat(20)}`,
    stateRoot: word(number, "55"),
    transactionsRoot: transactions === 0 ? toHex(EMPTY_ROOT) : word(number, "77"),
    receiptsRoot: transactions === 0 ? toHex(EMPTY_ROOT) : word(number, "88"),
    logsBloom: `0x${"00".repeat(256)}`,
    gasLimit: "0x1c9c380",
    gasUsed: quantity(transactions * 21000),
    timestamp: quantity(1_700_000_000 + number),
    extraData: "0x",
    transactions: Array.from({ length: transactions }, (_, index) => wireTransaction(number, index)),
  };
}

export function wireTransaction(number: number, index: number): Record<string, unknown> {
  return {
    blockHash: blockHash(number),
    blockNumber: quantity(number),
    transactionIndex: quantity(index),
    hash: txHash(number, index),
    type: "0x0",
    from: `0x${"01".repeat(20)}`,
    to: `0x${"02".repeat(20)}`,
    nonce: quantity(index),
    gas: "0x5208",
    gasPrice: "0x1",
    value: "0x1",
    input: "0x",
    v: "0x1b",
    r: "0x1",
    s: "0x1",
  };
}

export function wireReceipt(number: number, index: number): Record<string, unknown> {
  return {
    blockHash: blockHash(number),
    blockNumber: quantity(number),
    transactionHash: txHash(number, index),
    transactionIndex: quantity(index),
    type: "0x0",
    from: `0x${"01".repeat(20)}`,
    to: `0x${"02".repeat(20)}`,
    status: "0x1",
    cumulativeGasUsed: quantity((index + 1) * 21000),
    gasUsed: "0x5208",
    contractAddress: null,
    logsBloom: `0x${"00".repeat(256)}`,
    logs: [],
  };
}

export function wireReceipts(number: number, count: number): Record<string, unknown>[] {
  return Array.from({ length: count }, (_, index) => wireReceipt(number, index));
}

/** The methods of a chain where block n has `size(n)` transactions and `head` is the newest. */
export function chainMethods(head: number, size: (number: number) => number = () => 0): Methods {
  const sized = (number: number) => (number > head ? null : wireBlock(number, size(number)));
  const tags: Record<string, number> = { latest: head, safe: Math.max(0, head - 5), finalized: Math.max(0, head - 9) };
  const fromHash = (hash: string) => Number(`0x${hash.slice(4)}`);
  const receipts = (number: number) => (number > head ? null : wireReceipts(number, size(number)));
  return {
    eth_getBlockByNumber: (id: string) => sized(tags[id] ?? Number(id)),
    eth_getBlockByHash: (hash: string) => sized(fromHash(hash)),
    eth_getBlockReceipts: (id: string) => receipts(id.length === 66 ? fromHash(id) : Number(id)),
    eth_getTransactionReceipt: (hash: string) => {
      const at = fromHash(hash);
      return wireReceipt(Math.floor(at / 1000), at % 1000);
    },
    eth_getTransactionByHash: (hash: string) => {
      const at = fromHash(hash);
      return Math.floor(at / 1000) > head ? null : wireTransaction(Math.floor(at / 1000), at % 1000);
    },
  };
}
