import type { TProperties } from "typebox";
import { address, always, count, decimal, fields, hash, hex, price, record, text, words } from "../openapi/values.ts";

const HELD = {
  TokenAddress: address("the token"),
  TokenName: text("its name; empty where it does not say"),
  TokenSymbol: text("its symbol; empty where it does not say"),
  TokenQuantity: decimal("how much, in smallest units"),
};

export const HeldItems = record("Action held items", HELD);
export const HeldAmount = record("Action held amount", {
  ...HELD,
  TokenDivisor: decimal("its decimals; 0 where it does not say"),
  TokenPriceUSD: price("the price of one in US dollars; 0 without one"),
});
export const HeldItem = record("Action held item", {
  TokenAddress: address("the token"),
  TokenId: decimal("the item"),
});

export const Funding = record("Action funding", {
  block: count("the block"),
  timeStamp: decimal("its time, in seconds since 1970"),
  fundingAddress: address("who sent the coins"),
  fundingTxn: hash("the transaction"),
  value: decimal("wei"),
});

export const ListedWithdrawal = record("Action withdrawal", {
  withdrawalIndex: decimal("its index in the chain"),
  validatorIndex: decimal("the validator"),
  address: address("who received it"),
  amount: decimal("in gwei"),
  blockNumber: decimal("its block"),
  timestamp: decimal("the time of its block, in seconds since 1970"),
});

export const PendingTransaction = record("Action pending transaction", {
  hash: hash("the transaction"),
  nonce: decimal("its nonce"),
  from: address("the sender"),
  to: text("where it is sent to; empty if it creates a contract"),
  value: decimal("wei sent"),
  gas: decimal("the gas limit"),
  gasPrice: decimal("the highest gas price it pays, in wei"),
  input: hex("the input"),
  contractAddress: always("", "empty"),
  cumulativeGasUsed: always("", "empty"),
  gasUsed: always("", "empty"),
});

export const BlockCounts = record("Action block counts", {
  block: count("the block"),
  txsCount: count("transactions"),
  internalTxsCount: count("internal transactions"),
  erc20TxsCount: count("transfers of ERC-20 tokens"),
  erc721TxsCount: count("transfers of ERC-721 tokens"),
  erc1155TxsCount: count("transfers of ERC-1155 tokens, one for each id"),
});

export const ApiLimit = record("Action limit", {
  creditsUsed: count("units used"),
  creditsAvailable: count("units left"),
  creditLimit: count("units at most"),
  limitInterval: text("the time in which they come back"),
  intervalExpiryTimespan: text("until all are back, as hours, minutes and seconds"),
});

const HOLDER = { TokenHolderAddress: address("who holds it") };

export const ListedHolder = record("Action listed holder", {
  ...HOLDER,
  TokenHolderQuantity: decimal("how much, in smallest units"),
});
export const TopHolder = record("Action top holder", {
  ...HOLDER,
  TokenHolderQuantity: price("how much, in whole tokens"),
  TokenHolderAddressType: words(
    ["C", "E", ""],
    "`C` for a contract, `E` for another account, empty until the node has told which",
  ),
});

/** Nobody has told Oriel about the people behind a token: these are empty. */
export const PROFILE = [
  "description",
  "website",
  "email",
  "blog",
  "reddit",
  "slack",
  "facebook",
  "twitter",
  "bitcointalk",
  "github",
  "telegram",
  "wechat",
  "linkedin",
  "discord",
  "whitepaper",
] as const;
const nothing = always("", "empty");

export const TokenInfo = record("Action token info", {
  contractAddress: address("the token"),
  tokenName: text("its name; empty where it does not say"),
  symbol: text("its symbol; empty where it does not say"),
  divisor: decimal("its decimals; 0 where it does not say"),
  tokenType: text("its standard"),
  totalSupply: price("its supply, in whole tokens"),
  blueCheckmark: always("false", "always `false`"),
  tokenPriceUSD: price("the price of one in US dollars; 0 without one"),
  ...(Object.fromEntries(PROFILE.map((name) => [name, nothing])) as Record<(typeof PROFILE)[number], typeof nothing>),
});

const ofDay = (description: string, values: TProperties) =>
  fields(description, {
    UTCDate: text("the day"),
    unixTimeStamp: decimal("its begin, in seconds since 1970"),
    ...values,
  });

/** The rows of statistics by day. */
export const DAILY = {
  dailytx: ofDay("transactions of a day", { transactionCount: count("transactions") }),
  dailynewaddress: ofDay("new addresses of a day", { newAddressCount: count("addresses seen for the first time") }),
  dailygasused: ofDay("gas of a day", { gasUsed: decimal("gas used") }),
  dailyavgblocktime: ofDay("the block time of a day", { blockTime_sec: text("mean seconds between blocks") }),
  dailyavgblocksize: ofDay("the block size of a day", { blockSize_bytes: count("mean size, in bytes") }),
  dailyavggaslimit: ofDay("the gas limit of a day", { gasLimit: decimal("mean gas limit of a block") }),
  dailynetutilization: ofDay("the utilization of a day", { networkUtilization: price("gas used of the gas limit") }),
  dailytxnfee: ofDay("fees of a day", { transactionFee_Eth: price("fees, in coins") }),
  dailyblkcount: ofDay("blocks of a day", {
    blockCount: count("blocks"),
    blockRewards_Eth: price("what their miners got, in coins"),
  }),
  dailyblockrewards: ofDay("block rewards of a day", { blockRewards_Eth: price("subsidies of blocks, in coins") }),
  dailyuncleblkcount: ofDay("uncles of a day", {
    uncleBlockCount: count("uncles"),
    uncleBlockRewards_Eth: always("0", "always `0`"),
  }),
};
