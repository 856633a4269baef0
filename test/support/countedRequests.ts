import assert from "node:assert/strict";
import { ACTIONS } from "../../src/api/action/actions.ts";
import { EXCHANGE_ROUTES } from "../../src/api/exchange/routes.ts";
import { REST_PREFIX } from "../../src/api/rest/route.ts";
import { ROUTES } from "../../src/api/rest/routes.ts";
import { PAGES } from "../../src/api/web/webInterface.ts";
import { GATEWAY_METHODS } from "../../src/gateway/methodTable.ts";
import type { Json } from "./api.ts";

/** A request that is counted: a path, or a call of JSON-RPC. */
export type CountedRequest =
  | { readonly name: string; readonly url: string }
  | { readonly name: string; readonly method: string; readonly params: readonly unknown[] };

/** Values for path parameters, as hex. */
export interface Subjects {
  readonly block: number;
  readonly blockHash: string;
  readonly transaction: string;
  readonly transactionIndex: number;
  readonly blobTransaction: string;
  readonly blob: string;
  readonly account: string;
  readonly miner: string;
  readonly token: string;
  readonly item: string;
  readonly itemId: string;
  readonly pool: string;
  /** Tokens of a pool. */
  readonly traded: readonly [string, string];
  readonly position: readonly [user: string, id: string];
}

interface Items {
  readonly items: readonly Json[];
}

/** Finds something of every kind in an index; of transactions the ones that read the most. */
export async function findSubjects(read: (path: string) => Promise<Json>): Promise<Subjects> {
  const list = async (path: string) => ((await read(`${REST_PREFIX}${path}`)) as unknown as Items).items;
  const transactions = await list("/transactions?page_size=1000");
  const ofType = (type: string) => {
    const found = transactions.find((tx) => (tx.transaction_types as string[]).includes(type));
    assert.ok(found, `the index has a transaction of type ${type}`);
    return found;
  };
  const [first, blobbed] = [ofType("token_transfer"), ofType("blob_transaction")];
  const hashOf = (record: unknown) => (record as { readonly hash: string }).hash;
  const blobs = await list(`/transactions/${hashOf(blobbed)}/blobs`);
  const block = await read(`${REST_PREFIX}/blocks/${String(first.block)}`);
  const tokens = await list("/tokens?page_size=1000");
  const tokenOf = (type: string) => String(tokens.find((token) => token.type === type)?.address);
  const item = tokenOf("ERC-1155");
  const [instance] = await list(`/tokens/${item}/instances`);
  const pools = (await read("/api/v1/pools")) as unknown as { readonly data: readonly Record<string, string>[] };
  const [pool] = pools.data;
  return {
    block: Number(first.block),
    blockHash: String(block.hash),
    transaction: hashOf(first),
    transactionIndex: Number(first.position),
    blobTransaction: hashOf(blobbed),
    blob: hashOf(blobs[0]),
    account: hashOf(first.from),
    miner: hashOf(block.miner),
    token: tokenOf("ERC-20"),
    item,
    itemId: String(instance?.id),
    pool: String(pool?.poolId),
    traded: [String(pool?.baseTokenAddress), String(pool?.quoteTokenAddress)],
    position: await findPosition(read, pools.data),
  };
}

export async function findPosition(read: (path: string) => Promise<Json>, pools: readonly Record<string, string>[]) {
  const list = async (path: string) =>
    ((await read(`/api/v1${path}`)) as unknown as { readonly data: readonly Record<string, string>[] }).data;
  for (const { poolId } of pools) {
    for (const { account } of await list(`/pools/${poolId}/events?type=mint`)) {
      const [position] = account === null ? [] : await list(`/users/${account}/positions`);
      if (position !== undefined) return [account!, position.id!] as const;
    }
  }
  return [`0x${"0".repeat(40)}`, String(pools[0]?.poolId)] as const;
}

/** All paths of a table of routes, each with something that the index has in the place of its parameters. */
function fill(path: string, found: Subjects): string {
  const hash = path.includes("blob")
    ? path.endsWith("/blobs")
      ? found.blobTransaction
      : found.blob
    : found.transaction;
  const address = () => {
    if (path.includes("instance")) return found.item;
    if (path.includes("pools")) return found.pool;
    if (path.includes("blocks-validated")) return found.miner;
    return /token|contract/.test(path.split("{")[0]!) ? found.token : found.account;
  };
  return path
    .replace("{id}", path.includes("instance") ? found.itemId : String(path.includes("countdown") ? 1e6 : found.block))
    .replace("{hash}", hash)
    .replace("{folder}/{name}", "decisions/raw-sql")
    .replace("{name}", "operations")
    .replace("{address}", address());
}

export function restRequests(found: Subjects): CountedRequest[] {
  const required: Readonly<Record<string, string>> = { q: "to" };
  return ROUTES.flatMap(({ path, parameters = [], isList }) => {
    const query = parameters.filter((one) => one.required).map(({ name }) => `${name}=${required[name]}`);
    const url = (more: readonly string[]) => `${REST_PREFIX}${fill(path, found)}?${[...query, ...more].join("&")}`;
    const name = `REST ${path}`;
    const isWalked = /withdrawals$|^\/advanced-filters$/.test(path) && !path.includes("{id}");
    const pages = isList && !isWalked ? [{ name: `${name} page 2`, url: url(["page=2", "page_size=2"]) }] : [];
    return [{ name, url: url([]) }, ...pages];
  });
}

export function exchangeRequests(found: Subjects): CountedRequest[] {
  const { traded } = found;
  const quoted = `tokenIn=${traded[0]}&tokenOut=${traded[1]}&amount=1000&exchanges=all`;
  const [user, position] = found.position;
  const valuesOf = (path: string) => {
    if (path === "/quote") return quoted;
    return path.endsWith("/liquidity") ? `position=${position}` : "";
  };
  return EXCHANGE_ROUTES.map(({ path }) => ({
    name: `exchange ${path}`,
    url: `/api/v1${fill(path, path.includes("users") ? { ...found, account: user } : found)}?${valuesOf(path)}`,
  }));
}

export function adapterRequests({ block }: Subjects): CountedRequest[] {
  return ["/latest-block", `/events?fromBlock=${Math.max(block - 9, 0)}&toBlock=${block}`].map((path) => ({
    name: `adapter ${path.split("?")[0]}`,
    url: `/dexscreener${path}${path.includes("?") ? "" : "?"}`,
  }));
}

const TABS: Readonly<Record<string, readonly string[]>> = {
  "/block/:id": ["transactions", "internal", "withdrawals"],
  "/tx/:hash": ["transfers", "logs", "internal", "state", "trace", "blobs"],
  "/address/:address": ["transfers", "tokens", "internal", "balance", "logs", "blocks", "contract", "read", "write"],
  "/token/:address": ["holders", "items"],
  "/token/:address/instance/:id": ["holders"],
};

export function webRequests(found: Subjects): CountedRequest[] {
  return PAGES.flatMap(({ path }) => {
    const url = `${fill(path.replace(/:(\w+)/g, "{$1}"), found)}?${path === "/search" ? "q=to" : ""}`;
    const tabs = (TABS[path] ?? []).map((tab) => ({ name: `web ${path} ${tab}`, url: `${url}tab=${tab}` }));
    return [{ name: `web ${path}`, url }, ...tabs];
  });
}

export function actionRequests(found: Subjects): CountedRequest[] {
  const { block, account, token, item, transaction, miner } = found;
  const bounds = `fromBlock=0&toBlock=latest`;
  const parameters: Readonly<Record<string, string>> = {
    balance: `address=${account}`,
    balancemulti: `address=${account},${token}`,
    txlist: `address=${account}`,
    txlistinternal: `address=${account}`,
    tokentx: `address=${account}`,
    tokennfttx: `address=${account}`,
    token1155tx: `address=${account}`,
    tokenbalance: `address=${account}&contractaddress=${token}`,
    tokenlist: `address=${account}`,
    getminedblocks: `address=${miner}`,
    listaccounts: "",
    eth_block_number: "",
    getblockreward: `blockno=${block}`,
    getblocknobytime: "timestamp=1700000000&closest=before",
    getblockcountdown: "blockno=1000000",
    getabi: `address=${token}`,
    getsourcecode: `address=${token}`,
    getcontractcreation: `contractaddresses=${token}`,
    listcontracts: "",
    gasoracle: "",
    getLogs: `address=${token}&${bounds}`,
    tokensupply: `contractaddress=${token}`,
    ethsupply: "",
    ethprice: "",
    coinprice: "",
    getToken: `contractaddress=${token}`,
    getTokenHolders: `contractaddress=${token}`,
    gettxinfo: `txhash=${transaction}`,
    gettxreceiptstatus: `txhash=${transaction}`,
    getstatus: `txhash=${transaction}`,
    balancehistory: `address=${account}&blockno=${block}`,
    eth_get_balance: `address=${account}`,
    tokenbalancehistory: `address=${account}&contractaddress=${token}&blockno=${block}`,
    tokensupplyhistory: `contractaddress=${token}&blockno=${block}`,
    addresstokenbalance: `address=${account}`,
    addresstokennftbalance: `address=${account}`,
    addresstokennftinventory: `address=${account}&contractaddress=${item}`,
    fundedby: `address=${account}`,
    txsBeaconWithdrawal: `address=${account}`,
    getblocktxnscount: `blockno=${block}`,
    gasestimate: "gasprice=1000000000000",
    getapilimit: "",
    ethsupplyexchange: "",
    coinsupply: "",
    totalfees: "date=2023-11-14",
    tokeninfo: `contractaddress=${token}`,
    tokenholderlist: `contractaddress=${token}`,
    tokenholdercount: `contractaddress=${token}`,
    topholders: `contractaddress=${token}`,
  };
  const dates = "startdate=2023-11-01&enddate=2023-11-30";
  // `proxy` asks JSON-RPC, verification the compiler's queue, and what is pending the node.
  const isCounted = (module: string, action: string) => module !== "proxy" && !/verif|pending/.test(action);
  const counted = Object.entries(ACTIONS).flatMap(([module, actions]) =>
    Object.keys(actions).flatMap((action) => (isCounted(module, action) ? [[module, action] as const] : [])),
  );
  return counted.map(([module, action]) => {
    const query = action.startsWith("daily") ? dates : parameters[action];
    assert.ok(query !== undefined, `${module}/${action} has parameters to be counted with`);
    return { name: `action ${module}/${action}`, url: `/api?module=${module}&action=${action}&${query}` };
  });
}

export function rpcRequests(found: Subjects): CountedRequest[] {
  const number = `0x${found.block.toString(16)}`;
  const index = `0x${found.transactionIndex.toString(16)}`;
  const hash = found.blockHash;
  const filter = { address: found.token, fromBlock: "0x1", toBlock: number };
  const params: Readonly<Record<string, readonly unknown[]>> = {
    eth_getBlockByNumber: [number, true],
    eth_getBlockByHash: [hash, false],
    eth_getBlockReceipts: [number],
    eth_getBlockTransactionCountByNumber: [number],
    eth_getBlockTransactionCountByHash: [hash],
    eth_getUncleCountByBlockNumber: [number],
    eth_getUncleCountByBlockHash: [hash],
    eth_getTransactionByHash: [found.transaction],
    eth_getTransactionByBlockNumberAndIndex: [number, index],
    eth_getTransactionByBlockHashAndIndex: [hash, index],
    eth_getTransactionReceipt: [found.transaction],
    eth_getRawTransactionByHash: [found.transaction],
    eth_getLogs: [filter],
    eth_getBlobSidecars: [number],
    eth_getBlobSidecarByTxHash: [found.blobTransaction],
  };
  return Object.entries(GATEWAY_METHODS)
    .filter(([method, handler]) => handler === "store" && method !== "eth_getFilterLogs")
    .map(([method]) => {
      assert.ok(params[method], `${method} has parameters to be counted with`);
      return { name: `rpc ${method}`, method, params: params[method] };
    });
}
