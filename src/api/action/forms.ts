import type { TSchema } from "typebox";
import type { ActionForm } from "../openapi/operation.ts";
import { Type } from "../openapi/type.ts";
import { arrayOf, decimal, fields, price, text, words } from "../openapi/values.ts";
import * as schemas from "./actionSchema.ts";
import type { ACTIONS } from "./actions.ts";
import * as etherscan from "./etherscanSchema.ts";

const form = (result: TSchema, required: readonly string[] = [], optional: readonly string[] = []): ActionForm => ({
  required,
  optional,
  result,
});

const rowsOf = (schema: TSchema) => arrayOf(schema, "the rows of the page");

const PAGE = ["page", "offset"];
const RANGE = ["startblock", "endblock", "sort", ...PAGE];
const OF_TOKEN = ["address", "contractaddress", ...RANGE];
const CALL = ["to", "data", "from", "value", "gas", "gasPrice"];
const TOPICS = ["topic0", "topic1", "topic2", "topic3"];
const OPERATORS = ["topic0_1_opr", "topic0_2_opr", "topic0_3_opr", "topic1_2_opr", "topic1_3_opr", "topic2_3_opr"];
const SOURCE = ["contractaddress", "sourceCode", "contractname", "compilerversion"];
const SINGLE_FILE = ["optimizationUsed", "runs", "evmversion", "viaIR"];
const LIBRARIES = Array.from({ length: 10 }, (_, at) => [`libraryname${at + 1}`, `libraryaddress${at + 1}`]).flat();

const OLD_LIBRARIES = Array.from({ length: 10 }, (_, at) => [`library${at + 1}Name`, `library${at + 1}Address`]).flat();

const ofNode = (required?: readonly string[], optional?: readonly string[]) =>
  form(Type.Unknown({ description: "the result of the method" }), required, optional);

const priceForm = (coin: string, bitcoin: string) =>
  form(
    fields("a price", {
      [bitcoin]: price("always 0"),
      [`${bitcoin}_timestamp`]: decimal("when that was, in seconds since 1970"),
      [coin]: price("the price of the coin in US dollars; 0 without one"),
      [`${coin}_timestamp`]: decimal("when that was, in seconds since 1970"),
    }),
  );

const DAILY_FORMS = Object.fromEntries(
  Object.entries(etherscan.DAILY).map(([name, row]) => [name, form(rowsOf(row), ["startdate", "enddate"], ["sort"])]),
) as Record<keyof typeof etherscan.DAILY, ActionForm>;

/** The parameters and the result of every action. */
export const ACTION_FORMS: {
  readonly [M in keyof typeof ACTIONS]: Readonly<Record<keyof (typeof ACTIONS)[M], ActionForm>>;
} = {
  account: {
    balance: form(decimal("wei"), ["address"], ["tag"]),
    balancemulti: form(rowsOf(schemas.AccountBalance), ["address"], ["tag"]),
    txlist: form(
      rowsOf(schemas.ListedTransaction),
      ["address"],
      [...RANGE, "filter_by", "start_timestamp", "end_timestamp"],
    ),
    txlistinternal: form(rowsOf(schemas.ListedInternal), [], ["txhash", "address", ...RANGE]),
    tokentx: form(rowsOf(schemas.ListedTransfer), [], OF_TOKEN),
    tokennfttx: form(rowsOf(schemas.ListedItemTransfer), [], OF_TOKEN),
    token1155tx: form(rowsOf(schemas.ListedBatchTransfer), [], OF_TOKEN),
    tokenbalance: form(decimal("in smallest units"), ["contractaddress", "address"], ["tag"]),
    tokenlist: form(rowsOf(schemas.HeldToken), ["address"], PAGE),
    getminedblocks: form(rowsOf(schemas.MinedBlock), ["address"], ["blocktype", ...RANGE]),
    listaccounts: form(rowsOf(schemas.RankedBalance), [], PAGE),
    balancehistory: form(decimal("wei"), ["address", "blockno"]),
    eth_get_balance: form(schemas.quantity("wei"), ["address"], ["block", "id"]),
    tokenbalancehistory: form(decimal("in smallest units"), ["contractaddress", "address", "blockno"]),
    addresstokenbalance: form(rowsOf(etherscan.HeldAmount), ["address"], PAGE),
    addresstokennftbalance: form(rowsOf(etherscan.HeldItems), ["address"], PAGE),
    addresstokennftinventory: form(rowsOf(etherscan.HeldItem), ["address", "contractaddress"], PAGE),
    fundedby: form(etherscan.Funding, ["address"]),
    txsBeaconWithdrawal: form(rowsOf(etherscan.ListedWithdrawal), ["address"], RANGE),
    pendingtxlist: form(rowsOf(etherscan.PendingTransaction), ["address"], PAGE),
  },
  block: {
    eth_block_number: form(schemas.quantity("the newest indexed block"), [], ["id"]),
    getblockreward: form(schemas.BlockReward, ["blockno"]),
    getblocknobytime: form(fields("a block", { blockNumber: decimal("its number") }), ["timestamp", "closest"]),
    getblockcountdown: form(schemas.Countdown, ["blockno"]),
    getblocktxnscount: form(etherscan.BlockCounts, ["blockno"]),
  },
  contract: {
    getabi: form(text("the ABI as JSON"), ["address"]),
    getsourcecode: form(arrayOf(schemas.SourceRecord, "one source"), ["address"]),
    getcontractcreation: form(rowsOf(schemas.Creation), ["contractaddresses"]),
    listcontracts: form(
      rowsOf(schemas.ListedContract),
      [],
      [...PAGE, "filter", "verified_at_start_timestamp", "verified_at_end_timestamp"],
    ),
    verifysourcecode: form(text("the id to ask `checkverifystatus` with"), SOURCE, [
      "codeformat",
      "licenseType",
      ...SINGLE_FILE,
      ...LIBRARIES,
    ]),
    checkverifystatus: form(text("what became of it"), ["guid"]),
    verifyproxycontract: form(
      text("the id to ask `checkproxyverification` with"),
      ["address"],
      ["expectedimplementation"],
    ),
    checkproxyverification: form(text("what the proxy runs"), ["guid"]),
    verify: form(
      schemas.SourceRecord,
      ["addressHash", "name", "compilerVersion", "contractSourceCode"],
      ["optimization", "optimizationRuns", "evmVersion", ...OLD_LIBRARIES],
    ),
    verify_vyper_contract: form(text("never: there is no compiler of Vyper")),
  },
  gastracker: {
    gasoracle: form(schemas.GasOracle),
    gasestimate: form(decimal("seconds until a transaction is in a block"), ["gasprice"]),
  },
  getapilimit: { getapilimit: form(etherscan.ApiLimit) },
  logs: {
    getLogs: form(rowsOf(schemas.ListedLog), ["fromBlock", "toBlock"], ["address", ...TOPICS, ...OPERATORS, ...PAGE]),
  },
  proxy: {
    eth_blockNumber: ofNode(),
    eth_gasPrice: ofNode(),
    eth_getBlockByNumber: ofNode([], ["tag", "boolean"]),
    eth_getBlockTransactionCountByNumber: ofNode([], ["tag"]),
    eth_getTransactionByHash: ofNode(["txhash"]),
    eth_getTransactionByBlockNumberAndIndex: ofNode(["index"], ["tag"]),
    eth_getUncleByBlockNumberAndIndex: ofNode(["index"], ["tag"]),
    eth_getTransactionReceipt: ofNode(["txhash"]),
    eth_getTransactionCount: ofNode(["address"], ["tag"]),
    eth_getCode: ofNode(["address"], ["tag"]),
    eth_getStorageAt: ofNode(["address", "position"], ["tag"]),
    eth_call: ofNode([], [...CALL, "tag"]),
    eth_estimateGas: ofNode([], CALL),
    eth_sendRawTransaction: ofNode(["hex"]),
  },
  stats: {
    tokensupply: form(decimal("in smallest units"), ["contractaddress"]),
    ethsupply: form(decimal("wei")),
    ethprice: priceForm("ethusd", "ethbtc"),
    coinprice: priceForm("coin_usd", "coin_btc"),
    tokensupplyhistory: form(decimal("in smallest units"), ["contractaddress", "blockno"]),
    ethsupplyexchange: form(decimal("wei")),
    coinsupply: form(price("in coins")),
    totalfees: form(decimal("wei"), ["date"]),
    ...DAILY_FORMS,
  },
  token: {
    getToken: form(schemas.TokenRecord, ["contractaddress"]),
    getTokenHolders: form(rowsOf(schemas.Holder), ["contractaddress"], PAGE),
    tokeninfo: form(arrayOf(etherscan.TokenInfo, "one token"), ["contractaddress"]),
    tokenholderlist: form(rowsOf(etherscan.ListedHolder), ["contractaddress"], PAGE),
    tokenholdercount: form(decimal("addresses that hold the token"), ["contractaddress"]),
    topholders: form(rowsOf(etherscan.TopHolder), ["contractaddress"], PAGE),
  },
  transaction: {
    gettxinfo: form(schemas.TransactionInfo, ["txhash"], ["index"]),
    gettxreceiptstatus: form(
      fields("a status", { status: words(["0", "1", ""], "`1`, `0`, or empty if it is not known") }),
      ["txhash"],
    ),
    getstatus: form(
      fields("a status", {
        isError: words(["0", "1"], "`1` if it failed"),
        errDescription: text("why; empty if it did not fail"),
      }),
      ["txhash"],
    ),
  },
};
