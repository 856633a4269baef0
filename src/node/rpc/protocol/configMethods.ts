import { BLOB_GAS } from "../../../chain/block/fees.ts";
import { quantity, toHex } from "../../../chain/encoding/hex.ts";
import type { Wire } from "../../../chain/encoding/wire.ts";
import type { Chain } from "../../chain.ts";
import type { Context } from "../../context.ts";
import type { ForkRules } from "../../rules.ts";
import type { Methods } from "../methods.ts";
import { precompiles, systemContracts } from "./forkContracts.ts";
import { forkId } from "./forkId.ts";

export const configMethods: Methods = {
  eth_capabilities: presentCapabilities,
  eth_config: presentConfig,
};

/** Nothing is pruned: the log window exceeds any chain. */
const KEEP_ALL = { type: "window", retentionBlocks: quantity(Number.MAX_SAFE_INTEGER) };

function presentCapabilities({ chain }: Context): Wire {
  const { number, hash } = chain.head.header;
  const all = { disabled: false, oldestBlock: "0x0" };
  return {
    head: { number: quantity(number), hash: toHex(hash) },
    state: all,
    tx: all,
    logs: { ...all, deleteStrategy: KEEP_ALL },
    receipts: all,
    blocks: all,
    stateproofs: all,
  };
}

/** Current, next and last rules (EIP-7910). */
function presentConfig({ chain }: Context): Wire {
  const now = chain.head.header.timestamp;
  const times = [...new Set(chain.rules.schedule.map(({ timestamp = 0 }) => timestamp))].sort((a, b) => a - b);
  const coming = times.filter((time) => time > now);
  const [next, last] = [coming[0], coming.at(-1)];
  return {
    current: presentFork(chain, times.filter((time) => time <= now).at(-1) ?? 0),
    next: next === undefined ? null : presentFork(chain, next),
    last: last === undefined ? null : presentFork(chain, last),
  };
}

function presentFork(chain: Chain, activationTime: number): Wire {
  const rules = chain.rules.at({ number: chain.head.header.number, timestamp: activationTime });
  return {
    activationTime,
    blobSchedule: presentBlobSchedule(rules),
    chainId: quantity(chain.rules.chainId),
    forkId: forkId(chain.database.hashOf(0)!, chain.rules, activationTime),
    precompiles: precompiles(rules),
    systemContracts: systemContracts(rules, chain.rules.depositContract),
  };
}

function presentBlobSchedule(rules: ForkRules): Wire | null {
  if (!rules.isActivatedEIP(4844)) return null;
  const { targetBlobGasPerBlock, maxBlobGasPerBlock, blobGasPriceUpdateFraction } = rules.getBlobGasSchedule();
  return {
    target: Number(targetBlobGasPerBlock) / BLOB_GAS,
    max: Number(maxBlobGasPerBlock) / BLOB_GAS,
    baseFeeUpdateFraction: Number(blobGasPriceUpdateFraction),
  };
}
