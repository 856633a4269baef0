import { pointEvaluation } from "../../src/node/blobs/pointEvaluation.ts";
import { developmentGenesis } from "../../src/node/developmentGenesis.ts";
import type { ForkRules } from "../../src/node/rules.ts";
import { Rules } from "../../src/node/rules.ts";

/** Names of hardforks by those of the vectors. */
const FORKS: Readonly<Record<string, string>> = {
  Frontier: "chainstart",
  Homestead: "homestead",
  EIP150: "tangerineWhistle",
  EIP158: "spuriousDragon",
  Byzantium: "byzantium",
  Constantinople: "constantinople",
  ConstantinopleFix: "petersburg",
  Istanbul: "istanbul",
  Berlin: "berlin",
  London: "london",
  Merge: "paris",
  Paris: "paris",
  Shanghai: "shanghai",
  Cancun: "cancun",
  Prague: "prague",
  Osaka: "osaka",
};

const development = developmentGenesis({
  chainId: 1,
  gasLimit: 30_000_000,
  timestamp: 0,
  funded: [],
  hardfork: "osaka",
});

/** Mainnet's blob parameters (EIP-7691), and no EIP left out. */
const BLOBS = { target: 6, max: 9, baseFeeUpdateFraction: 5_007_716 };
const { disabledEips: _, ...config } = development.config;
const blobSchedule = { ...config.blobSchedule, prague: BLOBS, osaka: BLOBS };

const rules = new Rules({ ...development, config: { ...config, blobSchedule } }, pointEvaluation);

/** Undefined for forks that the node does not know. */
export function rulesOf(fork: string): ForkRules | undefined {
  const name = FORKS[fork];
  return name === undefined ? undefined : rules.fork(name);
}
