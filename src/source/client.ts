import { readNumber } from "../chain/encoding/wire.ts";
import type { ErrorCode } from "../chain/error.ts";
import { ChainError } from "../chain/error.ts";
import { itemAt } from "../std/values.ts";
import { BatchSizes } from "./batchSizes.ts";
import type { Peer } from "./endpoint.ts";
import { UpstreamError } from "./failure.ts";
import type { Transport } from "./http/transport.ts";
import type { Call, CallResult, SpelledResult } from "./jsonRpc.ts";
import { encodeCalls, matchAnswers, parseReply, spelledResult } from "./jsonRpc.ts";
import { resultTexts } from "./jsonText.ts";
import { maxResultBytes } from "./resultSizes.ts";
import type { Operation } from "./retry.ts";
import { isTransient } from "./retry.ts";

export interface Question<T> extends Call {
  read(result: unknown): T;
  /** Maps a failure to a result, or throws it. */
  recover?(error: UpstreamError): T;
  readonly maxBytes?: number;
  /** `read` also takes the text of the result. */
  readonly asText?: boolean;
}

interface AskLimits {
  readonly atLeast: number;
  readonly bytes: number;
}

export interface Counters {
  requests: number;
  retries: number;
  bytesReceived: number;
  failures: Partial<Record<ErrorCode, number>>;
}

/** A larger batch is aborted and split, which bounds the cost of a wrong guess. */
const MAX_BATCH_BYTES = 16 << 20;

export class Client {
  readonly peer: Peer;
  readonly #transport: Transport;
  readonly #maxBytes: number;
  readonly #counters: Counters;
  readonly #sizes = new BatchSizes();
  #chainId: number | undefined;
  #checkedEpoch: number | undefined;
  #checking: Promise<void> | undefined;
  #lastId = 0;

  constructor(peer: Peer, transport: Transport, options: { maxBytes: number; counters: Counters; chainId?: number }) {
    this.peer = peer;
    this.#transport = transport;
    this.#maxBytes = options.maxBytes;
    this.#counters = options.counters;
    this.#chainId = options.chainId;
  }

  get chainId(): number | undefined {
    return this.#chainId;
  }

  async connect(operation: Operation): Promise<number> {
    for (;;) {
      try {
        await this.#ensureChain();
        return this.#chainId!;
      } catch (error) {
        await operation.pause(error);
      }
    }
  }

  /**
   * Results in order of the questions. Retries only transient failures. With limits, returns early: before a failed
   * question, or once the results reach the size limit.
   */
  async ask<T>(questions: readonly Question<T>[], operation: Operation, limits?: AskLimits): Promise<T[]> {
    const results = new Array<T>(questions.length);
    const bytesBefore = operation.bytes;
    let open = [...questions.keys()];
    while (open.length > 0) {
      const answered = itemAt(open, 0);
      const isEnough = limits && answered >= limits.atLeast && operation.bytes - bytesBefore >= limits.bytes;
      if (isEnough) return results.slice(0, answered);
      const first = itemAt(questions, itemAt(open, 0));
      const asked = open.slice(0, this.#sizes.next(kindOf(first), open.length));
      const failures = await this.#try(questions, asked, results, operation);
      if (failures.size > 0 && failures.size < asked.length) operation.progress();
      open = asked.filter((index) => failures.has(index)).concat(open.slice(asked.length));
      if (failures.size === 0) continue;
      try {
        await this.#afterFailures([...failures.values()], asked.length, operation);
      } catch (error) {
        if (limits === undefined || itemAt(open, 0) < limits.atLeast) throw error;
        return results.slice(0, open[0]);
      }
    }
    return results;
  }

  /** Sends once and returns the result verbatim. Throws `UpstreamError` if the node returns an error. */
  async pass(call: Call, maxBytes: number): Promise<SpelledResult> {
    await this.#ensureChain();
    const id = ++this.#lastId;
    this.#counters.requests++;
    const max = Math.min(maxBytes, maxResultBytes(call));
    const reply = await this.#transport.post(encodeCalls([call], id), max);
    this.#counters.bytesReceived += reply.bytes;
    const spelled = reply.status === 200 ? spelledResult(reply.text, id) : undefined;
    if (spelled !== undefined) return spelled;
    const [outcome] = matchAnswers(this.peer, [call], id, parseReply(this.peer, reply));
    if ("error" in outcome!) throw outcome.error;
    return { text: JSON.stringify(outcome!.result), value: outcome!.result };
  }

  async #afterFailures(failures: readonly unknown[], asked: number, operation: Operation): Promise<void> {
    const shrinks = failures.map((failure) => failure instanceof UpstreamError && failure.shrink);
    if (asked > 1 && shrinks.some(Boolean)) this.#sizes.refuse(asked);
    const others = asked > 1 ? failures.filter((_, index) => shrinks[index] !== "now") : failures;
    if (others.length > 0) await operation.pause(others.find((failure) => !isTransient(failure)) ?? others[0]);
  }

  /** Sends once. Returns the failures by index. */
  async #try<T>(questions: readonly Question<T>[], asked: readonly number[], results: T[], operation: Operation) {
    const failures = new Map<number, unknown>();
    try {
      await this.#ensureChain();
      const calls = asked.map((index) => itemAt(questions, index));
      const outcomes = await this.#send(calls, operation);
      outcomes.forEach((outcome, at) => {
        try {
          results[itemAt(asked, at)] = settle(itemAt(calls, at), outcome);
        } catch (error) {
          failures.set(itemAt(asked, at), error);
        }
      });
    } catch (error) {
      for (const index of asked) failures.set(index, error);
    }
    return failures;
  }

  async #send(
    calls: readonly (Call & Pick<Question<unknown>, "maxBytes" | "asText">)[],
    operation?: Operation,
  ): Promise<CallResult[]> {
    const firstId = this.#lastId + 1;
    this.#lastId += calls.length;
    this.#counters.requests++;
    const first = itemAt(calls, 0);
    const single = Math.min(first.maxBytes ?? this.#maxBytes, maxResultBytes(first));
    const max = Math.min(this.#maxBytes, calls.length === 1 ? single : MAX_BATCH_BYTES);
    const asText = calls.every((call) => call.asText);
    const reply = await this.#transport.post(encodeCalls(calls, firstId), max, asText).catch((error: UpstreamError) => {
      if (error.code === "limit_exceeded") this.#sizes.learn(kindOf(itemAt(calls, 0)), calls.length, max);
      throw error;
    });
    this.#counters.bytesReceived += reply.bytes;
    if (operation !== undefined) operation.bytes += reply.bytes;
    const parsed = () => matchAnswers(this.peer, calls, firstId, parseReply(this.peer, reply));
    const outcomes = resultTexts(reply, calls.length, firstId, parsed) ?? parsed();
    const full = outcomes.filter((outcome) => "result" in outcome && outcome.result !== null).length;
    if (full > 0) this.#sizes.learn(kindOf(itemAt(calls, 0)), full, reply.bytes);
    return outcomes;
  }

  /** Another node may answer after a reconnect, so every connection starts by checking the chain id. */
  async #ensureChain(): Promise<void> {
    if (this.#checkedEpoch === this.#transport.epoch) return;
    this.#checking ??= this.#checkChain().finally(() => {
      this.#checking = undefined;
    });
    await this.#checking;
  }

  async #checkChain(): Promise<void> {
    const { epoch } = this.#transport;
    const [outcome] = await this.#send([{ method: "eth_chainId", params: [] }]);
    const served = settle({ read: (result) => readNumber(result, "eth_chainId") }, outcome!);
    this.#chainId ??= served;
    if (served !== this.#chainId) {
      const message = `the node at ${this.peer.name} serves chain ${served}, expected ${this.#chainId}`;
      throw new ChainError("wrong_chain", message);
    }
    this.#checkedEpoch = epoch;
  }
}

function settle<T>(question: Pick<Question<T>, "read" | "recover">, outcome: CallResult): T {
  if ("result" in outcome) return question.read(outcome.result);
  if (question.recover === undefined) throw outcome.error;
  return question.recover(outcome.error);
}

/** Calls of one kind have results of similar size. */
function kindOf({ method, params }: Call): string {
  return params[1] === true ? `${method} full` : method;
}
