import type { Block } from "../../chain/block/block.ts";
import { canStandOn } from "../../chain/block/header.ts";
import { toHex } from "../../chain/encoding/hex.ts";
import type { Check } from "../../chain/integrity/checks.ts";
import type { Findings } from "../../chain/integrity/integrity.ts";
import { checkBlock } from "../../chain/integrity/integrity.ts";
import { withTimeout } from "../../std/withTimeout.ts";
import type { Member } from "./member.ts";

/** Checks of what is said twice or not kept, in which nodes may differ without one of them being wrong. */
const HARMLESS: ReadonlySet<Check> = new Set(["copies", "extra"]);

/** How often a check must have held before a block that fails it is false, whoever gave it. */
export const PROVEN_AFTER = 8;

/** Milliseconds that another node is given to say what it has. */
const PATIENCE = 500;

/** Tells nodes that give false blocks from chains that break a check themselves: there all nodes give the same. */
export class BlockVetting {
  readonly #others: (member: Member) => readonly Member[];
  /** What fails on this chain whoever is asked. */
  readonly #quirks = new Set<Check>();
  /** How often each check has held. */
  readonly #held = new Map<Check, number>();

  /** `others` are those to ask beside a node, the best first. */
  constructor(others: (member: Member) => readonly Member[]) {
    this.#others = others;
  }

  /** The blocks of a node up to the first that is not true; those of another in place of false ones, if it has them. */
  async vet(blocks: readonly Block[], giver: Member): Promise<Block[]> {
    const joined = blocks.slice(0, lengthOfChain(blocks));
    for (const [at, block] of joined.entries()) {
      const vetted = await this.vetOne(block, giver);
      if (vetted !== block) return [...joined.slice(0, at), vetted];
    }
    const last = joined.at(-1);
    if (last === undefined || (await this.isCommon(last, giver))) return joined;
    return this.#replaced(last, giver, joined);
  }

  /** The block, or that of another node where this one gives false data. */
  async vetOne(block: Block, giver: Member): Promise<Block> {
    const findings = checkBlock(block);
    const failed = this.#failuresIn(findings);
    for (const check of findings.held) this.#held.set(check, (this.#held.get(check) ?? 0) + 1);
    if (failed.length === 0) return block;
    const { number } = block.header;
    for (const other of this.#others(giver)) {
      const theirs = await inTime(other.ask((upstream) => upstream.block(number)));
      if (theirs === undefined) continue;
      const theirFailures = new Set(this.#failures(theirs).map(({ check }) => check));
      if (failed.every(({ check }) => theirFailures.has(check))) {
        for (const { check } of failed) this.#quirks.add(check);
        return block;
      }
      const [{ check, message }] = failed.filter((failure) => !theirFailures.has(failure.check)) as [Failure];
      this.#blame(giver, number, `block ${number} fails ${check}: ${message}`);
      return theirs;
    }
    return block;
  }

  /** Whether nothing of a block fails that holds on this chain. */
  isTrue(block: Block): boolean {
    return this.#failures(block).length === 0;
  }

  /** Which check shows that a block is false although no other node can be asked: one that has held often on this chain. */
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

  #blame(giver: Member, number: number, reason: string): void {
    giver.trust.blame(reason, async () => {
      const block = await giver.ask((upstream) => upstream.block(number));
      return block !== undefined && this.isTrue(block) && (await this.isCommon(block, giver));
    });
  }

  /** Whether the others that say so have the same block at its height, or as many do as do not. */
  async isCommon({ header: { number, hash } }: Block, giver: Member): Promise<boolean> {
    const others = this.#others(giver).filter(({ head, isEjected, isLate }) => head >= number && !isEjected && !isLate);
    const [first] = others;
    if (first === undefined) return true;
    const isSame = (theirs: string | undefined) => theirs === undefined || theirs === toHex(hash);
    if (isSame(await hashAt(first, number))) return true;
    const hashes = await Promise.all([...others, giver].map((member) => hashAt(member, number)));
    const different = hashes.filter((theirs) => !isSame(theirs)).length;
    return different * 2 <= hashes.length;
  }

  async #replaced(last: Block, giver: Member, blocks: readonly Block[]): Promise<Block[]> {
    const { number } = last.header;
    this.#blame(giver, number, `its block ${number} is ${toHex(last.header.hash)}, and the others have another`);
    for (const other of this.#others(giver)) {
      const theirs = await inTime(other.ask((upstream) => upstream.block(blocks[0]!.header.number)));
      if (theirs !== undefined && this.isTrue(theirs)) return [theirs];
    }
    return [];
  }
}

type Failure = Findings["failed"][number];

/** How many blocks stand on each other. */
function lengthOfChain(blocks: readonly Block[]): number {
  const end = blocks.findIndex(({ header }, at) => at > 0 && !canStandOn(header, blocks[at - 1]!.header));
  return end < 0 ? blocks.length : end;
}

async function hashAt(member: Member, number: number): Promise<string | undefined> {
  const hashes = await inTime(member.ask((upstream) => upstream.hashes([number])));
  const hash = hashes?.[0];
  return hash && toHex(hash);
}

/** What a node says in time; undefined where it does not or cannot. */
async function inTime<T>(work: Promise<T>): Promise<T | undefined> {
  return withTimeout(
    work.catch(() => undefined),
    PATIENCE,
    () => undefined,
  );
}
