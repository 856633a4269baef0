import {
  address,
  addresses,
  amount,
  factories,
  hosts,
  integer,
  methods,
  mnemonic,
  oneOf,
  ranges,
  someOf,
  storeUrl,
  text,
  toggle,
  url,
  urls,
  webSocketUrls,
} from "./settingValues.ts";

/** Precedence: flag, environment, configuration file, default. */
export interface Setting<T> {
  readonly meaning: string;
  /** Placeholder in help; undefined for a switch. */
  readonly value?: string;
  /** For help and documents; `parse` produces the actual default. */
  readonly default?: string;
  /** Listed by name only in short help. */
  readonly isRare?: true;
  readonly parse: (text: string, name: string) => T;
}

export const SETTINGS = {
  network: {
    meaning: "The network to use: mainnet, testnet, or one from the configuration file.",
    value: "NAME",
    parse: text,
  },
  rpc: {
    meaning: "The JSON-RPC URL of the node to index, or several with commas; embedded chains without it.",
    value: "URL",
    parse: urls,
  },
  "rpc-ws": {
    meaning: "The WebSocket URL at which the node announces new blocks, or off. Default: the URL of --rpc.",
    value: "URL",
    isRare: true,
    parse: webSocketUrls,
  },
  beacon: {
    meaning: "The REST URL of a beacon node whose blobs are kept, if the node at --rpc does not have them.",
    value: "URL",
    isRare: true,
    parse: url,
  },
  "hedge-after": {
    meaning: "Milliseconds without a response after which a call is passed on to another node of --rpc as well.",
    value: "MS",
    default: "1000",
    isRare: true,
    parse: integer(10, 60_000),
  },
  quorum: {
    meaning: "How many nodes of --rpc must give the same result for balances, calls, code and storage.",
    value: "N",
    default: "1",
    isRare: true,
    parse: integer(1, 100),
  },
  "blob-retention": {
    meaning: "How many days blobs of the node at --rpc are kept. Default: for ever.",
    value: "DAYS",
    isRare: true,
    parse: integer(1, 100_000),
  },
  "chain-id": {
    meaning: "The chain id that the node must have. Default: the id that the node reports first.",
    value: "N",
    parse: integer(1, Number.MAX_SAFE_INTEGER),
  },
  "chain-name": { meaning: "The name of the chain in responses.", value: "NAME", isRare: true, parse: text },
  data: {
    meaning: "The data directory. If there are several networks, each has a folder in it.",
    value: "DIR",
    default: "data",
    parse: text,
  },
  store: {
    meaning:
      "Where the databases of the index are: sqlite:DIR or postgres://USER@HOST/NAME. Default: the data directory.",
    value: "URL",
    isRare: true,
    parse: storeUrl,
  },
  "store-read": {
    meaning: "A replica of the PostgreSQL database in --store, from which the index is read.",
    value: "URL",
    isRare: true,
    parse: storeUrl,
  },
  port: {
    meaning: "The port to listen on; 0 picks a free one.",
    value: "N",
    default: "6770",
    parse: integer(0, 65_535),
  },
  host: { meaning: "The address to listen on.", value: "HOST", default: "127.0.0.1", parse: text },
  "from-block": {
    meaning: "The first block of a new index. Totals and lists start there. Default: 0.",
    value: "N",
    parse: integer(0, Number.MAX_SAFE_INTEGER),
  },
  poll: {
    meaning: "Milliseconds between polls for a new block that is not announced.",
    value: "MS",
    default: "1000",
    isRare: true,
    parse: integer(50, 3_600_000),
  },
  integrity: {
    meaning: "What a failed check does: auto, enforce or observe. Default: auto; observe with --dev.",
    value: "MODE",
    isRare: true,
    parse: oneOf("auto", "enforce", "observe"),
  },
  tokens: {
    meaning: "Index and serve token transfers, balances and holders; --no-tokens turns this off.",
    default: "true",
    isRare: true,
    parse: (given: string, name: string) => toggle(given, name) === "true",
  },
  traces: {
    meaning: "Index internal transactions from the node's traces; on for embedded chains, off for --rpc.",
    isRare: true,
    parse: (given: string, name: string) => toggle(given, name) === "true",
  },
  compilers: {
    meaning: "A directory with solc releases (soljson-v….js) to verify contracts with.",
    value: "DIR",
    isRare: true,
    parse: text,
  },
  "fetch-compilers": {
    meaning: "Fetch other solc releases from npm when a source needs one; --no-fetch-compilers for offline use.",
    default: "true",
    isRare: true,
    parse: (given: string, name: string) => toggle(given, name) === "true",
  },
  dev: {
    meaning: "For a development node: follow its chain when it goes back or starts over; count failed checks.",
    default: "false",
    parse: (given: string, name: string) => toggle(given, name) === "true",
  },
  "blob-update-fraction": {
    meaning: "The blob base fee update fraction of the chain (EIP-4844).",
    value: "N",
    default: "3338477",
    isRare: true,
    parse: integer(1, Number.MAX_SAFE_INTEGER),
  },
  "block-reward": {
    meaning: "What the chain pays the miner of each block beside the fees, in wei.",
    value: "WEI",
    default: "0",
    isRare: true,
    parse: amount,
  },
  compat: {
    meaning: "Return some lists in the form that clients of another explorer expect: none or blockscout.",
    value: "WHOSE",
    default: "none",
    isRare: true,
    parse: oneOf("none", "blockscout"),
  },
  web: {
    meaning: "Serve the web explorer; --no-web leaves it out.",
    default: "true",
    isRare: true,
    parse: (given: string, name: string) => toggle(given, name) === "true",
  },
  coin: {
    meaning: "The symbol of the chain's coin on the pages of the web explorer.",
    value: "SYMBOL",
    default: "ETH",
    isRare: true,
    parse: text,
  },
  testnet: {
    meaning: "Say on the pages that coins and prices have no value, as on chain 968.",
    default: "false",
    isRare: true,
    parse: (given: string, name: string) => toggle(given, name) === "true",
  },
  "metadata-hosts": {
    meaning: "Hosts that metadata of tokens may be fetched from, with commas; ipfs=HOST names the one for ipfs://.",
    value: "LIST",
    isRare: true,
    parse: hosts,
  },
  factories: {
    meaning: "Exchanges by their factories: NAME=ADDRESS, or NAME=ADDRESS:FEE for a V2 one, separated by commas.",
    value: "LIST",
    isRare: true,
    parse: factories,
  },
  stables: {
    meaning: "Tokens that count as one US dollar each: addresses, separated by commas.",
    value: "LIST",
    isRare: true,
    parse: addresses,
  },
  "wrapped-coin": {
    meaning: "The token that wraps the native coin: its pools with the stables price the coin.",
    value: "ADDRESS",
    isRare: true,
    parse: address,
  },
  "price-depth": {
    meaning: "US dollars that a pool must hold of a token with a price to price the other one.",
    value: "N",
    default: "1000",
    isRare: true,
    parse: integer(0, 1_000_000_000),
  },
  "block-time": {
    meaning: "Seconds between the blocks of an embedded chain; 0 mines a block for each transaction.",
    value: "SECONDS",
    default: "0",
    parse: integer(0, 86_400),
  },
  "gas-limit": {
    meaning: "The block gas limit of an embedded chain.",
    value: "N",
    default: "30000000",
    isRare: true,
    parse: integer(100_000, 1_000_000_000),
  },
  accounts: {
    meaning: "How many funded accounts a new embedded chain has.",
    value: "N",
    default: "10",
    parse: integer(0, 1000),
  },
  mnemonic: {
    meaning: "The mnemonic of these accounts. Default: the one that development tools share.",
    value: "WORDS",
    isRare: true,
    parse: mnemonic,
  },
  hardfork: {
    meaning: "The fork of a new embedded chain: prague or osaka. An existing one has its own, and no other.",
    value: "FORK",
    isRare: true,
    parse: oneOf("prague", "osaka"),
  },
  predeploys: {
    meaning: "Contracts that a new embedded chain has besides: multicall3, permit2, separated by commas.",
    value: "LIST",
    isRare: true,
    parse: someOf("multicall3", "permit2"),
  },
  "code-size-limit": {
    meaning:
      "The largest code of a contract on an embedded chain, as in anvil; init code may have twice as much. Default: 24576.",
    value: "BYTES",
    isRare: true,
    parse: integer(1, 2 ** 31 - 1),
  },
  "disable-code-size-limit": {
    meaning: "Let contracts of an embedded chain have any size, as in anvil.",
    default: "false",
    isRare: true,
    parse: (given: string, name: string) => toggle(given, name) === "true",
  },
  "allow-unlimited-contract-size": {
    meaning: "The same by hardhat's name (allowUnlimitedContractSize).",
    default: "false",
    isRare: true,
    parse: (given: string, name: string) => toggle(given, name) === "true",
  },
  "cell-proofs": {
    meaning:
      "Accept blobs with cell proofs (EIP-7594) as well as the original format; other chains than 677 and 968 pass both on.",
    default: "false",
    isRare: true,
    parse: (given: string, name: string) => toggle(given, name) === "true",
  },
  "unbounded-logs": {
    meaning: "Let eth_getLogs and eth_getFilterLogs search any range, not only 10,000 blocks with bounds.",
    default: "false",
    isRare: true,
    parse: (given: string, name: string) => toggle(given, name) === "true",
  },
  demo: {
    meaning: "Give a new embedded chain contracts, a history and live traffic; --no-demo starts it empty.",
    default: "true",
    parse: (given: string, name: string) => toggle(given, name) === "true",
  },
  "demo-seed": {
    meaning: "The seed of the demonstration; each seed has its own history.",
    value: "N",
    default: "1",
    isRare: true,
    parse: integer(0, 2 ** 31 - 1),
  },
  reset: {
    meaning: "Delete the embedded chains and their indexes, and start over.",
    default: "false",
    parse: (given: string, name: string) => toggle(given, name) === "true",
  },
  public: {
    meaning: "The public reaches the server, perhaps through a proxy: no development methods, no faucet.",
    default: "false",
    parse: (given: string, name: string) => toggle(given, name) === "true",
  },
  "trust-proxy": {
    meaning: "Proxies whose X-Forwarded-For is trusted: addresses or ranges, separated by commas.",
    value: "LIST",
    isRare: true,
    parse: ranges,
  },
  "rate-limit": {
    meaning:
      "Units that a client may use in a second; 0 for no limit. Default: 100, or none if --host is loopback without --public.",
    value: "N",
    isRare: true,
    parse: integer(0, 1_000_000),
  },
  "dev-methods": {
    meaning: "Who may use development methods: loopback (default; none with --public or --trust-proxy), all or none.",
    value: "WHO",
    isRare: true,
    parse: oneOf("loopback", "all", "none"),
  },
  "allow-methods": {
    meaning: "Methods of the node at --rpc that everybody may call as well: names, or prefixes such as trace_*.",
    value: "LIST",
    isRare: true,
    parse: methods,
  },
  samples: {
    meaning: "How many blocks, tokens and accounts audit compares with the node, each.",
    value: "N",
    default: "100",
    parse: integer(0, 1_000_000),
  },
  to: {
    meaning: "What is written: a file by backup, a store such as sqlite:DIR by export.",
    value: "PLACE",
    parse: text,
  },
  from: {
    meaning: "The store that import reads: sqlite:DIR or postgres://USER@HOST/NAME.",
    value: "URL",
    parse: storeUrl,
  },
  config: {
    meaning: "The configuration file: JSON with these names as keys.",
    value: "FILE",
    default: "oriel.json",
    parse: text,
  },
} as const satisfies Record<string, Setting<unknown>>;

export type SettingName = keyof typeof SETTINGS;

type Parsed<K extends SettingName> = ReturnType<(typeof SETTINGS)[K]["parse"]>;
type HasDefault<K extends SettingName> = (typeof SETTINGS)[K] extends { default: string } ? K : never;

/** Undefined if neither given nor defaulted. */
export type Settings = {
  readonly [K in SettingName]: K extends HasDefault<K> ? Parsed<K> : Parsed<K> | undefined;
};

/** Database URL of a network. */
export const storeUrlOf = ({ store, data }: Pick<Settings, "store" | "data">): string => store ?? data;

/** Database URL from which the index is read, and of what it is a replica. */
export function readUrlsOf(settings: Settings): { readonly url: string; readonly primary?: string } {
  const [primary, url] = [storeUrlOf(settings), settings["store-read"]];
  return url === undefined ? { url: primary } : { url, primary };
}

export function environmentName(name: SettingName): string {
  return `ORIEL_${name.toUpperCase().replaceAll("-", "_")}`;
}
