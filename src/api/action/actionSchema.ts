import { Type } from "../openapi/type.ts";
import {
  address,
  always,
  anything,
  arrayOf,
  count,
  decimal,
  fields,
  flag,
  hash,
  hex,
  orNull,
  price,
  record,
  text,
  UINT,
  words,
} from "../openapi/values.ts";

export const quantity = (description: string) =>
  Type.String({ description, format: UINT, pattern: "^0x(0|[1-9a-f][0-9a-f]*)$" });

const addressOrEmpty = (description: string) => Type.String({ description, pattern: "^(0x[0-9a-f]{40})?$" });

const decimalOrEmpty = (description: string) =>
  Type.Union([decimal(description), always("", "empty")], { description });

const PLACE = {
  blockNumber: decimal("its block"),
  timeStamp: decimal("the time of its block, in seconds since 1970"),
  hash: hash("the transaction"),
};

const MINED = {
  ...PLACE,
  nonce: decimal("the nonce of the transaction"),
  blockHash: hash("the hash of its block"),
  transactionIndex: decimal("the index of the transaction in the block"),
  gas: decimal("the gas limit"),
  gasPrice: decimal("the effective gas price, in wei"),
  gasUsed: decimal("gas used"),
  cumulativeGasUsed: decimal("gas used in the block up to here"),
  confirmations: decimal("blocks from its own to the newest known one, both included"),
  methodId: hex("the first four bytes of the input"),
};

const functionName = text("the function with its parameters; empty if it is not known");

export const ListedTransaction = record("Action transaction", {
  ...MINED,
  from: address("the sender"),
  to: addressOrEmpty("where it was sent to; empty if it creates a contract"),
  value: decimal("wei sent"),
  isError: words(["0", "1"], "`1` if it failed"),
  txreceipt_status: words(["0", "1", ""], "`1` or `0`; empty before Byzantium"),
  input: hex("the input"),
  contractAddress: addressOrEmpty("the contract it deployed; empty if none"),
  functionName,
});

const TRANSFER = {
  ...MINED,
  from: address("who gave"),
  to: address("who received"),
  contractAddress: address("the token"),
  logIndex: decimal("the index of its log in the block"),
  tokenName: text("the name of the token; empty where it does not say"),
  tokenSymbol: text("its symbol; empty where it does not say"),
  tokenDecimal: decimal("its decimals; 0 where it does not say"),
  input: always("deprecated", "always `deprecated`"),
  functionName,
};

export const ListedTransfer = record("Action transfer", {
  ...TRANSFER,
  value: decimal("the amount, in smallest units"),
});
export const ListedItemTransfer = record("Action item transfer", { ...TRANSFER, tokenID: decimal("the item") });
export const ListedBatchTransfer = record("Action batch transfer", {
  ...TRANSFER,
  tokenID: decimal("the item"),
  tokenValue: decimal("how many of it"),
});

export const ListedInternal = record("Action internal transaction", {
  ...PLACE,
  transactionHash: hash("same as `hash`"),
  from: address("the caller"),
  to: addressOrEmpty("who was called; empty if it creates a contract"),
  value: decimal("wei"),
  contractAddress: addressOrEmpty("the contract it created; empty if none"),
  input: always("", "always empty"),
  type: text("the kind of call"),
  callType: text("`call` or `callcode`, empty for others"),
  gas: decimal("the gas it was given"),
  gasUsed: decimal("the gas it used"),
  index: decimal("its index in the transaction"),
  traceId: decimal("same as `index`"),
  isError: words(["0", "1"], "`1` if it failed or was undone"),
  errCode: text("why it failed; empty if it did not"),
});

export const ListedLog = record("Action log", {
  address: address("who emitted it"),
  topics: arrayOf(hash("a topic"), "as many topics as the log has"),
  data: hex("its data"),
  blockNumber: quantity("its block"),
  blockHash: hash("the hash of its block"),
  timeStamp: quantity("the time of its block, in seconds since 1970"),
  gasPrice: quantity("the effective gas price of its transaction, in wei"),
  gasUsed: quantity("gas that its transaction used"),
  logIndex: quantity("its index in the block"),
  transactionHash: hash("its transaction"),
  transactionIndex: quantity("the index of its transaction in the block"),
});

export const AccountBalance = record("Action balance", {
  account: address("the account"),
  balance: decimal("its balance, in wei"),
});

export const HeldToken = record("Action held token", {
  balance: decimal("the balance, in smallest units"),
  contractAddress: address("the token"),
  name: text("its name; empty where it does not say"),
  decimals: decimal("its decimals; 0 where it does not say"),
  symbol: text("its symbol; empty where it does not say"),
  type: text("its standard"),
  id: Type.Optional(decimal("the item of an ERC-1155")),
});

const MADE = {
  blockNumber: decimal("the block"),
  timeStamp: decimal("its time, in seconds since 1970"),
  blockReward: decimal("what its miner got, in wei"),
};

export const MinedBlock = record("Action mined block", MADE);
export const BlockReward = record("Action block reward", {
  ...MADE,
  blockMiner: address("who made it"),
  uncles: Type.Array(Type.Unknown(), { description: "always empty", maxItems: 0 }),
  uncleInclusionReward: always("0", "always `0`"),
});

export const RankedBalance = record("Action account", {
  address: address("the account"),
  balance: decimal("its balance, in wei"),
  stale: flag("whether the balance is older than the newest indexed block"),
});

export const Countdown = record("Action countdown", {
  CurrentBlock: decimal("the newest block"),
  CountdownBlock: decimal("the block asked for"),
  RemainingBlock: decimal("blocks until then"),
  EstimateTimeInSec: text("seconds until then"),
});

export const Creation = record("Action creation", {
  contractAddress: address("the contract"),
  contractCreator: address("who sent the transaction"),
  txHash: hash("the transaction that created it"),
  blockNumber: decimalOrEmpty("its block"),
  timestamp: decimalOrEmpty("the time of its block, in seconds since 1970"),
  contractFactory: addressOrEmpty("the contract that created it; empty if the transaction did"),
  creationBytecode: Type.String({ description: "the code that created it; empty if not known", pattern: "^(0x.*)?$" }),
});

export const GasOracle = record("Action gas oracle", {
  LastBlock: decimal("the newest block"),
  SafeGasPrice: price("the price for a slow transaction, in gwei"),
  ProposeGasPrice: price("the price for an average one, in gwei"),
  FastGasPrice: price("the price for a fast one, in gwei"),
  suggestBaseFee: price("the base fee of the next block, in gwei"),
  gasUsedRatio: text("how full the last blocks were, separated by commas"),
});

export const TokenRecord = record("Action token", {
  type: text("its standard"),
  name: text("its name; empty where it does not say"),
  symbol: text("its symbol; empty where it does not say"),
  totalSupply: decimal("its supply, in smallest units"),
  decimals: decimal("its decimals; 0 where it does not say"),
  contractAddress: address("the token"),
  cataloged: flag("always true"),
});

export const Holder = record("Action holder", {
  address: address("who holds it"),
  value: decimal("how much, in smallest units"),
});

export const TransactionInfo = record("Action transaction info", {
  ...PLACE,
  confirmations: decimal("blocks from its own to the newest known one, both included"),
  success: flag("whether it succeeded"),
  from: address("the sender"),
  to: addressOrEmpty("where it was sent to; empty if it creates a contract"),
  value: decimal("wei sent"),
  input: hex("the input"),
  gasLimit: decimal("the gas limit"),
  gasUsed: decimal("gas used"),
  gasPrice: decimal("the effective gas price, in wei"),
  logs: arrayOf(
    fields("a log", {
      address: address("who emitted it"),
      topics: arrayOf(hash("a topic"), "as many topics as the log has"),
      data: hex("its data"),
      index: decimal("its index in the block"),
    }),
    "a page of its logs",
  ),
  revertReason: text("why it failed, as text or hex; empty otherwise"),
  next_page_params: orNull(
    fields("the `index` to continue with; null on the last page", { index: count("the last log of this page") }),
  ),
});

export const ListedContract = record("Action contract", {
  Address: address("the contract"),
  ABI: text("its ABI as JSON, or that it is not verified"),
  ContractName: text("its name"),
  CompilerVersion: text("the compiler"),
  OptimizationUsed: text("`1` if it was optimized; empty if it is not verified"),
});

const ofSource = (meaning: string) => text(`${meaning}; empty if it is not verified`);

export const SourceRecord = record("Action source", {
  SourceCode: ofSource("the source, or standard JSON in a second pair of braces"),
  ABI: text("its ABI as JSON, or that it is not verified"),
  ContractName: ofSource("its name"),
  CompilerVersion: ofSource("the compiler"),
  CompilerType: ofSource("`solc`"),
  OptimizationUsed: ofSource("`1` if it was optimized"),
  Runs: ofSource("runs of the optimizer"),
  ConstructorArguments: ofSource("the arguments as hex without 0x"),
  EVMVersion: text("the version of the EVM, or `Default`"),
  Library: ofSource("libraries with their addresses"),
  LicenseType: text("the license, or `Unknown`"),
  ContractFileName: ofSource("the path of its file"),
  FileName: Type.Optional(text("the path of its file")),
  CompilerSettings: Type.Optional(anything("the settings of the compiler")),
  AdditionalSources: Type.Optional(
    arrayOf(
      fields("a file", { Filename: text("its path"), SourceCode: text("its content") }),
      "the other files: `Filename` and `SourceCode`",
    ),
  ),
  ExternalLibraries: Type.Optional(
    arrayOf(
      fields("a library", { name: text("its name"), address_hash: text("its address") }),
      "libraries: `name` and `address_hash`",
    ),
  ),
  Proxy: words(["0", "1"], "`1` if it is a proxy"),
  Implementation: addressOrEmpty("what it runs; empty if it is no proxy"),
  SwarmSource: always("", "always empty"),
  SimilarMatch: addressOrEmpty("the verified contract with the same code; empty if it is verified itself"),
  Address: address("the contract"),
  ImplementationAddress: Type.Optional(address("the first implementation")),
  ImplementationAddresses: Type.Optional(arrayOf(address("an implementation"), "all implementations")),
});
