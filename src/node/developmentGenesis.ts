import type { Hex } from "../chain/encoding/hex.ts";
import type { BlobSchedule, Genesis, Predeploy } from "./genesis.ts";
import { CREATE2_DEPLOYER, SYSTEM_CONTRACTS } from "./systemContracts.ts";

const ZERO_HASH: Hex = `0x${"0".repeat(64)}`;
const ZERO_ADDRESS: Hex = `0x${"0".repeat(40)}`;

export const HARDFORKS = ["prague", "osaka"] as const;
export type Hardfork = (typeof HARDFORKS)[number];
export const DEFAULT_HARDFORK: Hardfork = "prague";

/** Target 3, maximum 6 blobs on every fork, as on the networks we serve. */
const BLOBS: BlobSchedule = { target: 3, max: 6, baseFeeUpdateFraction: 3_338_477 };

/** No reserve price (EIP-7918); original sidecar format (EIP-7594). */
const DISABLED_EIPS = [7594, 7918];

const FORK_BLOCKS =
  `homesteadBlock eip150Block eip155Block eip158Block byzantiumBlock constantinopleBlock petersburgBlock
  istanbulBlock muirGlacierBlock berlinBlock londonBlock arrowGlacierBlock grayGlacierBlock mergeNetsplitBlock`.split(
    /\s+/,
  );

interface DevelopmentChain {
  readonly chainId: number;
  readonly gasLimit: number;
  readonly timestamp: number;
  readonly funded: readonly Hex[];
  readonly hardfork?: Hardfork;
  readonly predeploys?: readonly Predeploy[] | undefined;
}

/** Genesis under one fork, with funded accounts and system contracts. */
export function developmentGenesis(chain: DevelopmentChain): Genesis {
  const { chainId, gasLimit, timestamp, funded, hardfork = DEFAULT_HARDFORK, predeploys = [] } = chain;
  const forks = Object.fromEntries(FORK_BLOCKS.map((fork) => [fork, 0]));
  return {
    config: {
      chainId,
      ...forks,
      shanghaiTime: 0,
      cancunTime: 0,
      pragueTime: 0,
      ...(hardfork === "osaka" && { osakaTime: 0 }),
      terminalTotalDifficulty: 0,
      depositContractAddress: ZERO_ADDRESS,
      blobSchedule: { cancun: BLOBS, prague: BLOBS, ...(hardfork === "osaka" && { osaka: BLOBS }) },
      disabledEips: DISABLED_EIPS,
    },
    nonce: "0x0",
    timestamp: `0x${timestamp.toString(16)}`,
    extraData: "0x",
    gasLimit: `0x${gasLimit.toString(16)}`,
    difficulty: "0x0",
    mixHash: ZERO_HASH,
    coinbase: ZERO_ADDRESS,
    baseFeePerGas: "0x3b9aca00",
    excessBlobGas: "0x0",
    blobGasUsed: "0x0",
    predeploys,
    alloc: {
      ...SYSTEM_CONTRACTS,
      ...CREATE2_DEPLOYER,
      ...Object.fromEntries(funded.map((address) => [address, { balance: FUNDS }])),
    },
  };
}

/** 10,000 coins. */
const FUNDS = "0x21e19e0c9bab2400000";
