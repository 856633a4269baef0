import { createConfig } from "ponder";
import { TRANSFER_ABI } from "./abi";

// Every contract: there is no address.
export default createConfig({
  database: { kind: "postgres", connectionString: process.env.DATABASE_URL },
  chains: { bench: { id: 677, rpc: process.env.PONDER_RPC_URL_677 } },
  contracts: { ERC20: { abi: TRANSFER_ABI, chain: "bench", startBlock: 0, endBlock: Number(process.env.LAST_BLOCK) } },
});
