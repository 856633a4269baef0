import type { Json } from "./api.ts";
import { until } from "./waiting.ts";
import type { WebSite } from "./webSite.ts";

/** The newest record of each kind. */
export async function findSubjects({ read, readExchange }: Pick<WebSite, "read" | "readExchange">) {
  let items: Json[] = [];
  const find = (isIt: (tx: Json) => boolean) => items.find(isIt)?.hash as string;
  const isOf = (type: string) => (tx: Json) => (tx.transaction_types as string[]).includes(type);
  const hasFailed = (tx: Json) => tx.status === "error";
  const kinds = [
    ...["token_transfer", "contract_creation", "set_code_transaction", "blob_transaction"].map(isOf),
    hasFailed,
  ];
  await until("there is a transaction of each kind", async () => {
    ({ items } = (await read("/transactions?page_size=1000")) as unknown as { items: Json[] });
    return kinds.every((isIt) => items.some(isIt));
  });
  const tokens = ((await read("/tokens")) as unknown as { items: Json[] }).items;
  const blob = find(isOf("blob_transaction"));
  const blobs = (await read(`/transactions/${blob}/blobs`)) as unknown as { items: Json[] };
  const findItem = async (item: string) => {
    const { items: instances } = (await read(`/tokens/${item}/instances`)) as unknown as { items: Json[] };
    return { item, instance: instances[0]!.id as string };
  };
  const pools = ((await readExchange("/pools")) as unknown as { data: Json[] }).data;
  return {
    pool: pools[0]!.poolId as string,
    transaction: find(isOf("token_transfer")),
    failed: find(hasFailed),
    creation: find(isOf("contract_creation")),
    setCode: find(isOf("set_code_transaction")),
    block: items.at(-1)!.block as number,
    blob,
    blobBlock: items.find(({ hash }) => hash === blob)!.block as number,
    blobHash: blobs.items[0]!.hash as string,
    address: (items[0]!.from as Json).hash as string,
    contract: tokens[0]!.address as string,
    symbol: tokens[0]!.symbol as string,
    ...(await findItem(tokens.find(({ type }) => type === "ERC-721")!.address as string)),
  };
}

export type WebSubjects = Awaited<ReturnType<typeof findSubjects>>;

export function pathsOf(found: WebSubjects): string[] {
  const { transaction, address, contract } = found;
  const tabs = (path: string, names: string) => names.split(" ").map((name) => `${path}?tab=${name}`);
  return [
    ...[
      "/",
      "/blocks",
      "/txs",
      "/token-transfers",
      "/internal-txs",
      "/accounts",
      "/verified-contracts",
      "/tokens",
      "/pools",
      "/gas",
      "/charts",
      "/charts?range=all",
      "/charts?range=24h",
    ],
    ...[
      `/pools/${found.pool}`,
      `/pools/${found.pool}?range=all`,
      ...tabs(`/pools/${found.pool}`, "liquidity positions price"),
    ],
    ...["/tokens?sort=market-cap", "/pools?sort=volume&order=asc", "/accounts?sort=transactions", "/index-status"],
    ...[`/token-transfers?token=${contract}&since=2020-01-01`, "/internal-txs?since=2020-01-01"],
    ...["/txs?method=transfer", `/address/${address}?direction=in`, `/address/${address}?tab=transfers&direction=out`],
    ...["/advanced-filter", `/token/${contract}?tab=pools`, "/search?q=swap", `/search?q=${transaction.slice(0, 10)}`],
    ...["/block/700", ...tabs("/block/700", "transactions internal withdrawals"), "/block/99999999"],
    ...[`/tx/${transaction}`, ...tabs(`/tx/${transaction}`, "transfers logs internal state trace")],
    ...[`/tx/${found.failed}`, `/tx/${found.creation}`, `/tx/${found.setCode}?tab=authorizations`],
    ...[`/tx/${found.blob}?tab=blobs`, `/blob/${found.blobHash}`, `/block/${found.blobBlock}?tab=blobs`],
    ...[
      `/address/${address}`,
      ...tabs(`/address/${address}`, "transfers tokens positions internal balance logs blocks withdrawals"),
    ],
    ...[
      `/address/${contract}`,
      `/token/${contract}`,
      `/token/${contract}?tab=holders`,
      `/token/${found.item}?tab=items`,
    ],
    ...[
      `/token/${found.item}/instance/${found.instance}`,
      `/token/${found.item}/instance/${found.instance}?tab=holders`,
    ],
    ...[...tabs(`/address/${contract}`, "contract read write"), "/verify", "/developers"],
    ...["/search?q=t", "/search?q=nothing-is-called-so"],
    ...["/docs", "/docs/operations", "/docs/configuration", "/docs/decisions/own-markdown", "/docs/search?q=block"],
  ];
}
