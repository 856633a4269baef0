import type { Block } from "../../src/chain/block/block.ts";
import { decodeBlock } from "../../src/chain/block/block.ts";
import { decodeTransaction } from "../../src/chain/block/transaction.ts";
import type { Bytes } from "../../src/chain/encoding/bytes.ts";
import { EMPTY } from "../../src/chain/encoding/bytes.ts";
import { toHex } from "../../src/chain/encoding/hex.ts";
import { WireReader } from "../../src/chain/encoding/wire.ts";
import { ChainError } from "../../src/chain/error.ts";
import { scanBlock } from "../../src/chain/scan/scanner.ts";
import { unpackBlock } from "../../src/chain/scan/unpackBlock.ts";
import type { Head, Source } from "../../src/chain/source.ts";
import type { SimulatedBlock, SimulatedChain } from "./simulatedChain.ts";
import { answer, headOf, RpcError } from "./simulatedMethods.ts";

export interface SimulatedSourceOptions {
  readonly authoritative?: boolean;
  readonly safeDepth?: number;
  readonly finalizedDepth?: number;
}

/** A source that reads a simulated chain in this process, as the chain is at the moment of each call. */
export function simulatedSource(chain: SimulatedChain, options: SimulatedSourceOptions = {}): Source {
  const { authoritative = false, ...depths } = options;
  const view = { chain, ...depths };
  return {
    name: `simulated chain ${chain.seed}`,
    authoritative,
    head: async () => headOfChain(chain, headOf(view)),
    hashes: async (numbers) => numbers.map((number) => chain.at(number)?.header.hash.slice()),
    blocks: async (from, count) => blocksFrom(chain, from, count),
    block: async (id) => decode(typeof id === "number" ? chain.at(id) : chain.blockByHash(toHex(id))),
    transaction: async (hash) => transactionOf(chain, hash),
    // Nothing on it has code, and a call of an account without code returns nothing.
    call: async (calls) => calls.map(() => EMPTY),
    request: async (method, params) => {
      try {
        return answer(view, { method, params });
      } catch (error) {
        if (!(error instanceof RpcError)) throw error;
        throw new ChainError("upstream_rejected", error.message, { cause: error });
      }
    },
    requests(questions) {
      return Promise.all(questions.map(({ method, params }) => this.request(method, params)));
    },
    close: async () => {},
  };
}

function headOfChain(chain: SimulatedChain, { safe, finalized }: { safe: number; finalized: number }): Head {
  const { number, hash, timestamp } = chain.head.header;
  return { number, hash: hash.slice(), timestamp, safe, finalized };
}

function blocksFrom(chain: SimulatedChain, from: number, count: number): Block[] {
  const blocks: Block[] = [];
  for (let number = from; number < Math.min(from + count, chain.length); number++)
    blocks.push(decode(chain.at(number))!);
  return blocks;
}

function decode(found: SimulatedBlock | undefined): Block | undefined {
  return found && (scan(found) ?? decodeBlock(found.block, found.receipts));
}

/** As from the bytes of a node over HTTP. */
function scan({ block, receipts }: SimulatedBlock): Block | undefined {
  const packed = scanBlock(Buffer.from(JSON.stringify(block)), Buffer.from(JSON.stringify(receipts)));
  return packed && unpackBlock(packed);
}

function transactionOf(chain: SimulatedChain, hash: Bytes): Awaited<ReturnType<Source["transaction"]>> {
  const wire = chain.transactionByHash(toHex(hash));
  if (wire === undefined) return undefined;
  const block = wire.blockNumber === null ? undefined : decode(chain.at(Number(wire.blockNumber)));
  if (block === undefined) return { transaction: decodeTransaction(wire, new WireReader()) };
  return { transaction: block.transactions[Number(wire.transactionIndex)]!, block };
}
