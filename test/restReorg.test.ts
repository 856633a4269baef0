import { test } from "node:test";
import { parseAbi } from "viem";
import type { Served } from "./support/api.ts";
import { serveChain } from "./support/api.ts";
import { ChainOracle } from "./support/chainOracle.ts";
import { expectServed } from "./support/expectServed.ts";
import { Random } from "./support/random.ts";
import { firstSeed } from "./support/seed.ts";
import { simulatedPlainState } from "./support/simulatedState.ts";
import { listsOf } from "./support/site.ts";

const SEED = firstSeed();
const CASES = Number(process.env.ORIEL_CASES ?? 1);

/** The events that simulated contracts emit. */
const ABI = parseAbi([
  "event Transfer(address indexed from, address indexed to, uint256 value)",
  "event Approval(address indexed owner, address indexed spender, uint256 value)",
  "event TransferSingle(address indexed operator, address indexed from, address indexed to, uint256 id, uint256 value)",
  "event TransferBatch(address indexed operator, address indexed from, address indexed to, uint256[] ids, uint256[] values)",
  "event Deposit(address indexed dst, uint256 wad)",
  "event Withdrawal(address indexed src, uint256 wad)",
]);

async function expectAll(served: Served, random: Random, label: string): Promise<void> {
  const { chain } = served;
  await served.get("/status");
  const api = listsOf((path) => served.get(`/api/v2/${path}`));
  const oracle = await ChainOracle.read(chain, simulatedPlainState(chain));
  await expectServed({ api, oracle, random, abis: [ABI], label });
}

test(`4.1 every response matches the node, after blocks, reorgs and deep reorgs (seed ${SEED})`, async () => {
  for (let seed = SEED; seed < SEED + CASES; seed++) {
    const random = new Random(seed);
    const logs = random.pick([[1, 5] as const, [0, 14] as const]);
    const byzantium = random.pick([0, 0, 5]);
    const traffic = { addresses: 6, fresh: 0.05, transactions: [0, 5] as const, logs, byzantium };
    const served = await serveChain({ seed, blocks: 14, tokens: true, traffic });
    for (const depth of [0, random.between(1, 3), random.between(8, 13)]) {
      const length = depth + random.int(4);
      served.chain.fork(depth, length);
      await served.index();
      await expectAll(served, random, `seed ${seed} after ${depth} blocks were replaced by ${length}`);
    }
    await served.close();
  }
});
