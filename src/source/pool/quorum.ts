import type { ChainError } from "../../chain/error.ts";
import { asChainError } from "../../chain/error.ts";
import { startTimeout } from "../../std/async.ts";
import { isReverted } from "../calls.ts";
import { isMissing, isOverload, UpstreamError } from "../failure.ts";

interface QuorumOptions<M, T> {
  readonly members: readonly M[];
  ask(member: M): Promise<T>;
  readonly quorum: number;
  readonly hedgeDelay: number;
  onSlow(member: M): void;
  /** Receives a node that deviates from the quorum, and a predicate for the agreed answer. */
  onDissent?(member: M, isAgreed: (answer: T) => boolean): void;
  readonly subject: string;
}

type Vote<T> = { readonly answer: T } | { readonly refusal: ChainError };

/** Asks `quorum` nodes, and one more for each that fails, is slow or differs. */
export function askQuorum<M, T>(options: QuorumOptions<M, T>): Promise<T> {
  return new Poll(options).run();
}

class Poll<M, T> {
  readonly #options: QuorumOptions<M, T>;
  readonly #result = Promise.withResolvers<T>();
  readonly #votes = new Map<string, { readonly vote: Vote<T>; readonly members: M[] }>();
  #next = 0;
  #running = 0;
  #isDone = false;

  constructor(options: QuorumOptions<M, T>) {
    this.#options = options;
  }

  run(): Promise<T> {
    for (let asked = 0; asked < this.#options.quorum; asked++) this.#askNext();
    return this.#result.promise;
  }

  #askNext(): void {
    const { members, ask, hedgeDelay, onSlow } = this.#options;
    const member = members[this.#next++];
    if (member === undefined || this.#isDone) return;
    this.#running++;
    const cancel = startTimeout(hedgeDelay, () => {
      onSlow(member);
      this.#askNext();
    });
    const settle = (vote: Vote<T> | undefined) => {
      cancel();
      this.#running--;
      if (vote !== undefined) this.#count(member, vote);
      this.#goOn(vote);
    };
    ask(member).then(
      (answer) => settle({ answer }),
      (error: unknown) => settle(asRefusal(asChainError(error))),
    );
  }

  #count(member: M, vote: Vote<T>): void {
    const key = "answer" in vote ? canonical(vote.answer) : refusalKey(vote.refusal);
    const known = this.#votes.get(key);
    if (known === undefined) this.#votes.set(key, { vote, members: [member] });
    else known.members.push(member);
  }

  #goOn(vote: Vote<T> | undefined): void {
    if (this.#isDone) return;
    const { quorum, onDissent, members } = this.#options;
    const found = [...this.#votes.values()].find((votes) => votes.members.length >= quorum);
    if (found !== undefined) {
      this.#isDone = true;
      const { vote: agreed } = found;
      const isAgreed = (answer: T) => "answer" in agreed && canonical(answer) === canonical(agreed.answer);
      const dissenters = [...this.#votes.values()].filter((votes) => votes !== found).flatMap((votes) => votes.members);
      for (const dissenter of dissenters) onDissent?.(dissenter, isAgreed);
      if ("answer" in found.vote) this.#result.resolve(found.vote.answer);
      else this.#result.reject(found.vote.refusal);
      return;
    }
    if (vote === undefined || this.#votes.size > 1) this.#askNext();
    if (this.#running > 0 || this.#next < members.length) return;
    this.#isDone = true;
    this.#result.reject(this.#failure());
  }

  #failure(): UpstreamError {
    const { quorum, subject } = this.#options;
    const answered = [...this.#votes.values()].reduce((sum, { members }) => sum + members.length, 0);
    const isSplit = this.#votes.size > 1;
    const message = isSplit
      ? `the nodes disagree on ${subject}: ${quorum} must give the same result, and ${answered} give ${this.#votes.size} different ones`
      : `${quorum} nodes must give the same result of ${subject}, and only ${answered} can be asked`;
    const code = isSplit ? "upstream_rejected" : "upstream_unavailable";
    return new UpstreamError(code, message, { rpc: { code: isSplit ? -32_000 : -32_603, message } });
  }
}

/** A JSON-RPC error counts as a vote; an unreachable node or a missing block does not. */
function asRefusal(error: ChainError): Vote<never> | undefined {
  const rpc = error instanceof UpstreamError ? error.rpc : undefined;
  return rpc === undefined || isOverload(rpc) || isMissing(rpc) ? undefined : { refusal: error };
}

/** Nodes agree on neither the code nor the message of an error, but on revert data. */
function refusalKey(error: ChainError): string {
  const rpc = error instanceof UpstreamError ? error.rpc : undefined;
  if (rpc === undefined || !isReverted(rpc)) return "refused";
  return `reverted ${typeof rpc.data === "string" ? rpc.data.toLowerCase() : ""}`;
}

/** Canonical JSON: nodes differ in field order and hex case. */
function canonical(answer: unknown): string {
  return JSON.stringify(typeof answer === "string" ? parsed(answer) : answer, (_, value: unknown) => {
    if (value instanceof Uint8Array) return Buffer.from(value).toString("hex");
    if (value instanceof Error) return refusalKey(asChainError(value));
    if (typeof value === "string") return value.toLowerCase();
    if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
    return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
