import type { Json } from "./api.ts";
import type { CountedRequest, Subjects } from "./countedRequests.ts";
import {
  actionRequests,
  exchangeRequests,
  findPosition,
  restRequests,
  rpcRequests,
  webRequests,
} from "./countedRequests.ts";
import type { Random } from "./random.ts";

type Read = (path: string) => Promise<Json>;

/** Everything an index has, of which requests ask. */
export interface Population {
  readonly head: number;
  readonly blocks: readonly Json[];
  readonly transactions: readonly Json[];
  readonly addresses: readonly string[];
  readonly tokens: readonly string[];
  readonly items: readonly { readonly token: string; readonly id: string }[];
  readonly pools: readonly { readonly poolId: string; readonly traded: readonly [string, string] }[];
  readonly blobs: readonly { readonly transaction: string; readonly hash: string }[];
  readonly position: Subjects["position"];
}

export async function readPopulation(read: Read): Promise<Population> {
  const list = async (path: string) => {
    const { items } = (await read(`/api/v2${path}`)) as unknown as { readonly items: readonly Json[] };
    return items;
  };
  const blocks = await list("/blocks?page_size=1000");
  const transactions = await list("/transactions?page_size=1000");
  const tokens = (await list("/tokens?page_size=1000")).map(({ address }) => String(address));
  const instances = tokens.map(async (token) =>
    (await list(`/tokens/${token}/instances`)).map(({ id }) => ({ token, id: String(id) })),
  );
  const blobs = transactions
    .filter(({ transaction_types }) => (transaction_types as string[]).includes("blob_transaction"))
    .map(async ({ hash }) =>
      (await list(`/transactions/${String(hash)}/blobs`)).map((blob) => ({
        transaction: String(hash),
        hash: String(blob.hash),
      })),
    );
  const { data } = (await read("/api/v1/pools?page_size=100")) as unknown as { data: Record<string, string>[] };
  const parties = transactions.flatMap(({ from, to }) => [from, to]) as ({ readonly hash: string } | null)[];
  return {
    head: Number(blocks[0]!.height),
    blocks,
    transactions,
    addresses: [...new Set(parties.flatMap((party) => party?.hash ?? []))],
    tokens,
    items: (await Promise.all(instances)).flat(),
    pools: data.map(({ poolId, baseTokenAddress, quoteTokenAddress }) => ({
      poolId: String(poolId),
      traded: [String(baseTokenAddress), String(quoteTokenAddress)],
    })),
    blobs: (await Promise.all(blobs)).flat(),
    position: await findPosition(read, data),
  };
}

/** Mostly what the index has, now and then what it lacks. */
function randomSubjects(random: Random, population: Population): Subjects {
  const unknown = (bytes: number) => `0x${Buffer.from(random.bytes(bytes)).toString("hex")}`;
  const or = <T>(list: readonly T[], other: () => T): T =>
    list.length > 0 && random.chance(0.97) ? random.pick(list) : other();
  const block = random.pick(population.blocks);
  const item = random.pick(population.items);
  const blob = random.pick(population.blobs);
  const transaction = random.pick(population.transactions);
  return {
    block: random.chance(0.97) ? Number(block.height) : population.head + 1,
    blockHash: or([String(block.hash)], () => unknown(32)),
    transaction: or([String(transaction.hash)], () => unknown(32)),
    transactionIndex: Number(transaction.position),
    blobTransaction: blob.transaction,
    blob: or([blob.hash], () => unknown(32)),
    account: or(population.addresses, () => unknown(20)),
    miner: (block.miner as { readonly hash: string }).hash,
    token: or(population.tokens, () => unknown(20)),
    item: item.token,
    itemId: or([item.id], () => "12345"),
    ...randomPool(random, population, unknown),
    position: population.position,
  };
}

function randomPool(random: Random, { pools }: Population, unknown: (bytes: number) => string) {
  if (pools.length === 0 || random.chance(0.03))
    return { pool: unknown(20), traded: [unknown(20), unknown(20)] as const };
  const { poolId, traded } = random.pick(pools);
  return { pool: poolId, traded };
}

const TYPES = [
  "token_transfer",
  "contract_creation",
  "coin_transfer",
  "ERC-20",
  "ERC-721,ERC-1155",
  "blob_transaction",
];

/** Parameters of REST; many are refused by the path that gets them, or have no meaning there. */
function restWords(random: Random, { tokens, addresses, transactions, blocks }: Population): Record<string, string> {
  const address = () => random.pick(addresses);
  return {
    type: random.pick(TYPES),
    filter: random.pick(["validated", "to", "from"]),
    sort: random.pick(["value", "fee", "block_number", "fiat_value", "holders_count", "balance"]),
    order: random.pick(["asc", "desc"]),
    q: random.pick(["to", "T", "0x", "1", "Token", random.pick(tokens)]),
    token: random.pick(tokens),
    transaction_hash: String(random.pick(transactions).hash),
    holder_address_hash: address(),
    transaction_types: random.pick(TYPES),
    methods: "0xa9059cbb",
    age_from: String(random.pick(blocks).timestamp),
    age_to: String(random.pick(blocks).timestamp),
    from_address_hashes_to_include: address(),
    to_address_hashes_to_exclude: address(),
    address_relation: random.pick(["and", "or"]),
    amount_from: String(random.int(10)),
    amount_to: String(random.int(1000)),
    token_contract_address_hashes_to_include: random.pick(tokens),
  };
}

function restQuery(random: Random, population: Population): string[] {
  const words = Object.entries(restWords(random, population)).filter(() => random.chance(0.1));
  const pages = [`page=${random.between(1, 5)}`, `page_size=${random.between(1, 40)}`].filter(() => random.chance(0.7));
  return [...pages, ...words.map(([name, value]) => `${name}=${encodeURIComponent(value)}`)];
}

function actionQuery(random: Random, { head, tokens }: Population): string[] {
  const [from, to] = [random.int(head + 1), random.int(head + 2)];
  return [
    `page=${random.between(1, 4)}`,
    `offset=${random.between(1, 50)}`,
    `sort=${random.pick(["asc", "desc"])}`,
    `startblock=${from}`,
    `endblock=${to}`,
    `contractaddress=${random.pick(tokens)}`,
  ].filter(() => random.chance(0.5));
}

function exchangeQuery(random: Random): string[] {
  return [
    `page_num=${random.between(1, 4)}`,
    `page_size=${random.between(1, 30)}`,
    `pool_type=${random.pick(["all", "v2", "v3"])}`,
    `sort_by=${random.pick(["tvl", "volume", "transactions", "created_at", "price_change"])}`,
    `search=${random.pick(["a", "0x1", "to"])}`,
    `exchanges=${random.pick(["all", "known"])}`,
  ].filter(() => random.chance(0.5));
}

/** A random request of any interface. */
export function randomRequest(random: Random, population: Population): CountedRequest {
  const interfaces = [
    [restRequests, restQuery],
    [exchangeRequests, exchangeQuery],
    [webRequests, restQuery],
    [actionRequests, actionQuery],
    [rpcRequests, () => []],
  ] as const;
  // The explorer's interface has most of the paths.
  const [of, query] = random.chance(0.3) ? interfaces[0] : random.pick(interfaces);
  const request = random.pick(of(randomSubjects(random, population)));
  return "url" in request ? { ...request, url: `${request.url}&${query(random, population).join("&")}` } : request;
}
