// Asks one chain with the package etherscan-api, and prints what it understood as JSON.
const { createRequire } = require("node:module");
const { join } = require("node:path");

const [directory, json] = process.argv.slice(2);
const { Client } = createRequire(join(directory, "package.json"))("etherscan-api");
const of = JSON.parse(json);

// It knows a fixed list of networks.
const plainFetch = globalThis.fetch;
globalThis.fetch = (url) => plainFetch(url.replace(/^https:\/\/[^?]*\?/, `${of.url}&`));

const client = new Client("A".repeat(34));
const told = {};

async function tell(name, answer, present) {
  try {
    const { status, message, result, error } = await answer;
    if (error !== undefined) told[name] = `error: ${error.message}`;
    else told[name] = status === "0" ? `error: ${message}` : present(result);
  } catch (error) {
    told[name] = `error: ${error.message}`;
  }
}

const hashes = (rows) => rows.map(({ hash }) => hash);
const same = (value) => value;

async function main() {
  const account = (action, ...values) => client.account(action)(...values);
  await tell("balance", account("balance", of.address, "latest"), same);
  await tell("balances", account("balancemulti", [of.address, of.nobody], "latest"), (rows) => rows.length);
  await tell("transactions", account("txlist", of.address, 0, 99_999_999, "asc"), hashes);
  await tell("internal", account("txlistinternal", of.address, 0, 99_999_999, "asc"), hashes);
  await tell("noTransactions", account("txlist", of.nobody, 0, 99_999_999, "asc"), hashes);
  await tell("noInternal", account("txlistinternal", of.nobody, 0, 99_999_999, "asc"), hashes);
  await tell("coins", account("tokentx", of.address, 0, 99_999_999, "asc"), (rows) =>
    rows.map(({ hash, tokenDecimal }) => hash + Number.parseInt(tokenDecimal, 10)),
  );
  // Its `tokenbalance` sends the address as that of the token.
  await tell("tokenSupply", client.stats("tokensupply")(of.coin), same);
  await tell("price", client.stats("ethprice")(), ({ ethusd }) => Number.isFinite(Number(ethusd)));
  await tell("rewardedBlock", client.block("getblockreward")(1), ({ blockNumber }) => Number(blockNumber));
  await tell("receiptStatus", client.transaction("gettxreceiptstatus")(of.transaction), ({ status }) => Number(status));
  await tell("isError", client.transaction("getstatus")(of.transaction), ({ isError }) => Number(isError));
  await tell("abi", client.contract("getabi")(of.coin), same);
  await tell("proxyGasPrice", client.proxy("eth_gasPrice")(), (price) => /^0x[\da-f]+$/.test(price));
  await tell("proxyCode", client.proxy("eth_getCode")(of.coin, "latest"), (code) => code.length > 2);
  console.log(JSON.stringify(told));
}

main().catch((error) => {
  console.error(error);
  process.exitCode = 1;
});
