import { createRequire } from "node:module";
import { join } from "node:path";
import hardhatVerify from "@nomicfoundation/hardhat-verify";

const require = createRequire(import.meta.url);
const { OUTPUT_FOLDER: output, EXPLORER_URL: url } = process.env;
const explorer = { name: "Oriel", url, apiUrl: `${url}/api` };

// biome-ignore lint/style/noDefaultExport: hardhat wants it
export default {
  plugins: [hardhatVerify],
  // The compiler that npm installed: nothing is downloaded.
  solidity: {
    compilers: [{ version: require("solc/package.json").version, path: require.resolve("solc/soljson.js") }],
  },
  paths: { artifacts: join(output, "artifacts"), cache: join(output, "cache") },
  networks: { oriel: { type: "http", chainType: "l1", url: `${url}/rpc` } },
  chainDescriptors: { 968: { name: "Oriel testnet", blockExplorers: { etherscan: explorer, blockscout: explorer } } },
  verify: { etherscan: { apiKey: "any" } },
};
