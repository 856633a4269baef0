import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import type { ErrorCode, EventLog, TransactionResponse } from "ethers";
import {
  Contract,
  ContractFactory,
  FetchRequest,
  getAddress,
  hexlify,
  Interface,
  isError,
  JsonRpcProvider,
  parseEther,
  verifyMessage,
  verifyTypedData,
  Wallet,
} from "ethers";
import { contractNamed, creationOf, revertingWith } from "../support/contracts.ts";
import { indexes, KEYS, NETWORKS, startNetworks } from "../support/networks.ts";
import { get } from "../support/program.ts";
import { PERMIT } from "../support/typedData.ts";
import { until } from "../support/waiting.ts";

const { urls } = await startNetworks(after);

const TOKEN = contractNamed("ERC20PresetFixedSupply");
const SUPPLY = parseEther("1000");

/** Nobody has the key of it. */
const KEYLESS = "0x000000000000000000000000000000000000dEaD";

/** A provider that asks anew each time, as the chain moves with every transaction. */
function connect(name: string, options: object = {}) {
  const provider = new JsonRpcProvider(`${urls[name]}/rpc`, undefined, {
    cacheTimeout: -1,
    pollingInterval: 50,
    ...options,
  });
  after(() => provider.destroy());
  return { provider, wallet: new Wallet(KEYS[0], provider) };
}

async function deployToken(wallet: Wallet): Promise<Contract> {
  const factory = new ContractFactory(TOKEN.abi, TOKEN.bytecode, wallet);
  const token = await factory.deploy("Real Token", "REAL", SUPPLY, wallet.address);
  await token.waitForDeployment();
  return token as Contract;
}

async function deployCode(wallet: Wallet, bytecode: string): Promise<string> {
  const sent = await wallet.sendTransaction({ data: bytecode });
  return (await sent.wait())!.contractAddress!;
}

/** The failure of a call, which must have ethers' own code. */
async function failure<K extends ErrorCode>(call: Promise<unknown>, code: K) {
  const error: unknown = await call.then(
    () => assert.fail(`expected ${code}`),
    (refused: unknown) => refused,
  );
  assert.ok(isError(error, code), `expected ${code}: ${error}`);
  return error;
}

for (const { name, chainId } of NETWORKS) {
  describe(`ethers on ${name}`, () => {
    test("a token is deployed, called, and sent by a local key and by an account of the node", async () => {
      const { provider, wallet } = connect(name);
      const nodeHeld = await provider.getSigner(1);

      const token = await deployToken(wallet);
      const address = await token.getAddress();
      const sent = (await token.getFunction("transfer")(nodeHeld.address, 300n)) as TransactionResponse;
      const receipt = (await sent.wait())!;
      const back = (await (token.connect(nodeHeld) as Contract).getFunction("transfer")(
        wallet.address,
        100n,
      )) as TransactionResponse;
      const returned = (await back.wait())!;

      assert.equal((await provider.getNetwork()).chainId, BigInt(chainId));
      assert.deepEqual([receipt.status, returned.status, returned.from], [1, 1, nodeHeld.address]);
      const names = ["name", "symbol", "decimals", "totalSupply"];
      assert.deepEqual(await Promise.all(names.map((field) => token.getFunction(field)())), [
        "Real Token",
        "REAL",
        18n,
        SUPPLY,
      ]);
      assert.equal(await token.getFunction("balanceOf")(nodeHeld.address), 200n);
      const [log] = receipt.logs as EventLog[];
      assert.deepEqual([...log!.args], [wallet.address, nodeHeld.address, 300n]);
      const block = (await provider.getBlock(receipt.blockNumber, true))!;
      assert.equal(block.hash, receipt.blockHash);
      assert.deepEqual(
        block.prefetchedTransactions.map(({ hash, from, to, nonce }) => [hash, from, to, nonce]),
        [[sent.hash, wallet.address, address, sent.nonce]],
      );
      assert.equal(await sent.confirmations(), 2);
      assert.equal(receipt.fee, receipt.gasUsed * receipt.gasPrice);
    });

    test("an estimate is enough gas and not much more, and fees are what the chain asks", async () => {
      const { provider, wallet } = connect(name);
      const token = await deployToken(wallet);
      const transfer = token.getFunction("transfer");

      const gasLimit = await transfer.estimateGas(KEYLESS, 1n);
      const receipt = (await ((await transfer(KEYLESS, 1n, { gasLimit })) as TransactionResponse).wait())!;
      const fees = await provider.getFeeData();
      const block = (await provider.getBlock("latest"))!;

      assert.ok(gasLimit < (receipt.gasUsed * 115n) / 100n, `${gasLimit} for ${receipt.gasUsed}`);
      assert.equal(await provider.estimateGas({ from: wallet.address, to: KEYLESS, value: 1n }), 21_000n);
      assert.equal(fees.maxFeePerGas, 2n * block.baseFeePerGas! + fees.maxPriorityFeePerGas!);
      assert.ok(fees.gasPrice! >= block.baseFeePerGas!);
      assert.equal(await provider.send("eth_blobBaseFee", []), "0x1");
    });

    test("logs are found by event and filter, and filters tell once what is new", async () => {
      const { provider, wallet } = connect(name);
      const token = await deployToken(wallet);
      const address = await token.getAddress();
      const fromBlock = await provider.getBlockNumber();
      const toKeyless = token.filters.Transfer!(null, KEYLESS);
      const topics = (await toKeyless.getTopicFilter()) as string[];
      const id = await provider.send("eth_newFilter", [{ address, topics }]);
      const blocks = await provider.send("eth_newBlockFilter", []);
      const pending = await provider.send("eth_newPendingTransactionFilter", []);

      const sent: TransactionResponse[] = [];
      for (const [to, value] of [
        [KEYLESS, 1n],
        [wallet.address, 2n],
        [KEYLESS, 3n],
      ]) {
        sent.push(await token.getFunction("transfer")(to, value));
        await sent.at(-1)!.wait();
      }

      const events = (await token.queryFilter(toKeyless, fromBlock)) as EventLog[];
      assert.deepEqual(
        events.map((event) => [event.args.value, event.transactionHash]),
        [
          [1n, sent[0]!.hash],
          [3n, sent[2]!.hash],
        ],
      );
      const changes = (await provider.send("eth_getFilterChanges", [id])) as { transactionHash: string }[];
      assert.deepEqual(
        changes.map(({ transactionHash }) => transactionHash),
        [sent[0]!.hash, sent[2]!.hash],
      );
      assert.deepEqual(await provider.send("eth_getFilterChanges", [id]), []);
      const mined = await Promise.all(
        sent.map(async ({ hash }) => (await provider.getTransactionReceipt(hash))!.blockHash),
      );
      assert.deepEqual(await provider.send("eth_getFilterChanges", [blocks]), mined);
      assert.deepEqual(
        await provider.send("eth_getFilterChanges", [pending]),
        sent.map(({ hash }) => hash),
      );
      for (const filter of [id, blocks, pending]) {
        assert.equal(await provider.send("eth_uninstallFilter", [filter]), true);
        await assert.rejects(provider.send("eth_getFilterChanges", [filter]), /filter not found/);
      }
    });

    test("events, blocks and waiting transactions that are listened to come as they happen", async () => {
      const { provider, wallet } = connect(name);
      const token = await deployToken(wallet);
      const before = await provider.getBlockNumber();
      const [numbers, waiting, received]: [number[], string[], bigint[]] = [[], [], []];
      await provider.on("block", (number) => number > before && numbers.push(number));
      await provider.on("pending", (hash) => waiting.push(hash));
      await token.on("Transfer", (_from, _to, value) => received.push(value));

      const sent: string[] = [];
      await until("all are heard of", async () => {
        // Transactions from before the filter was created are not reported.
        const { hash } = (await token.getFunction("transfer")(KEYLESS, 42n)) as TransactionResponse;
        sent.push(hash);
        return [numbers, waiting, received].every((list) => list.length > 0);
      });

      assert.equal(received[0], 42n);
      assert.ok(numbers[0]! > before);
      assert.ok(sent.includes(waiting[0]!));
      await Promise.all([provider.removeAllListeners(), token.removeAllListeners()]);
      // It gives its filters back without being waited for.
      await delay(200);
    });

    test("reverts are decoded: a require's message, a panic and a custom error", async () => {
      const { wallet } = connect(name);
      const token = await deployToken(wallet);
      const errors = new Interface(["error Forbidden(address who, uint256 level)", "function enter()"]);
      const data = errors.encodeErrorResult("Forbidden", [wallet.address, 7n]);
      const door = new Contract(await deployCode(wallet, revertingWith(data as `0x${string}`)), errors, wallet);
      const max = 2n ** 256n - 1n;
      await ((await token.getFunction("approve")(KEYLESS, max)) as TransactionResponse).wait();

      const required = await failure(token.getFunction("transfer")(KEYLESS, max), "CALL_EXCEPTION");
      const panic = await failure(token.getFunction("increaseAllowance").staticCall(KEYLESS, 1n), "CALL_EXCEPTION");
      const custom = await failure(door.getFunction("enter").staticCall(), "CALL_EXCEPTION");
      const sent = await wallet.sendTransaction({ to: door.target, gasLimit: 60_000n });
      const mined = await failure(sent.wait(), "CALL_EXCEPTION");

      assert.deepEqual([required.reason, required.action], ["ERC20: transfer amount exceeds balance", "estimateGas"]);
      assert.deepEqual([panic.revert?.name, [...panic.revert!.args]], ["Panic", [0x11]]);
      assert.deepEqual([custom.revert?.name, [...custom.revert!.args]], ["Forbidden", [wallet.address, 7n]]);
      assert.deepEqual([mined.receipt?.status, mined.receipt?.hash], [0, sent.hash]);
    });

    test("transactions sent at once get nonces that follow one another and are all mined", async () => {
      const { provider, wallet } = connect(name);
      const first = await wallet.getNonce();

      const sent = await Promise.all(
        Array.from({ length: 8 }, (_, index) =>
          wallet.sendTransaction({ to: KEYLESS, value: 1n, nonce: first + 7 - index, gasLimit: 21_000n }),
        ),
      );
      const receipts = await Promise.all(sent.map((each) => each.wait()));

      assert.ok(receipts.every((receipt) => receipt!.status === 1));
      assert.equal(await provider.getTransactionCount(wallet.address), first + 8);
    });

    test("what is refused raises ethers' own codes", async () => {
      const { provider, wallet } = connect(name);
      const poor = new Wallet(Wallet.createRandom().privateKey, provider);
      const nonce = await wallet.getNonce();
      const fees = { maxFeePerGas: 10n ** 10n, maxPriorityFeePerGas: 1n };
      await (await wallet.sendTransaction({ to: KEYLESS, nonce })).wait();
      const ahead = { to: KEYLESS, nonce: nonce + 2, gasLimit: 21_000n, ...fees };
      await wallet.sendTransaction(ahead);

      await failure(wallet.sendTransaction({ to: KEYLESS, nonce, gasLimit: 21_000n }), "NONCE_EXPIRED");
      await failure(poor.sendTransaction({ to: KEYLESS, value: 1n, gasLimit: 21_000n }), "INSUFFICIENT_FUNDS");
      await failure(poor.sendTransaction({ to: KEYLESS, value: 1n }), "INSUFFICIENT_FUNDS");
      await failure(wallet.sendTransaction({ ...ahead, value: 1n }), "REPLACEMENT_UNDERPRICED");
      await failure(provider.send("eth_getWork", []), "UNSUPPORTED_OPERATION");
      await (await wallet.sendTransaction({ to: KEYLESS, nonce: nonce + 1 })).wait();
      assert.equal(await wallet.getNonce(), nonce + 3);
    });

    test("a replaced transaction is reported as replaced", async () => {
      const { provider, wallet } = connect(name);
      const nonce = (await wallet.getNonce()) + 1;
      const fields = { to: KEYLESS, nonce, gasLimit: 21_000n, maxPriorityFeePerGas: 10n ** 9n };
      const first = await wallet.sendTransaction({ ...fields, maxFeePerGas: 10n ** 10n });
      const replaced = failure(first.wait(), "TRANSACTION_REPLACED");

      const second = await wallet.sendTransaction({
        ...fields,
        maxFeePerGas: 10n ** 11n,
        maxPriorityFeePerGas: 10n ** 10n,
      });
      await wallet.sendTransaction({ to: KEYLESS, nonce: nonce - 1 });

      const { replacement, reason } = await replaced;
      assert.deepEqual([replacement.hash, reason], [second.hash, "repriced"]);
      assert.equal(await provider.getTransaction(first.hash), null);
    });

    test("the node signs messages and typed data so that ethers verifies them", async () => {
      const { provider } = connect(name);
      const signer = await provider.getSigner(1);
      const { domain, types, message } = PERMIT(chainId);
      const fields = types as unknown as Record<string, { name: string; type: string }[]>;

      const text = await signer.signMessage("grüß Gott");
      const signature = await signer.signTypedData(domain, fields, message);

      assert.equal(verifyMessage("grüß Gott", text), signer.address);
      assert.equal(verifyTypedData(domain, fields, message, signature), signer.address);
      assert.equal(signature, await new Wallet(KEYS[1]).signTypedData(domain, fields, message));
    });

    test("an account delegates its code with an authorization (EIP-7702)", async () => {
      const { provider, wallet } = connect(name);
      const eoa = new Wallet(Wallet.createRandom().privateKey, provider);
      // Answers the word 42 to every call.
      const answering = await deployCode(wallet, creationOf("0x602a5f5260205ff3"));

      const authorization = await eoa.authorize({ address: answering });
      const sent = await wallet.sendTransaction({ type: 4, authorizationList: [authorization], to: eoa.address });
      const receipt = (await sent.wait())!;

      assert.deepEqual([receipt.status, receipt.type], [1, 4]);
      assert.equal(await provider.getCode(eoa.address), `0xef0100${answering.slice(2).toLowerCase()}`);
      assert.equal(BigInt(await provider.call({ to: eoa.address })), 42n);
      const [given] = (await provider.getTransaction(sent.hash))!.authorizationList!;
      assert.deepEqual([given!.address, given!.chainId, given!.nonce], [getAddress(answering), BigInt(chainId), 0n]);
      assert.deepEqual(given!.signature.serialized, authorization.signature.serialized);
    });

    test("transactions of types 0, 1 and 2 are sent and read back", async () => {
      const { provider, wallet } = connect(name);
      const { gasPrice } = await provider.getFeeData();
      const accessList = [{ address: KEYLESS, storageKeys: [hexlify(new Uint8Array(32).fill(1))] }];

      const sent = [
        await wallet.sendTransaction({ to: KEYLESS, type: 0, gasPrice: gasPrice! }),
        await wallet.sendTransaction({ to: KEYLESS, type: 1, gasPrice: gasPrice!, accessList }),
        await wallet.sendTransaction({ to: KEYLESS, accessList }),
      ];
      const read = await Promise.all(sent.map(async ({ hash }) => (await provider.getTransaction(hash))!));

      assert.deepEqual(
        read.map(({ type }) => type),
        [0, 1, 2],
      );
      for (const [index, transaction] of read.entries()) {
        assert.deepEqual(transaction.signature.serialized, sent[index]!.signature.serialized);
        assert.deepEqual(transaction.accessList, index === 0 ? null : accessList);
      }
    });

    test("calls that are made at the same time go in one batch, and each gets its own answer", async () => {
      const bodies: number[] = [];
      const request = new FetchRequest(`${urls[name]}/rpc`);
      request.processFunc = async (_, response) => {
        bodies.push((JSON.parse(response.bodyText) as unknown[]).length);
        return response;
      };
      const provider = new JsonRpcProvider(request, chainId, { staticNetwork: true, cacheTimeout: -1 });
      after(() => provider.destroy());

      const answers = await Promise.all([
        provider.getBalance(KEYLESS),
        provider.getTransactionCount(KEYLESS),
        provider.getCode(KEYLESS),
        provider.send("eth_getWork", []).catch((error: unknown) => isError(error, "UNSUPPORTED_OPERATION")),
        provider.send("net_version", []),
      ]);

      assert.deepEqual(bodies, [5]);
      assert.deepEqual(answers.slice(1), [0, "0x", true, String(chainId)]);
    });

    test("the explorer shows the token and the transaction", async () => {
      const { wallet } = connect(name);
      const token = await deployToken(wallet);
      const sent = (await token.getFunction("transfer")(KEYLESS, 77n)) as TransactionResponse;
      const { blockNumber, gasUsed } = (await sent.wait())!;
      await indexes(urls[name]!, blockNumber);

      const transaction = await get(`${urls[name]}/api/v2/transactions/${sent.hash}`);
      const shown = await get(`${urls[name]}/api/v2/tokens/${await token.getAddress()}`);

      assert.deepEqual([transaction.status, transaction.body.status], [200, "ok"]);
      assert.equal(transaction.body.gas_used, String(gasUsed));
      assert.deepEqual([shown.status, shown.body.type, shown.body.holders], [200, "ERC-20", "2"]);
    });
  });
}
