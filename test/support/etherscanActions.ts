import assert from "node:assert/strict";
import { formatEther, formatUnits } from "viem";
import type { ActionRecords, Row } from "./actionRecords.ts";
import { blocksOf } from "./plainChain.ts";
import { expectedBaseFee } from "./statsOracle.ts";
import { typeOf } from "./tokenOracle.ts";

type Parameters = Readonly<Record<string, string | number>>;

/** What these comparisons ask. */
interface AskedActions {
  readonly oracle: ActionRecords;
  readonly addresses: readonly string[];
  readonly node: <T>(method: string, ...params: unknown[]) => Promise<T>;
  result<T>(module: string, action: string, parameters?: Parameters): Promise<T>;
  rows(module: string, action: string, parameters?: Parameters): Promise<Row[]>;
  answer(module: string, action: string, parameters?: Parameters): Promise<{ status: string; message: string }>;
}

const holderType = (isContract: boolean | null) => (isContract === null ? "" : isContract ? "C" : "E");

async function compareHolders(served: AskedActions): Promise<void> {
  const { of } = served.oracle;
  for (const [token, ledger] of of.tokens.ledger) {
    const contract = { contractaddress: token };
    const decimals = Number(of.token(token).decimals ?? 0);
    const holders = of.holders(ledger);
    const rows = holders.map(({ holder, value }) => ({
      TokenHolderAddress: holder,
      TokenHolderQuantity: String(value),
    }));
    const top = holders.map(({ holder, value }) => ({
      TokenHolderAddress: holder,
      TokenHolderQuantity: formatUnits(value, decimals),
      TokenHolderAddressType: holderType(of.isContract(holder)),
    }));
    assert.equal(await served.result("token", "tokenholdercount", contract), String(holders.length), token);
    assert.deepEqual(await served.rows("token", "tokenholderlist", contract), rows.slice(0, 100), token);
    assert.deepEqual(
      await served.rows("token", "tokenholderlist", { ...contract, page: 2, offset: 3 }),
      rows.slice(3, 6),
      token,
    );
    assert.deepEqual(await served.rows("token", "topholders", { ...contract, offset: 1000 }), top, token);
  }
  const unknown = await served.answer("token", "tokenholdercount", { contractaddress: `0x${"12".repeat(20)}` });
  assert.deepEqual([unknown.status, unknown.message], ["0", "Contract address not found"]);
}

async function compareTokenInfo(served: AskedActions): Promise<void> {
  const { of } = served.oracle;
  for (const contractaddress of of.tokens.ledger.keys()) {
    const { type, name, symbol, decimals, total_supply } = of.token(contractaddress);
    const [info] = await served.result<Row[]>("token", "tokeninfo", { contractaddress });
    const own = {
      contractAddress: contractaddress,
      tokenName: name ?? "",
      symbol: symbol ?? "",
      divisor: decimals ?? "0",
      tokenType: String(type).replace("-", ""),
      totalSupply: formatUnits(BigInt((total_supply as string) ?? 0), Number(decimals ?? 0)),
      blueCheckmark: "false",
      tokenPriceUSD: "0",
    };
    assert.deepEqual({ ...info, ...own }, info, contractaddress);
    assert.ok(Object.values(info!).every((value) => typeof value === "string"));
  }
}

async function compareHoldings(served: AskedActions): Promise<void> {
  const { of } = served.oracle;
  let items = 0;
  for (const address of served.addresses) {
    const held = (await served.oracle.tokensOf(address)) as Readonly<Record<string, string>>[];
    const shown = (type: string) =>
      held
        .filter((row) => row.type === type)
        .map((row) => ({
          TokenAddress: row.contractAddress,
          TokenName: row.name,
          TokenSymbol: row.symbol,
          TokenQuantity: row.balance,
          ...(type === "ERC-20" && { TokenDivisor: row.decimals, TokenPriceUSD: "0" }),
        }));
    const [coins, uniques] = [shown("ERC-20"), shown("ERC-721")];
    assert.deepEqual(await served.rows("account", "addresstokenbalance", { address }), coins, address);
    const page = { address, page: 2, offset: 1 };
    assert.deepEqual(await served.rows("account", "addresstokenbalance", page), coins.slice(1, 2), address);
    assert.deepEqual(await served.rows("account", "addresstokennftbalance", { address }), uniques, address);
    for (const { TokenAddress: contractaddress } of uniques) {
      const ledger = of.tokens.ledger.get(contractaddress!)!;
      assert.equal(typeOf(ledger), "ERC-721");
      const ids = [...ledger.itemBalances]
        .filter(([key, amount]) => key.endsWith(`/${address}`) && amount > 0n)
        .map(([key]) => ({ TokenAddress: contractaddress, TokenId: key.split("/")[0] }));
      const asked = { address, contractaddress: contractaddress! };
      const rows = await served.rows("account", "addresstokennftinventory", asked);
      const paged = await served.rows("account", "addresstokennftinventory", { ...asked, page: 2, offset: 1 });
      const sorted = (all: readonly Row[]) => all.map(({ TokenId }) => String(TokenId)).sort();
      assert.deepEqual(sorted(rows), sorted(ids), `${address} ${contractaddress}`);
      assert.deepEqual(paged, rows.slice(1, 2));
      items += rows.length;
    }
  }
  assert.ok(items > 0);
}

async function comparePast(served: AskedActions): Promise<void> {
  const { of } = served.oracle;
  const height = of.height;
  const word = (hex: string) => String(BigInt(hex === "0x" ? 0 : hex));
  for (const blockno of [1, height >> 1, height - 1, height]) {
    const tag = `0x${blockno.toString(16)}`;
    for (const address of served.addresses.slice(0, 3)) {
      const balance = await served.node<string>("eth_getBalance", address, tag);
      assert.equal(await served.result("account", "balancehistory", { address, blockno }), word(balance));
      assert.equal(await served.result("account", "eth_get_balance", { address, block: blockno }), balance);
    }
    for (const token of [...of.tokens.ledger.keys()].slice(0, 6)) {
      const code = await served.node<string>("eth_getCode", token, tag);
      const call = (data: string) => served.node<string>("eth_call", { to: token, data }, tag).catch(() => undefined);
      const supply = await call("0x18160ddd");
      const asked = await served.answer("stats", "tokensupplyhistory", { contractaddress: token, blockno });
      const isReported = code === "0x" || (supply !== undefined && supply.length === 66);
      assert.equal(asked.status, isReported ? "1" : "0", `${token} ${asked.message}`);
      if (isReported) assert.equal((asked as unknown as { result: string }).result, word(supply ?? "0x"));
      const holder = served.addresses[0]!;
      const balance = await call(`0x70a08231${holder.slice(2).padStart(64, "0")}`);
      if (blockno === height || balance === undefined || (code !== "0x" && balance.length !== 66)) continue;
      const parameters = { contractaddress: token, address: holder, blockno };
      assert.equal(await served.result("account", "tokenbalancehistory", parameters), word(balance));
    }
  }
  const later = await served.answer("account", "balancehistory", { address: served.addresses[0]!, blockno: 1e9 });
  assert.equal(later.message, "Block does not exist");
}

async function compareSupply(served: AskedActions): Promise<void> {
  const wei = BigInt(await served.result<string>("stats", "ethsupply"));
  assert.equal(await served.result("stats", "coinsupply"), formatEther(wei));
  assert.equal(await served.result("stats", "ethsupplyexchange"), String(wei));
}

async function compareEstimates(served: AskedActions): Promise<void> {
  const { chain } = served.oracle.of;
  const recent = blocksOf(chain).slice(-101).slice(-100);
  const times = recent.filter(({ number }) => number > 0).map(({ block }) => Number(block.timestamp));
  const [first] = blocksOf(chain)
    .slice(-101)
    .filter(({ number }) => number > 0);
  const count = blocksOf(chain)
    .slice(-101)
    .filter(({ number }) => number > 0).length;
  const blockTime = (times.at(-1)! - Number(first!.block.timestamp)) / (count - 1);
  const next = expectedBaseFee(chain);
  for (const share of [200n, 100n, 99n, 80n, 50n]) {
    const gasprice = (next * share) / 100n;
    let [blocks, fee] = [1, next];
    while (fee > gasprice) [blocks, fee] = [blocks + 1, fee - fee / 8n];
    const expected = String(Math.ceil(blocks * blockTime));
    assert.equal(await served.result("gastracker", "gasestimate", { gasprice: String(gasprice) }), expected);
  }
  const never = await served.answer("gastracker", "gasestimate", { gasprice: 0 });
  assert.equal(never.message, "The base fee does not fall to this price");
  assert.equal((await served.answer("gastracker", "gasestimate", { gasprice: "1 gwei" })).status, "0");
}

async function compareBlockCounts(served: AskedActions): Promise<void> {
  const { chain } = served.oracle.of;
  const { block, number } = blocksOf(chain).at(-1)!;
  const { status, result } = (await served.answer("block", "getblocktxnscount", {
    blockno: number,
  })) as unknown as { status: string; result: Row };
  assert.deepEqual([status, result.txsCount, result.internalTxsCount], ["2", block.transactions.length, 0]);
}

/** Comparisons of the actions that only Etherscan has. */
export const ETHERSCAN_COMPARISONS: readonly (readonly [
  name: string,
  compare: (served: AskedActions) => Promise<void>,
])[] = [
  ["token/tokenholderlist, tokenholdercount and topholders: who has a token", compareHolders],
  ["token/tokeninfo: what tokens say", compareTokenInfo],
  ["account/addresstokenbalance, addresstokennftbalance and -inventory: what each address has", compareHoldings],
  [
    "account/balancehistory, tokenbalancehistory and stats/tokensupplyhistory: what the node says of a block",
    comparePast,
  ],
  ["stats/coinsupply and ethsupplyexchange: the supply of coins", compareSupply],
  ["gastracker/gasestimate: when the base fee can have fallen to a price", compareEstimates],
  ["block/getblocktxnscount: a block that is not traced says so", compareBlockCounts],
];
