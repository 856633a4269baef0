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
const results = {};

async function record(name, answer, present) {
  try {
    const { status, message, result, error } = await answer;
    if (error !== undefined) results[name] = `error: ${error.message}`;
    else if (status === "0") results[name] = `error: ${typeof result === "string" ? result : message}`;
    else results[name] = present(result);
  } catch (error) {
    results[name] = `error: ${error.message}`;
  }
}

const hashes = (rows) => rows.map(({ hash }) => hash);
const same = (value) => value;

async function main() {
  const account = (action, ...values) => client.account(action)(...values);
  await record("balance", account("balance", of.address, "latest"), same);
  await record("balances", account("balancemulti", [of.address, of.nobody], "latest"), (rows) => rows.length);
  await record("transactions", account("txlist", of.address, 0, 99_999_999, "asc"), hashes);
  await record("internal", account("txlistinternal", of.address, 0, 99_999_999, "asc"), hashes);
  await record("noTransactions", account("txlist", of.nobody, 0, 99_999_999, "asc"), hashes);
  await record("noInternal", account("txlistinternal", of.nobody, 0, 99_999_999, "asc"), hashes);
  await record("coins", account("tokentx", of.address, 0, 99_999_999, "asc"), (rows) =>
    rows.map(({ hash, tokenDecimal }) => hash + Number.parseInt(tokenDecimal, 10)),
  );
  // Its `tokenbalance` sends the address as that of the token.
  await record("tokenSupply", client.stats("tokensupply")(of.coin), same);
  await record("price", client.stats("ethprice")(), ({ ethusd }) => Number.isFinite(Number(ethusd)));
  await record("rewardedBlock", client.block("getblockreward")(1), ({ blockNumber }) => Number(blockNumber));
  await record("receiptStatus", client.transaction("gettxreceiptstatus")(of.transaction), ({ status }) =>
    Number(status),
  );
  await record("isError", client.transaction("getstatus")(of.transaction), ({ isError }) => Number(isError));
  await record("abi", client.contract("getabi")(of.coin), same);
  await record("proxyGasPrice", client.proxy("eth_gasPrice")(), (price) => /^0x[\da-f]+$/.test(price));
  await record("proxyCode", client.proxy("eth_getCode")(of.coin, "latest"), (code) => code.length > 2);
  console.log(JSON.stringify(results));
}

main().catch((error) => {
  console.error(error);
  process.exitCode = 1;
});
