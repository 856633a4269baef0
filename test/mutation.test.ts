import assert from "node:assert/strict";
import { test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import type { Block } from "../src/chain/block/block.ts";
import { decodeBlock } from "../src/chain/block/block.ts";
import { headerHash } from "../src/chain/block/header.ts";
import { toHex } from "../src/chain/encoding/hex.ts";
import { uintToNumber } from "../src/chain/encoding/uint.ts";
import { ChainError } from "../src/chain/error.ts";
import { checkBlock } from "../src/chain/integrity/integrity.ts";
import type { Change, MutationSite } from "./support/mutation.ts";
import { CHANGE_NAMES, mutate, places } from "./support/mutation.ts";
import { Random } from "./support/random.ts";
import { firstSeed } from "./support/seed.ts";
import type { SimulatedBlock, SimulatedChainOptions } from "./support/simulatedChain.ts";
import { SimulatedChain } from "./support/simulatedChain.ts";

const CASES = Number(process.env.ORIEL_CASES ?? 2500);
const SEED = firstSeed();

/** A field whose errors no check can detect in one response. */
interface Unseen {
  readonly field: string;
  readonly why: string;
  /** Only these changes; all of them unless given. */
  readonly changes?: readonly Change[];
  /** Only in such blocks, or at such places. */
  readonly where?: (block: Block, place: MutationSite) => boolean;
}

const WANTED = [
  "block.withdrawals[].validatorIndex",
  "block.transactions[].accessList[].storageKeys[]",
  "block.transactions[].blobVersionedHashes[]",
  "block.transactions[].authorizationList[].yParity",
  "receipts[].root",
  "receipts[].status",
  "receipts[].logs[].topics[]",
];

const LEFT_OUT: readonly Change[] = ["remove", "null"];
const OF_ANOTHER_CHAIN = "a field of another kind of chain is kept as it came";

const UNSEEN: readonly Unseen[] = [
  { field: "block.totalDifficulty", why: "it sums up all blocks before; nodes no longer agree on it, or on having it" },
  { field: "block.size", why: "some nodes do not tell it, or tell 0", changes: ["remove", "null", "zero"] },
  { field: "block.size", why: "the headers of uncles count and are not in the answer", where: hasUncles },
  { field: "block.uncles", why: "the header commits to the uncles' headers, not their hashes", where: hasUncles },
  { field: "block.uncles[]", why: "the header commits to the uncles' headers, not their hashes" },
  {
    field: "block.transactions[].gasPrice",
    why: "what a later type pays is in its receipt; nodes may stop repeating it",
    changes: LEFT_OUT,
    where: (block, { path }) => block.transactions[Number(path[2])]!.type >= 2,
  },
  {
    field: "block.transactions[].chainId",
    why: "v holds the chain id of a legacy transaction; not every node repeats it",
    changes: LEFT_OUT,
    where: (block, { path }) => block.transactions[Number(path[2])]!.type === 0,
  },
  {
    field: "receipts[].contractAddress",
    why: "nodes differ in whether a creation that failed has an address",
    changes: [...LEFT_OUT, "otherKind"],
    where: (block, { path }) => mayHaveFailed(block, Number(path[1])),
  },
  {
    field: "receipts[].blobGasPrice",
    why: "it follows from the blob schedule of the chain's forks, which no answer holds",
    where: (block) => block.transactions.filter((tx) => tx.type === 3).length === 1,
  },
  { field: "block.milliTimestamp", why: OF_ANOTHER_CHAIN },
  { field: "block.transactions[].l1Fee", why: OF_ANOTHER_CHAIN },
  { field: "receipts[].l1Fee", why: OF_ANOTHER_CHAIN },
  { field: "receipts[].logs[].index", why: OF_ANOTHER_CHAIN },
];

function mayHaveFailed({ transactions, receipts }: Block, index: number): boolean {
  const { status, gasUsed } = receipts[index]!;
  return status === 0 || (status === undefined && gasUsed === uintToNumber(transactions[index]!.gas));
}

function hasUncles({ header }: Block): boolean {
  return header.uncles.length > 0;
}

function mayPass(unseen: Unseen, block: Block, place: MutationSite, change: Change): boolean {
  const { field, changes = CHANGE_NAMES, where = () => true } = unseen;
  return field === place.field && changes.includes(change) && where(block, place);
}

interface Specimen {
  readonly text: string;
  readonly block: Block;
  readonly places: readonly MutationSite[];
}

interface Answer {
  readonly block: Record<string, unknown>;
  readonly receipts: readonly Record<string, unknown>[];
}

/** A block with the copies of values some nodes add, as text so that every case has its own. */
function specimen({ block, receipts }: Answer): Specimen {
  const { timestamp } = block;
  const dated = receipts.map((receipt) => ({
    ...receipt,
    blockTimestamp: timestamp,
    logs: (receipt.logs as object[]).map((log) => ({ ...log, blockTimestamp: timestamp })),
  }));
  const answer = { block: { ...block, totalDifficulty: "0xc70d815d562d3cfa955" }, receipts: dated };
  return { text: JSON.stringify(answer), block: decodeBlock(answer.block, answer.receipts), places: places(answer) };
}

/** The block as one with uncles, whose headers no answer holds. */
function withUncles({ header, block, receipts }: SimulatedBlock, random: Random): Answer {
  const sha3Uncles = random.bytes(32);
  const hash = toHex(headerHash({ ...header, sha3Uncles }));
  const uncles = [random.bytes(32), random.bytes(32)].map(toHex);
  const answer = { block: { ...block, sha3Uncles: toHex(sha3Uncles), uncles }, receipts };
  return JSON.parse(JSON.stringify(answer).replaceAll(block.hash, hash)) as Answer;
}

function minedBlocks(options: SimulatedChainOptions, count: number): SimulatedBlock[] {
  const chain = new SimulatedChain(options);
  chain.mine(count);
  return Array.from({ length: count + 1 }, (_, number) => chain.at(number)!);
}

function minedUntil(options: SimulatedChainOptions, isWanted: (block: SimulatedBlock) => boolean): SimulatedBlock {
  const chain = new SimulatedChain(options);
  do chain.mine();
  while (!isWanted(chain.head));
  return chain.head;
}

function hasFailedCreation({ receipts }: SimulatedBlock): boolean {
  return receipts.some((receipt) => receipt.status === "0x0" && receipt.contractAddress !== null);
}

function specimens(seed: number): Specimen[] {
  const random = new Random(seed);
  const usual = minedBlocks({ seed, traffic: { transactions: [0, 6] } }, 150);
  const old = minedBlocks({ seed: seed + 1, traffic: { transactions: [1, 4], byzantium: 100 } }, 12);
  const strange = minedBlocks({ seed: seed + 2, traffic: { transactions: [1, 4], extraFields: true } }, 12);
  const failed = minedUntil({ seed: seed + 3 }, hasFailedCreation);
  const uncled = usual.slice(1, 5).map((block) => withUncles(block, random));
  return [...usual, ...old, ...strange, failed, ...uncled].map(specimen);
}

type Verdict = "refused" | "same" | "passed";

/** Outcome of a response with one value changed; undefined if the change has no effect. */
function judge({ text, block }: Specimen, place: MutationSite, change: Change, random: Random): Verdict | undefined {
  const answer = JSON.parse(text) as Answer;
  return mutate(answer, place, change, random) ? verdictOn(answer, block, place.field) : undefined;
}

function verdictOn(answer: Answer, block: Block, field: string): Verdict {
  let decoded: Block;
  try {
    decoded = decodeBlock(answer.block, answer.receipts);
  } catch (error) {
    assert.ok(error instanceof ChainError && error.code === "upstream_invalid", `${field}: ${error}`);
    return "refused";
  }
  if (checkBlock(decoded).failed.length > 0) return "refused";
  return isDeepStrictEqual(decoded, block) ? "same" : "passed";
}

/** The places of each field over all blocks. */
function byField(all: readonly Specimen[]): Map<string, { specimen: Specimen; place: MutationSite }[]> {
  const fields = new Map<string, { specimen: Specimen; place: MutationSite }[]>();
  for (const specimen of all) {
    for (const place of specimen.places) {
      const known = fields.get(place.field);
      if (known === undefined) fields.set(place.field, [{ specimen, place }]);
      else known.push({ specimen, place });
    }
  }
  return fields;
}

const FIELDS = byField(specimens(SEED));

test(`every field of a block, transaction, receipt and log is mutated in turn: ${CASES} lies (seed ${SEED})`, () => {
  const random = new Random(SEED).fork("lies");
  const fields = [...FIELDS.keys()];
  const seen = new Map<string, number>();

  for (let done = 0, turn = 0; done < CASES; turn++) {
    const { specimen, place } = random.pick(FIELDS.get(fields[turn % fields.length]!)!);
    const change = random.pick(CHANGE_NAMES);
    const verdict = judge(specimen, place, change, random);
    if (verdict === undefined) continue;
    done++;
    seen.set(place.field, (seen.get(place.field) ?? 0) + 1);
    if (verdict !== "passed") continue;
    const isListed = UNSEEN.some((unseen) => mayPass(unseen, specimen.block, place, change));
    assert.ok(isListed, `${change} of ${place.path.join(".")} in block ${specimen.block.header.number} was not seen`);
  }

  assert.ok(fields.length > 100, `${fields.length} fields`);
  const fair = Math.floor(CASES / fields.length / 8);
  for (const field of fields) assert.ok((seen.get(field) ?? 0) >= fair, `${field}: ${seen.get(field)} times`);
});

for (const unseen of UNSEEN) {
  test(`${unseen.field} may be wrong unseen: ${unseen.why}`, () => {
    const random = new Random(SEED);
    const passes = FIELDS.get(unseen.field)!.some(({ specimen, place }) =>
      CHANGE_NAMES.some(
        (change) =>
          mayPass(unseen, specimen.block, place, change) && judge(specimen, place, change, random) === "passed",
      ),
    );

    assert.ok(passes);
  });
}

/** Fields that may be added undetected, besides those of other chains. */
const ADDED_UNSEEN = [
  // v before EIP-155 holds no chain id; some nodes name that of the chain all the same.
  "block.transactions[].chainId",
  // An empty list carries no information.
  "block.transactions[].accessList",
];

test(`a field that a block, transaction, receipt or log should not have is refused (seed ${SEED})`, () => {
  const random = new Random(SEED).fork("additions");
  let added = 0;

  for (const [field, known] of FIELDS) {
    const [, owner, key] = /^(.*)\.(\w+)$/.exec(field) ?? [];
    if (owner === undefined || UNSEEN.some((unseen) => unseen.field === field && unseen.why === OF_ANOTHER_CHAIN))
      continue;
    for (let i = 0; i < 60; i++) {
      const donor = random.pick(known);
      const { specimen, place } = random.pick(FIELDS.get(owner)!);
      const answer = JSON.parse(specimen.text) as Answer;
      const target = valueAt(answer, place.path) as Record<string, unknown>;
      if (key! in target) continue;
      target[key!] = valueAt(JSON.parse(donor.specimen.text), donor.place.path);
      added++;
      const isEmptyList = Array.isArray(target[key!]) && (target[key!] as unknown[]).length === 0;
      if (verdictOn(answer, specimen.block, field) !== "passed") continue;
      assert.ok(ADDED_UNSEEN.includes(field) && (isEmptyList || key === "chainId"), `${field} was added unseen`);
    }
  }

  assert.ok(added > 100, `${added} added`);
});

function valueAt(json: unknown, path: MutationSite["path"]): unknown {
  return path.reduce((value, key) => (value as Record<string | number, unknown>)[key], json);
}

test("the blocks that are mutated hold every kind of field there is", () => {
  const types = new Set<number>();
  const topics = new Set<number>();
  for (const { block } of [...FIELDS.values()].flat().map(({ specimen }) => specimen)) {
    for (const tx of block.transactions) types.add(tx.type);
    for (const { logs } of block.receipts) for (const log of logs) topics.add(log.topics.length / 32);
  }

  assert.deepEqual([...types].sort(), [0, 1, 2, 3, 4]);
  assert.deepEqual([...topics].sort(), [0, 1, 2, 3, 4]);
  for (const field of WANTED) assert.ok(FIELDS.has(field), field);
});
