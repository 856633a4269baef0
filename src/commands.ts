import type { SettingName } from "./config.ts";

export interface Command {
  readonly meaning: string;
  /** Operands by form; without it the command takes none. */
  readonly forms?: Readonly<Record<string, string>>;
  readonly settings: readonly SettingName[];
  /** Defaults that differ from those of the settings. */
  readonly defaults?: Readonly<Partial<Record<SettingName, string>>>;
}

/** Of a process that indexes. */
const INDEXING = [
  "rpc-ws",
  "beacon",
  "blob-retention",
  "from-block",
  "poll",
  "integrity",
  "tokens",
  "traces",
] as const satisfies readonly SettingName[];

/** Of a process that serves the interfaces. */
const SERVING = [
  "hedge-after",
  "store-read",
  "blob-update-fraction",
  "block-reward",
  "compat",
  "web",
  "coin",
  "testnet",
  "compilers",
  "fetch-compilers",
  "metadata-hosts",
  "factories",
  "stables",
  "wrapped-coin",
  "price-depth",
  "cell-proofs",
  "unbounded-logs",
  "public",
  "rate-limit",
  "dev-methods",
  "allow-methods",
] as const satisfies readonly SettingName[];

/** Of a network, whatever the process does for it. */
const NETWORK = [
  "network",
  "rpc",
  "quorum",
  "chain-id",
  "chain-name",
  "data",
  "store",
  "port",
  "host",
  "dev",
  "trust-proxy",
  "config",
] as const satisfies readonly SettingName[];

/** Of an embedded chain. */
const EMBEDDED = [
  "block-time",
  "gas-limit",
  "accounts",
  "mnemonic",
  "hardfork",
  "predeploys",
  "code-size-limit",
  "disable-code-size-limit",
  "allow-unlimited-contract-size",
  "demo",
  "demo-seed",
  "reset",
] as const satisfies readonly SettingName[];

export const COMMANDS = {
  start: {
    meaning: "Run two embedded chains or index a node, and serve the API.",
    settings: [...NETWORK, ...INDEXING, ...SERVING, ...EMBEDDED],
  },
  index: {
    meaning: "Write the index only. Of several such processes on PostgreSQL one writes, the others stand by.",
    // Only its state is served.
    defaults: { port: "0" },
    settings: [...NETWORK, ...INDEXING],
  },
  serve: { meaning: "Serve an index that other processes write.", settings: [...NETWORK, ...SERVING] },
  status: { meaning: "Print the indexing progress.", settings: ["network", "port", "host", "data", "store", "config"] },
  audit: {
    meaning: "Recompute the index from its own rows and compare samples with the node.",
    settings: ["network", "data", "store", "rpc", "samples", "config"],
  },
  backup: {
    meaning: "Copy the index to a file while Oriel runs.",
    settings: ["network", "data", "store", "to", "config"],
  },
  export: {
    meaning: "Copy the databases of a network to another store, such as PostgreSQL.",
    settings: ["network", "data", "store", "to", "config"],
  },
  import: {
    meaning: "Copy the databases of a network from another store.",
    settings: ["network", "data", "store", "from", "config"],
  },
  db: {
    meaning: "Change how the database of a network is kept.",
    forms: { distribute: "Spread an index in PostgreSQL over the workers of a Citus cluster." },
    settings: ["network", "data", "store", "config"],
  },
  abi: {
    meaning: "Import the ABIs of your own contracts, so that their calls and logs are decoded.",
    forms: {
      "import FOLDER…": "Take in artifacts of hardhat or foundry, in all networks. A server that runs sees them.",
      list: "Show what was imported.",
      "remove NAME|all": "Forget the contracts of this name, or all.",
    },
    settings: ["network", "data", "store", "config"],
  },
  source: {
    meaning: "Import verified sources that Etherscan, Blockscout or Sourcify serve.",
    forms: {
      "import PATH…": "Have the server that runs verify the sources in files and folders.",
    },
    settings: ["network", "data", "store", "config"],
  },
  label: {
    meaning: "Name addresses, as the web explorer shows and finds them.",
    forms: {
      "set ADDRESS NAME": "Name an address in all networks. A server that runs sees it.",
      "import FILE": "Take in a file with an address, a comma and a name on each line.",
      list: "Show the names.",
      "remove ADDRESS|all": "Forget a name, or all.",
    },
    settings: ["network", "data", "store", "config"],
  },
} as const satisfies Record<string, Command>;

export type CommandName = keyof typeof COMMANDS;
