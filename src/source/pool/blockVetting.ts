import type { Block } from "../../chain/block/block.ts";
import { canStandOn } from "../../chain/block/header.ts";
import { toHex } from "../../chain/encoding/hex.ts";
import type { Check } from "../../chain/integrity/checks.ts";
import type { Findings } from "../../chain/integrity/integrity.ts";
import { checkBlock } from "../../chain/integrity/integrity.ts";
import { withTimeout } from "../../std/async.ts";
import type { Member } from "./member.ts";

/** Checks of redundant or dropped fields, on which honest nodes may differ. */
const HARMLESS: ReadonlySet<Check> = new Set(["copies", "extra"]);

/** Passes before a failing check alone proves a block false. */
export const PROVEN_AFTER = 8;

/** Milliseconds to wait for another node's version. */
const TIMEOUT = 500;

/** Distinguishes nodes that serve false blocks from chains that break a check, where all nodes agree. */
export class BlockVetting {
  readonly #others: (member: Member) => readonly Member[];
  readonly #quirks = new Set<Check>();
  readonly #held = new Map<Check, number>();

  /** `others` returns the nodes to compare with, best first. */
  constructor(others: (member: Member) => readonly Member[]) {
    this.#others = others;
  }

  /** Blocks up to the first false one; replaces false blocks by those of another node if possible. */
  async vet(blocks: readonly Block[], provider: Member): Promise<Block[]> {
    const joined = blocks.slice(0, lengthOfChain(blocks));
    for (const [at, block] of joined.entries()) {
      const vetted = await this.vetOne(block, provider);
      if (vetted !== block) return [...joined.slice(0, at), vetted];
    }
    const last = joined.at(-1);
    if (last === undefined || (await this.isCommon(last, provider))) return joined;
    return this.#replaced(last, provider, joined);
  }

  async vetOne(block: Block, provider: Member): Promise<Block> {
    const findings = checkBlock(block);
    const failed = this.#failuresIn(findings);
    for (const check of findings.held) this.#held.set(check, (this.#held.get(check) ?? 0) + 1);
    if (failed.length === 0) return block;
    const { number } = block.header;
    for (const other of this.#others(provider)) {
      const theirs = await inTime(other.ask((upstream) => upstream.block(number)));
      if (theirs === undefined) continue;
      const theirFailures = new Set(this.#failures(theirs).map(({ check }) => check));
      if (failed.every(({ check }) => theirFailures.has(check))) {
        for (const { check } of failed) this.#quirks.add(check);
        return block;
      }
      const [{ check, message }] = failed.filter((failure) => !theirFailures.has(failure.check)) as [FailedCheck];
      this.#blame(provider, number, `block ${number} fails ${check}: ${message}`);
      return theirs;
    }
    return block;
  }

  /** Whether other nodes answer at present, be it slowly. */
  hasOthers(provider: Member): boolean {
    return this.#others(provider).some(({ isEjected, isResting }) => !isEjected && !isResting);
  }

  isTrue(block: Block): boolean {
    return this.#failures(block).length === 0;
  }

  /** A failed check that passed often on this chain, which proves the block false without a second node. */
  provenProblem(block: Block): string | undefined {
    const failure = this.#failures(block).find(({ check }) => (this.#held.get(check) ?? 0) >= PROVEN_AFTER);
    return failure && `block ${block.header.number} fails ${failure.check}: ${failure.message}`;
  }

  #failures(block: Block): Findings["failed"] {
    return this.#failuresIn(checkBlock(block));
  }

  #failuresIn({ failed, unknown }: Findings): Findings["failed"] {
    return failed.filter(({ check }) => {
      return !HARMLESS.has(check) && !this.#quirks.has(check) && (unknown[check] ?? []).length === 0;
    });
  }

  #blame(provider: Member, number: number, reason: string): void {
    provider.trust.blame(reason, async () => {
      const block = await provider.ask((upstream) => upstream.block(number));
      return block !== undefined && this.isTrue(block) && (await this.isCommon(block, provider));
    });
  }

  /** Whether at least half of the other nodes have the same block. */
  async isCommon({ header: { number, hash } }: Block, provider: Member): Promise<boolean> {
    const others = this.#others(provider).filter(
      ({ head, isEjected, isLate }) => head >= number && !isEjected && !isLate,
    );
    const [first] = others;
    if (first === undefined) return true;
    const isSame = (theirs: string | undefined) => theirs === undefined || theirs === toHex(hash);
    if (isSame(await hashAt(first, number))) return true;
    const hashes = await Promise.all([...others, provider].map((member) => hashAt(member, number)));
    const different = hashes.filter((theirs) => !isSame(theirs)).length;
    return different * 2 <= hashes.length;
  }

  async #replaced(last: Block, provider: Member, blocks: readonly Block[]): Promise<Block[]> {
    const { number } = last.header;
    this.#blame(provider, number, `its block ${number} is ${toHex(last.header.hash)}, and the others have another`);
    for (const other of this.#others(provider)) {
      const theirs = await inTime(other.ask((upstream) => upstream.block(blocks[0]!.header.number)));
      if (theirs !== undefined && this.isTrue(theirs)) return [theirs];
    }
    return [];
  }
}

type FailedCheck = Findings["failed"][number];

function lengthOfChain(blocks: readonly Block[]): number {
  const end = blocks.findIndex(({ header }, at) => at > 0 && !canStandOn(header, blocks[at - 1]!.header));
  return end < 0 ? blocks.length : end;
}

async function hashAt(member: Member, number: number): Promise<string | undefined> {
  const hashes = await inTime(member.ask((upstream) => upstream.hashes([number])));
  const hash = hashes?.[0];
  return hash && toHex(hash);
}

/** Undefined if the node does not answer in time. */
async function inTime<T>(work: Promise<T>): Promise<T | undefined> {
  return withTimeout(
    work.catch(() => undefined),
    TIMEOUT,
    () => undefined,
  );
}
