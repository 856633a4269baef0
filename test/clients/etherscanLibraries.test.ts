import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { after, describe, test } from "node:test";
import { promisify } from "node:util";
import { ContractFactory, JsonRpcProvider, Wallet } from "ethers";
import { contractNamed } from "../support/contracts.ts";
import { KEYS, startNetworks } from "../support/networks.ts";
import { get } from "../support/program.ts";
import { until } from "../support/waiting.ts";

/** Where test/clients/etherscanLibraries/install.sh has put them. */
const { ORIEL_ETHERSCAN_CLIENTS: DIRECTORY } = process.env;
const REASON = "set ORIEL_ETHERSCAN_CLIENTS to the folder of test/clients/etherscanLibraries/install.sh";

const DRIVERS = join(import.meta.dirname, "etherscanLibraries");
const CHAIN_ID = 968;
const TRANSFER = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";
const NOBODY = `0x${"5e".repeat(20)}`;

/** Sends what it is paid to an account. */
const FORWARDER = "0x600b600a5f39600b5ff35f5f5f5f3461dead5af100";

type Reported = Readonly<Record<string, unknown>>;

/** A chain with transfers of both standards and an internal transaction, and what clients ask of it. */
async function openSubject() {
  const { urls } = await startNetworks(after);
  const url = urls.testnet!;
  const node = new JsonRpcProvider(`${url}/rpc`, CHAIN_ID, { cacheTimeout: -1, pollingInterval: 50 });
  after(() => node.destroy());
  const wallet = new Wallet(KEYS[0], node);
  const deploy = async (name: string, ...args: unknown[]) => {
    const { abi, bytecode } = contractNamed(name);
    const contract = await new ContractFactory(abi, bytecode, wallet).deploy(...args);
    await contract.waitForDeployment();
    return contract;
  };
  const coin = await deploy("ERC20PresetFixedSupply", "Real", "REAL", 1000n, wallet.address);
  const picture = await deploy("ERC721PresetMinterPauserAutoId", "Picture", "PIC", "ipfs://");
  const minted = await (await picture.getFunction("mint")(wallet.address)).wait();
  const moved = await (await coin.getFunction("transfer")(picture.target, 7n)).wait();
  const forwarder = await (await wallet.sendTransaction({ data: FORWARDER })).wait();
  const paid = await (await wallet.sendTransaction({ to: forwarder!.contractAddress, value: 3n })).wait();
  const height = await node.getBlockNumber();
  await until("the blocks are indexed, traced and observed", async () => {
    const { indexed, traces } = (await get(`${url}/status`)).body as unknown as Record<string, Status | null>;
    const token = (await get(`${url}/api/v2/tokens/${coin.target}`)).body;
    return indexed?.number === height && traces?.block === height && token.decimals === "18";
  });
  const sent = await get(`${url}/api/v2/addresses/${wallet.address}/transactions`);
  const { timestamp } = (await node.getBlock(3))!;
  const creation = coin.deploymentTransaction()!.hash;
  return {
    height,
    forwarder: forwarder!.contractAddress!,
    balance: String(await node.getBalance(wallet.address)),
    transactions: (sent.body.items as { hash: string }[]).map(({ hash }) => hash).toReversed(),
    coins: [`${creation}18`, `${moved.hash}18`],
    pictures: [`${minted.hash}0`],
    paid: paid!.hash,
    asked: {
      url: `${url}/v2/api?chainid=${CHAIN_ID}`,
      otherChain: `${url}/v2/api?chainid=1`,
      address: wallet.address,
      nobody: NOBODY,
      coin: coin.target,
      picture: picture.target,
      transaction: moved.hash as string,
      topic: TRANSFER,
      timestamp,
    },
  };
}

interface Status {
  readonly number?: number;
  readonly block?: number;
}

const run = promisify(execFile);

const LIBRARIES: readonly { name: string; command: (directory: string, json: string) => [string, string[]] }[] = [
  { name: "nanmu42/etherscan-api (Go)", command: (directory, json) => [join(directory, "go/client"), [json]] },
  {
    name: "etherscan-api (npm)",
    command: (directory, json) => [process.execPath, [join(DRIVERS, "client.cjs"), directory, json]],
  },
  {
    name: "etherscan-python (PyPI)",
    command: (directory, json) => [join(directory, "venv/bin/python"), [join(DRIVERS, "sync.py"), json]],
  },
  {
    name: "aioetherscan (PyPI)",
    command: (directory, json) => [join(directory, "venv/bin/python"), [join(DRIVERS, "async.py"), json]],
  },
];

describe("clients of Etherscan", { skip: DIRECTORY === undefined ? REASON : false }, async () => {
  const subject = DIRECTORY === undefined ? undefined : await openSubject();

  for (const { name, command } of LIBRARIES) {
    test(`${name} understands what is answered`, async () => {
      const { height, asked, balance, transactions, coins, pictures } = subject!;
      const [file, values] = command(resolve(DIRECTORY!), JSON.stringify(asked));
      assert.ok(existsSync(file), `${file} is not installed: ${REASON}`);

      const reported = JSON.parse((await run(file, values)).stdout) as Reported;

      const expected: Reported = {
        balance,
        balances: 2,
        transactions,
        noTransactions: /error: (etherscan server: )?No transactions found$/,
        internal: /error: (etherscan server: )?No transactions found$/,
        noInternal: /error: (etherscan server: )?No transactions found$/,
        coins,
        pictures,
        tokenBalance: "993",
        tokenSupply: "1000",
        blockByTime: 3,
        rewardedBlock: 1,
        logs: 2,
        receiptStatus: 1,
        isError: 0,
        abi: /error: (etherscan server: NOTOK|Contract source code not verified)$/,
        isVerified: false,
        noCreation: /error: No data found$/,
        noBlocks: /error: No transactions found$/,
        price: true,
        gasBlock: height,
        creations: 2,
        proxyGasPrice: true,
        proxyBlock: height,
        proxyCode: true,
        proxyTransaction: asked.transaction,
        otherChain: /^error -32602: Missing or unsupported chainid parameter/,
      };
      for (const [what, answer] of Object.entries(reported)) {
        const wanted = expected[what];
        if (wanted instanceof RegExp) assert.match(String(answer), wanted, what);
        else assert.deepEqual(answer, wanted, what);
      }
      assert.ok(Object.keys(reported).length >= 15, `${Object.keys(reported)}`);
    });

    test(`${name} reads internal transactions`, async () => {
      const { asked, forwarder, paid } = subject!;
      const [file, values] = command(resolve(DIRECTORY!), JSON.stringify({ ...asked, address: forwarder }));

      const { internal } = JSON.parse((await run(file, values)).stdout) as Reported;

      assert.deepEqual(internal, [paid]);
    });
  }
});
