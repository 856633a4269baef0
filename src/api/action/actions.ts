import * as account from "./account.ts";
import type { Action } from "./action.ts";
import { ActionError } from "./answer.ts";
import * as balance from "./balance.ts";
import * as block from "./block.ts";
import * as contract from "./contract.ts";
import * as gastracker from "./gastracker.ts";
import * as internal from "./internal.ts";
import * as logs from "./logs.ts";
import type { Parameters } from "./parameters.ts";
import { callMethod, METHODS } from "./proxy.ts";
import * as stats from "./stats.ts";
import * as token from "./token.ts";
import * as transaction from "./transaction.ts";
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
    txlist: account.txlist,
    txlistinternal: internal.txlistinternal,
    tokentx: account.tokentx,
    tokennfttx: account.tokennfttx,
    token1155tx: account.token1155tx,
    tokenbalance: balance.tokenbalance,
    tokenlist: account.tokenlist,
    getminedblocks: account.getminedblocks,
    listaccounts: account.listaccounts,
  },
  block: {
    eth_block_number: block.ethBlockNumber,
    getblockreward: block.getblockreward,
    getblocknobytime: block.getblocknobytime,
    getblockcountdown: block.getblockcountdown,
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
  },
  gastracker: { gasoracle: gastracker.gasoracle },
  logs: { getLogs: logs.getLogs },
  proxy: PROXY,
  stats: {
    tokensupply: stats.tokensupply,
    ethsupply: stats.ethsupply,
    ethprice: stats.ethprice,
    coinprice: stats.coinprice,
  },
  token: { getToken: token.getToken, getTokenHolders: token.getTokenHolders },
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
