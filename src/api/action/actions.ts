import * as account from "./account.ts";
import type { Action } from "./action.ts";
import { ActionError } from "./answer.ts";
import * as balance from "./balance.ts";
import * as block from "./block.ts";
import * as contract from "./contract.ts";
import * as daily from "./daily.ts";
import * as gastracker from "./gastracker.ts";
import * as holdings from "./holdings.ts";
import * as internal from "./internal.ts";
import * as logs from "./logs.ts";
import * as oldVerification from "./oldVerification.ts";
import type { Parameters } from "./parameters.ts";
import * as pending from "./pending.ts";
import { callMethod, METHODS } from "./proxy.ts";
import * as stats from "./stats.ts";
import * as token from "./token.ts";
import * as transaction from "./transaction.ts";
import * as usage from "./usage.ts";
import * as verification from "./verification.ts";

const PROXY = Object.fromEntries(
  Object.entries(METHODS).map(([method, argumentsOf]): [string, Action] => {
    const call = callMethod(method, argumentsOf);
    return [method, ({ rpc }, parameters) => call(rpc, parameters)];
  }),
);

/** Case-insensitive. */
export const ACTIONS = {
  account: {
    balance: balance.balance,
    balancemulti: balance.balancemulti,
    balancehistory: balance.balancehistory,
    eth_get_balance: balance.ethGetBalance,
    txlist: account.txlist,
    txlistinternal: internal.txlistinternal,
    tokentx: account.tokentx,
    tokennfttx: account.tokennfttx,
    token1155tx: account.token1155tx,
    tokenbalance: balance.tokenbalance,
    tokenbalancehistory: balance.tokenbalancehistory,
    addresstokenbalance: holdings.addresstokenbalance,
    addresstokennftbalance: holdings.addresstokennftbalance,
    addresstokennftinventory: holdings.addresstokennftinventory,
    tokenlist: account.tokenlist,
    getminedblocks: account.getminedblocks,
    listaccounts: account.listaccounts,
    fundedby: account.fundedby,
    txsBeaconWithdrawal: account.txsBeaconWithdrawal,
    pendingtxlist: pending.pendingtxlist,
  },
  block: {
    eth_block_number: block.ethBlockNumber,
    getblockreward: block.getblockreward,
    getblocknobytime: block.getblocknobytime,
    getblockcountdown: block.getblockcountdown,
    getblocktxnscount: block.getblocktxnscount,
  },
  contract: {
    getabi: contract.getabi,
    getsourcecode: contract.getsourcecode,
    getcontractcreation: contract.getcontractcreation,
    listcontracts: contract.listcontracts,
    verifysourcecode: verification.verifysourcecode,
    checkverifystatus: verification.checkverifystatus,
    verifyproxycontract: verification.verifyproxycontract,
    checkproxyverification: verification.checkproxyverification,
    verify: oldVerification.verify,
    verify_vyper_contract: oldVerification.verifyVyperContract,
  },
  gastracker: { gasoracle: gastracker.gasoracle, gasestimate: gastracker.gasestimate },
  getapilimit: { getapilimit: usage.getapilimit },
  logs: { getLogs: logs.getLogs },
  proxy: PROXY,
  stats: {
    tokensupply: stats.tokensupply,
    tokensupplyhistory: balance.tokensupplyhistory,
    ethsupply: stats.ethsupply,
    ethsupplyexchange: stats.ethsupply,
    coinsupply: stats.coinsupply,
    ethprice: stats.ethprice,
    coinprice: stats.coinprice,
    totalfees: daily.totalfees,
    dailytx: daily.dailytx,
    dailynewaddress: daily.dailynewaddress,
    dailygasused: daily.dailygasused,
    dailyavgblocktime: daily.dailyavgblocktime,
    dailyavgblocksize: daily.dailyavgblocksize,
    dailyavggaslimit: daily.dailyavggaslimit,
    dailynetutilization: daily.dailynetutilization,
    dailytxnfee: daily.dailytxnfee,
    dailyblkcount: daily.dailyblkcount,
    dailyblockrewards: daily.dailyblockrewards,
    dailyuncleblkcount: daily.dailyuncleblkcount,
  },
  token: {
    getToken: token.getToken,
    getTokenHolders: token.getTokenHolders,
    tokeninfo: token.tokeninfo,
    tokenholderlist: token.tokenholderlist,
    tokenholdercount: token.tokenholdercount,
    topholders: token.topholders,
  },
  transaction: {
    gettxinfo: transaction.gettxinfo,
    gettxreceiptstatus: transaction.gettxreceiptstatus,
    getstatus: transaction.getstatus,
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, Action>>>>;

const BY_NAME = new Map(
  Object.entries<Readonly<Record<string, Action>>>(ACTIONS).map(([module, actions]) => {
    return [module, new Map(Object.entries(actions).map(([name, action]) => [name.toLowerCase(), action]))];
  }),
);

export function findAction(parameters: Parameters): Action {
  const [module, action] = [parameters.get("module"), parameters.get("action")];
  if (module === undefined || action === undefined) {
    throw new ActionError("Params 'module' and 'action' are required parameters", 400);
  }
  const actions = BY_NAME.get(module.toLowerCase());
  if (actions === undefined) throw new ActionError("Unknown module", 400);
  const found = actions.get(action.toLowerCase());
  if (found === undefined) throw new ActionError("Unknown action", 400);
  return found;
}
