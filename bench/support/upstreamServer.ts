import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SHAPES, SyntheticBlocks } from "./syntheticBlocks.ts";
import type { LogFilter } from "./upstreamLogs.ts";
import { UpstreamLogs } from "./upstreamLogs.ts";

/**
 * A node of its own process, so that its CPU is not counted with ours: it writes the blocks to a file once and then
 * serves them by offset. Arguments: the shape, the number of blocks, the seed, and where others index it, how many
 * of these blocks are on top of it only for those that ask at `/final`. It ends when its parent does.
 */
const [shape, count, seed, hidden] = process.argv.slice(2);
const directory = mkdtempSync(join(tmpdir(), "oriel-bench-"));
const file = openSync(join(directory, "blocks"), "w+");

interface Place {
  readonly at: number;
  readonly blockLength: number;
  readonly receiptsLength: number;
}

const places: Place[] = [];
const numbers = new Map<string, number>();
const logs = new UpstreamLogs((block) => {
  const { at, blockLength, receiptsLength } = places[block]!;
  return slice(at + blockLength, receiptsLength).toString();
});
/** How many blocks there are for who asks now. */
let height = 0;
/** The block of each transaction, and its place there. */
const mined = new Map<string, readonly [block: number, index: number]>();

function generate(): void {
  const blocks = new SyntheticBlocks(Number(seed), SHAPES[shape!]!);
  let at = 0;
  for (let i = 0; i < Number(count); i++) {
    const { hash, transactions, block, receipts } = blocks.next();
    const text = Buffer.from(block + receipts);
    writeSync(file, text, 0, text.length, at);
    numbers.set(hash, i);
    for (const [index, transaction] of transactions.entries()) mined.set(transaction, [i, index]);
    places.push({ at, blockLength: block.length, receiptsLength: receipts.length });
    at += text.length;
    if (hidden !== undefined) logs.prepare(i);
  }
}

interface Call {
  readonly id: number;
  readonly method: string;
  readonly params?: readonly unknown[];
}

function answer({ id, method, params = [] }: Call): Buffer[] {
  const result = resultOf(method, params);
  return [Buffer.from(`{"jsonrpc":"2.0","id":${id},"result":`), result, Buffer.from("}")];
}

function resultOf(method: string, [id, full]: readonly unknown[]): Buffer {
  if (method === "eth_chainId") return Buffer.from('"0x2a5"');
  if (method === "net_version") return Buffer.from('"677"');
  if (method === "eth_blockNumber") return Buffer.from(`"0x${(height - 1).toString(16)}"`);
  const known = STATE[method];
  if (known !== undefined) return Buffer.from(known);
  if (method === "eth_getTransactionReceipt") return recordOf(receiptsOf, String(id));
  if (method === "eth_getTransactionByHash") return recordOf(transactionsOf, String(id));
  if (method === "eth_getLogs") return logsOf(id as LogFilter);
  const number = numberOf(String(id));
  const place = number === undefined || number >= height ? undefined : places[number];
  if (place === undefined) return Buffer.from("null");
  if (method === "eth_getBlockReceipts") return slice(place.at + place.blockLength, place.receiptsLength);
  const block = slice(place.at, place.blockLength);
  if (full === true) return block;
  const whole = JSON.parse(block.toString()) as { transactions: { hash: string }[] };
  return Buffer.from(JSON.stringify({ ...whole, transactions: whole.transactions.map(({ hash }) => hash) }));
}

type ReadRecords = (block: number) => readonly unknown[];

/** Keeps those of the block that was asked for last. */
function keepLast(read: (place: Place) => readonly unknown[]): ReadRecords {
  let last: { readonly block: number; readonly records: readonly unknown[] } | undefined;
  return (block) => {
    if (last?.block !== block) last = { block, records: read(places[block]!) };
    return last.records;
  };
}

const receiptsOf = keepLast(({ at, blockLength, receiptsLength }) =>
  JSON.parse(slice(at + blockLength, receiptsLength).toString()),
);
const transactionsOf = keepLast(({ at, blockLength }) => JSON.parse(slice(at, blockLength).toString()).transactions);

function recordOf(read: ReadRecords, hash: string): Buffer {
  const [block, index] = mined.get(hash)!;
  return Buffer.from(JSON.stringify(read(block)[index]));
}

function logsOf(filter: LogFilter): Buffer {
  const first = numberOf(filter.blockHash ?? filter.fromBlock ?? "latest") ?? height;
  const last = numberOf(filter.blockHash ?? filter.toBlock ?? "latest") ?? -1;
  return logs.search(filter, first, Math.min(last, height - 1));
}

/** It has no state: all accounts are empty, and no contract has code. */
const STATE: Readonly<Record<string, string>> = {
  eth_getBalance: '"0x0"',
  eth_getCode: '"0x"',
  eth_getStorageAt: `"0x${"0".repeat(64)}"`,
  eth_call: '"0x"',
};

function numberOf(id: string): number | undefined {
  if (id === "earliest") return 0;
  if (id === "latest") return height - 1;
  if (id === "safe" || id === "finalized") return Math.max(0, height - 1 - 64);
  return id.length === 66 ? numbers.get(id) : Number(id);
}

function slice(at: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafe(length);
  readSync(file, bytes, 0, length, at);
  return bytes;
}

generate();
const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
  if (request.method !== "POST") {
    response.writeHead(405).end();
    return;
  }
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    height = places.length - (request.url === "/final" ? 0 : Number(hidden ?? 0));
    const body = JSON.parse(Buffer.concat(chunks).toString()) as Call | Call[];
    const parts = Array.isArray(body)
      ? [
          Buffer.from("["),
          ...body.flatMap((call, i) => [Buffer.from(i === 0 ? "" : ","), ...answer(call)]),
          Buffer.from("]"),
        ]
      : answer(body);
    const text = Buffer.concat(parts);
    response.writeHead(200, { "content-type": "application/json", "content-length": text.length }).end(text);
  });
});
server.listen(0, "127.0.0.1", () => {
  process.send?.({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
});
process.on("disconnect", () => {
  closeSync(file);
  rmSync(directory, { recursive: true, force: true });
  process.exit();
});
