import { quantity } from "../../src/chain/encoding/hex.ts";
import type { PlainState } from "./plainState.ts";
import type { SimulatedBlock, SimulatedChain } from "./simulatedChain.ts";

/** Nothing is executed on a simulated chain: what an account has is made up, and another after each block. */
export function simulatedBalance(address: string, block: SimulatedBlock): bigint {
  return BigInt(address.slice(0, 18).toLowerCase()) * BigInt(block.number + 1) + BigInt(block.hash.slice(0, 10));
}

export function simulatedCode(chain: SimulatedChain, address: string, block: SimulatedBlock): string {
  const wanted = address.toLowerCase();
  for (let number = 0; number <= block.number; number++) {
    for (const { status, contractAddress, logs } of chain.at(number)?.receipts ?? []) {
      const isCreated = status !== "0x0" && contractAddress === wanted;
      if (isCreated || logs.some((log) => log.address === wanted)) return `0xfe${wanted.slice(2)}`;
    }
  }
  return "0x";
}

export function simulatedState(chain: SimulatedChain, method: string, address: string, block: SimulatedBlock): string {
  if (method === "eth_getBalance") return quantity(simulatedBalance(address, block));
  return method === "eth_getCode" ? simulatedCode(chain, address, block) : `0x${"0".repeat(64)}`;
}

/** State of a simulated node: no tokens, no traces, no blobs. */
export function simulatedPlainState(chain: SimulatedChain): PlainState {
  return {
    balance: async (address) => simulatedBalance(address, chain.head),
    code: async (address) => simulatedCode(chain, address, chain.head),
    proxy: async () => null,
    creation: () => undefined,
    failure: () => undefined,
    token: async () => undefined,
    tokenBalance: async () => undefined,
    blobs: async () => [],
  };
}
