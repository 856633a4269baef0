import { quantity, toHex } from "../../../chain/encoding/hex.ts";
import { keccak256 } from "../../../chain/hashing/keccak.ts";
import { dataParam, expectAtMost } from "../../params/params.ts";
import type { Methods } from "../methods.ts";

export const chainMethods: Methods = {
  eth_blockNumber: ({ chain }) => quantity(chain.head.header.number),
  eth_chainId: ({ chain }) => quantity(chain.rules.chainId),
  eth_networkId: ({ chain }) => String(chain.rules.chainId),
  /** anvil's answer; there are no peers. */
  eth_protocolVersion: () => 1,
  eth_syncing: () => false,
  eth_coinbase: ({ chain }) => toHex(chain.head.header.miner),
  eth_mining: () => false,
  eth_hashrate: () => "0x0",
  net_version: ({ chain }) => String(chain.rules.chainId),
  net_listening: () => false,
  net_peerCount: () => "0x0",
  web3_clientVersion: ({ clientVersion }) => clientVersion,
  web3_sha3: (_, params) => {
    expectAtMost(params, 1);
    return toHex(keccak256(dataParam(params, 0)));
  },
};
