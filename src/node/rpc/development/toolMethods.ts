import { quantity, toHex } from "../../../chain/encoding/hex.ts";
import { uintToBigInt } from "../../../chain/encoding/uint.ts";
import type { Wire } from "../../../chain/encoding/wire.ts";
import type { DevelopmentContext } from "../../context.ts";
import { expectAtMost, flagParam } from "../../params/params.ts";
import { feesAfter, feesOf } from "../fees/blockFees.ts";
import { suggestTip } from "../fees/tips.ts";
import type { DevelopmentMethods } from "../methods.ts";

/** For tools that detect development chains. */
function metadata({ chain, clientVersion }: DevelopmentContext): Wire {
  const { number, hash } = chain.head.header;
  return {
    clientVersion,
    chainId: chain.rules.chainId,
    instanceId: toHex(chain.block(0)!.header.hash),
    latestBlockNumber: number,
    latestBlockHash: toHex(hash),
  };
}

function nodeInfo({ chain }: DevelopmentContext): Wire {
  const { header } = chain.head;
  return {
    currentBlockNumber: quantity(header.number),
    currentBlockTimestamp: header.timestamp,
    currentBlockHash: toHex(header.hash),
    hardFork: chain.rules.at(header).hardfork(),
    transactionOrder: "fees",
    environment: {
      baseFee: quantity(feesAfter(header, chain.rules).gas),
      chainId: chain.rules.chainId,
      gasLimit: quantity(uintToBigInt(header.gasLimit)),
      gasPrice: quantity(feesOf(header, chain.rules).gas + suggestTip(chain)),
    },
    forkConfig: {},
  };
}

/** Toggles console.log output. */
function setLoggingEnabled({ chain }: DevelopmentContext, params: readonly unknown[]): true {
  expectAtMost(params, 1);
  const isEnabled = flagParam(params, 0, true);
  if (chain.console !== undefined) chain.console.isEnabled = isEnabled;
  return true;
}

/** Methods that tools for other development nodes call on startup. */
export const toolMethods: DevelopmentMethods = {
  hardhat_metadata: metadata,
  anvil_metadata: metadata,
  anvil_nodeInfo: nodeInfo,
  hardhat_setLoggingEnabled: setLoggingEnabled,
  anvil_setLoggingEnabled: setLoggingEnabled,
};
