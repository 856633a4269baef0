import type { Block } from "../../chain/block/block.ts";
import { fromHex } from "../../chain/encoding/hex.ts";
import { isHash } from "../../chain/encoding/parse.ts";
import type { Wire } from "../../chain/encoding/wire.ts";
import { asChainError } from "../../chain/error.ts";
import { Turn } from "../../std/async.ts";
import { LruCache } from "../../std/maps.ts";
import { isObject } from "../../std/values.ts";
import { UpstreamError } from "../failure.ts";
import type { Call } from "../jsonRpc.ts";
import type { BlockVetting } from "./blockVetting.ts";
import type { Member } from "./member.ts";
import type { RecordCheck } from "./recordChecks.ts";
import { checkBlockRecord, checkLog, checkReceipt, checkTransaction } from "./recordChecks.ts";

/** Larger blocks are not fetched for a check: decoding them would block the event loop. */
const MAX_CHECKED_TRANSACTIONS = 500;

/** Blocks fetched to check a log response, newest first. */
const MAX_CHECKED_BLOCKS = 8;

const MAX_KEPT = 32;

const CHECKS: Readonly<Record<string, RecordCheck>> = {
  eth_getBlockByNumber: checkBlockRecord,
  eth_getBlockByHash: checkBlockRecord,
  eth_getTransactionByHash: checkTransaction,
  eth_getTransactionByBlockNumberAndIndex: checkTransaction,
  eth_getTransactionByBlockHashAndIndex: checkTransaction,
  eth_getTransactionReceipt: checkReceipt,
  eth_getBlockReceipts: checkReceipt,
  eth_getLogs: checkLog,
};

/** Checks blocks, transactions, receipts and logs in responses against blocks whose roots it recomputes. */
export class AnswerChecks {
  readonly #vetting: BlockVetting;
  readonly #blocks = new LruCache<string, Block>(MAX_KEPT);
  /** By block and node: what hangs at one node does not delay the others. */
  readonly #reading = new Map<string, Promise<Block | undefined | string>>();

  constructor(vetting: BlockVetting) {
    this.#vetting = vetting;
  }

  covers(method: string): boolean {
    return Object.hasOwn(CHECKS, method);
  }

  /** Undefined if the result is correct or cannot be checked. */
  async problemOf({ method, params }: Call, value: unknown, provider: Member): Promise<string | undefined> {
    const check = CHECKS[method];
    if (check === undefined) return undefined;
    const named = namedProblem(method, params, value);
    if (named !== undefined) return named;
    const records = (Array.isArray(value) ? (value as unknown[]) : [value]).filter(isObject) as Wire[];
    const hashes = [...new Set(records.map(blockHashOf))].slice(-MAX_CHECKED_BLOCKS);
    const turn = new Turn();
    for (const hash of hashes) {
      if (!isHash(hash)) continue;
      const block = await this.#checked(hash, provider);
      if (typeof block === "string") return block;
      if (block === undefined) continue;
      if (method === "eth_getBlockReceipts" && records.length !== block.transactions.length) {
        return `block ${block.header.number} has ${block.transactions.length} receipts, not ${records.length}`;
      }
      for (const record of records) {
        const problem = blockHashOf(record) === hash ? check(record, block) : undefined;
        if (problem !== undefined) return problem;
        await turn.yieldToEventLoop();
      }
    }
    return undefined;
  }

  /** The verified block, undefined if it cannot be verified, or the problem found. Throws if other nodes are to be asked. */
  async #checked(hash: string, provider: Member): Promise<Block | undefined | string> {
    const known = this.#blocks.get(hash);
    if (known !== undefined) return known;
    const key = `${hash} ${provider.upstream.name}`;
    const reading = this.#reading.get(key) ?? this.#read(hash, provider).finally(() => this.#reading.delete(key));
    this.#reading.set(key, reading);
    return reading.catch((error: unknown) => {
      const failure = asChainError(error);
      const isUnreached = failure.code === "upstream_unavailable" && !(failure instanceof UpstreamError && failure.rpc);
      if (isUnreached) throw failure;
      return failure.code === "upstream_invalid" ? failure.message : undefined;
    });
  }

  async #read(hash: string, provider: Member): Promise<Block | undefined | string> {
    const call = { method: "eth_getBlockTransactionCountByHash", params: [hash] };
    const count: unknown = JSON.parse(await provider.ask((upstream) => upstream.pass(call)));
    if (typeof count !== "string" || Number(count) > MAX_CHECKED_TRANSACTIONS) return undefined;
    const block = await provider.ask((upstream) => upstream.block(fromHex(hash)));
    if (block === undefined) return undefined;
    const vetted = await this.#vetting.vetOne(block, provider);
    if (vetted !== block) return `block ${block.header.number} fails the checks that hold for that of another node`;
    if (!this.#vetting.isTrue(vetted)) return this.#unproven(vetted, provider);
    const isCommon = await this.#vetting.isCommon(vetted, provider);
    if (!isCommon) return `the others have another block ${vetted.header.number} than ${hash}`;
    this.#blocks.set(hash, vetted);
    return vetted;
  }

  /** A block that fails a check, and that no other node could be compared with in time. */
  #unproven(block: Block, provider: Member): string | undefined {
    const problem = this.#vetting.provenProblem(block);
    if (problem !== undefined || !this.#vetting.hasOthers(provider)) return problem;
    const reason = `block ${block.header.number} fails a check, and no other node has shown it yet`;
    throw new UpstreamError("upstream_unavailable", `the node at ${provider.upstream.name}: ${reason}`);
  }
}

function blockHashOf(record: Wire): unknown {
  return record.blockHash ?? (record.parentHash === undefined ? undefined : record.hash);
}

/** The response must be about the requested object. */
function namedProblem(method: string, [id]: readonly unknown[], value: unknown): string | undefined {
  if (!isObject(value) || typeof id !== "string") return undefined;
  const shown = { eth_getBlockByHash: value.hash, eth_getTransactionByHash: value.hash }[method];
  const receipt = method === "eth_getTransactionReceipt" ? value.transactionHash : shown;
  if (receipt !== undefined && String(receipt).toLowerCase() !== id.toLowerCase()) return `it shows another than ${id}`;
  const isNumbered = method === "eth_getBlockByNumber" && /^0x[0-9a-f]+$/i.test(id);
  return isNumbered && Number(value.number) !== Number(id) ? `it shows another block than ${id}` : undefined;
}
