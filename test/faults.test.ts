import assert from "node:assert/strict";
import { test } from "node:test";
import type { UpstreamOptions } from "../src/source/upstream.ts";
import { mutate, places } from "./support/mutation.ts";
import { Random } from "./support/random.ts";
import { firstSeed } from "./support/seed.ts";
import { SimulatedChain } from "./support/simulatedChain.ts";
import type { FaultSettings } from "./support/simulatedFaults.ts";
import type { Call } from "./support/simulatedMethods.ts";
import { openTrial } from "./support/trial.ts";
import type { WireReceipt } from "./support/wireForm.ts";

/** How many chains each fault meets. */
const CHAINS = Number(process.env.ORIEL_CASES ?? 1);
const SEED = firstSeed();

interface FaultCase {
  readonly name: string;
  readonly faults: (chain: SimulatedChain) => FaultSettings;
  /** Outcome of rounds in which every request is faulty. */
  readonly expects: RegExp;
  readonly upstream?: Partial<UpstreamOptions>;
}

const RECEIPTS = { methods: ["eth_getBlockReceipts"] };
const WAITS = /^(upstream_unavailable ?)+$/;
const REFUSES = /upstream_invalid/;
const WORKS = /^appended( idle)*$/;
const BROKEN = /^(upstream_(unavailable|invalid) ?)+$/;

const isFullBlock = ({ method, params }: Call) => method === "eth_getBlockByNumber" && params[1] === true;

const CASES: readonly FaultCase[] = [
  {
    name: "F1: a node that lags behind is waited for",
    faults: () => ({ staleBy: 6 }),
    expects: /^appended( idle)*$/,
  },
  {
    name: "F2: receipts with a log missing are refused",
    faults: () => ({ data: ["missingLog"], ...RECEIPTS }),
    expects: REFUSES,
  },
  {
    name: "F3: logs that are missing at the head alone are refused",
    faults: (chain) => ({ respond: (call, result) => withoutLogs(call, result, chain), ...RECEIPTS }),
    expects: /upstream_invalid|idle/,
  },
  {
    name: "F4: null receipts of a mined block are waited for, never skipped",
    faults: () => ({ data: ["nullReceipts"], ...RECEIPTS }),
    expects: WAITS,
  },
  {
    name: "F4: empty receipts of a mined block are waited for, never skipped",
    faults: () => ({ data: ["emptyReceipts"], ...RECEIPTS }),
    expects: WAITS,
  },
  {
    name: "F5: receipts of another block are refused",
    faults: () => ({ data: ["otherBlockReceipts"], ...RECEIPTS }),
    expects: BROKEN,
  },
  {
    name: "F6: a block with another number than the one asked for is refused",
    faults: (chain) => ({
      respond: (call, result) => (isFullBlock(call) ? chain.wireBlock(Number(call.params[0]) + 1) : result) ?? null,
    }),
    expects: REFUSES,
  },
  {
    name: "F7: a block without the transactions its header commits to is refused",
    faults: () => ({ data: ["emptyTransactions"] }),
    expects: REFUSES,
  },
  {
    name: "F7: a block that is null below the head is waited for",
    faults: () => ({ respond: (call, result) => (isFullBlock(call) ? null : result) }),
    expects: /^(idle ?)+$/,
  },
  {
    name: "F8: duplicated logs are refused",
    faults: () => ({ data: ["duplicatedLog"], ...RECEIPTS }),
    expects: REFUSES,
  },
  {
    name: "F8: log indexes that do not count up from 0 are refused",
    faults: () => ({ data: ["wrongLogIndex"], ...RECEIPTS }),
    expects: REFUSES,
  },
  {
    name: "F9: logs marked as removed are refused",
    faults: () => ({ data: ["removedLog"], ...RECEIPTS }),
    expects: REFUSES,
  },
  {
    name: "F10: a zero bloom over logs is refused where checks are enforced",
    faults: () => ({ data: ["zeroBloom"] }),
    expects: REFUSES,
  },
  ...transportCases("F14", "a node that has too much to do is asked again later", [
    ["tooManyRequests", WAITS],
    ["unavailable", WAITS],
    ["html", BROKEN],
    ["tooManyRequestsHtml", BROKEN],
    ["itemErrors", WAITS],
    ["batchError", WAITS],
  ]),
  ...transportCases("F16", "the answers of a batch are taken by their ids or not at all", [
    ["reordered", WORKS],
    ["short", BROKEN],
    ["duplicatedIds", BROKEN],
    ["wrongIds", BROKEN],
  ]),
  ...transportCases("F17", "half an answer is no answer", [
    ["truncated", BROKEN],
    ["reset", BROKEN],
  ]),
  {
    name: "F17: an answer larger than the limit is broken off",
    faults: () => ({ transport: ["huge"], hugeBytes: 4 << 20 }),
    expects: /^(limit_exceeded ?|upstream_unavailable ?)+$/,
    upstream: { maxBytes: 2 << 20 },
  },
  {
    name: "F18: a node without safe and finalized blocks is followed",
    faults: () => ({ finalized: "unsupported" }),
    expects: WORKS,
  },
  {
    name: "F23: a node that hangs is given up on",
    faults: () => ({ transport: ["hang"] }),
    expects: WAITS,
    upstream: { timeoutMs: 60, bodyTimeoutMs: 60, retry: { attempts: 1 } },
  },
  {
    name: "F23: a node that sends a byte now and then is given up on",
    faults: () => ({ transport: ["drip"], delayMs: 10 }),
    expects: WAITS,
    upstream: { timeoutMs: 60, bodyTimeoutMs: 60, retry: { attempts: 1 } },
  },
  {
    name: "F25: a lie in any field is refused",
    faults: ({ seed }) => lies(new Random(seed)),
    expects: REFUSES,
  },
  {
    name: "a node without eth_getBlockReceipts is asked for each receipt",
    faults: () => ({ blockReceipts: "unsupported" }),
    expects: WORKS,
  },
  {
    name: "a node that knows receipts by number only is asked by number",
    faults: () => ({ blockReceipts: "byNumberOnly" }),
    expects: WORKS,
  },
];

function transportCases(
  kind: string,
  claim: string,
  faults: readonly (readonly [NonNullable<FaultSettings["transport"]>[number], RegExp])[],
): FaultCase[] {
  return faults.map(([fault, expects]) => ({
    name: `${kind}: ${claim} (${fault})`,
    faults: () => ({ transport: [fault], retryAfterSeconds: 1 }),
    expects,
  }));
}

function withoutLogs(call: Call, result: unknown, chain: SimulatedChain): unknown {
  const receipts = result as WireReceipt[] | null;
  if (call.params[0] !== chain.head.hash || receipts === null) return result;
  return receipts.map((receipt) => ({ ...receipt, logs: [] }));
}

/** One digit of one field of every block or list of receipts; the price of blobs is the one field no check can see. */
function lies(random: Random): FaultSettings {
  const respond = (call: Call, result: unknown) => {
    if (result === null || !(isFullBlock(call) || call.method === "eth_getBlockReceipts")) return result;
    const known = places(result).filter(({ field }) => !field.endsWith("blobGasPrice"));
    for (let tries = 0; known.length > 0 && tries < 100; tries++) {
      if (mutate(result, random.pick(known), "digit", random)) break;
    }
    return result;
  };
  return { respond };
}

for (const { name, faults, expects, upstream } of CASES) {
  test(`${name} (seed ${SEED})`, async (t) => {
    for (let seed = SEED; seed < SEED + CHAINS; seed++) {
      const chain = new SimulatedChain({ seed, traffic: { transactions: [1, 4] } });
      chain.mine(20);
      const trial = await openTrial(t, chain, upstream && { upstream });
      const settings = faults(chain);

      trial.node.faults.set(settings);
      assert.match((await trial.steps(3)).join(" "), expects, `seed ${seed}`);
      chain.mine(3);
      trial.node.faults.set({ ...settings, probability: 0.4 });
      await trial.steps(4);
      chain.fork(4, 6);
      await trial.steps(4);
      trial.node.faults.clear();
      await trial.settle();
    }
  });
}

for (const [what, corrupt, code] of [
  ["has no receipts", () => null, "upstream_unavailable"],
  [
    "has wrong logs",
    (receipts: WireReceipt[]) => receipts.map((receipt) => ({ ...receipt, logs: [] })),
    "upstream_invalid",
  ],
] as const) {
  test(`F4: the index reaches the block before one that ${what}`, async (t) => {
    const chain = new SimulatedChain({ seed: 6, traffic: { transactions: [4, 4], logs: [3, 3] } });
    chain.mine(120);
    const trial = await openTrial(t, chain);
    const bad = chain.at(70)!;

    trial.node.faults.set({
      respond: ({ method, params }, result) =>
        method === "eth_getBlockReceipts" && params[0] === bad.hash ? corrupt(bad.receipts) : result,
    });
    assert.deepEqual(await trial.steps(2), [code, code]);
    assert.equal((await trial.store.latest.blocks.tip())!.number, 69);
    trial.node.faults.clear();
    await trial.settle();
  });
}

test("F6: a chain that changes between a block and its receipts is read again", async (t) => {
  const chain = new SimulatedChain({ seed: SEED, traffic: { transactions: [1, 4] } });
  chain.mine(20);
  const trial = await openTrial(t, chain);
  await trial.settle();
  let changes = 0;
  trial.node.faults.set({
    respond: (call, result) => {
      if (isFullBlock(call) && result !== null && changes++ < 5) chain.fork(2, 4);
      return result;
    },
  });
  chain.mine(2);

  await trial.settle();

  assert.ok(changes >= 5);
});

test("F18: a finalized block never moves back, whatever the node says", async (t) => {
  const chain = new SimulatedChain({ seed: SEED });
  chain.mine(60);
  const { node, source } = await openTrial(t, chain);
  node.faults.set({ finalized: "movesBack" });

  let highest = 0;
  for (let i = 0; i < 20; i++) {
    const { finalized, safe } = await source.head();
    assert.ok(finalized >= highest && safe >= finalized);
    highest = finalized;
    if (i % 3 === 0) chain.mine();
  }
  assert.ok(highest > 0);
});
