import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import type { Abi, Hex, RpcLog } from "viem";
import {
  BaseError,
  ContractFunctionRevertedError,
  createPublicClient,
  createWalletClient,
  defineChain,
  encodeErrorResult,
  encodeFunctionData,
  formatLog,
  getAddress,
  getContractAddress,
  hashTypedData,
  http,
  InsufficientFundsError,
  IntrinsicGasTooLowError,
  keccak256,
  MethodNotFoundRpcError,
  NonceTooLowError,
  parseAbi,
  parseEther,
  parseEventLogs,
  parseTransaction,
  recoverAddress,
  TransactionReceiptNotFoundError,
  verifyMessage,
  verifyTypedData,
} from "viem";
import type { PrivateKeyAccount } from "viem/accounts";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { contractNamed, creationOf, revertingWith } from "../support/contracts.ts";
import { indexes, KEYS, NETWORKS, startNetworks } from "../support/networks.ts";
import { get } from "../support/program.ts";
import { PERMIT } from "../support/typedData.ts";
import { until } from "../support/waiting.ts";

const { urls } = await startNetworks(after);

const TOKEN = contractNamed("ERC20PresetFixedSupply");
const abi = TOKEN.abi as Abi;
const SUPPLY = parseEther("1000");

/** Nobody has the key of it. */
const KEYLESS = "0x000000000000000000000000000000000000dEaD";

/** A client that signs by itself, and one that lets the node sign for its own accounts. */
function connect(name: string, chainId: number, key: Hex = KEYS[0]) {
  const url = `${urls[name]}/rpc`;
  const currency = { name: "Coin", symbol: "COIN", decimals: 18 };
  const chain = defineChain({ id: chainId, name, nativeCurrency: currency, rpcUrls: { default: { http: [url] } } });
  const transport = http(url, { batch: true, retryCount: 0 });
  const account: PrivateKeyAccount = privateKeyToAccount(key);
  const wallet = createWalletClient({ chain, transport, account });
  const nodeHeld = createWalletClient({ chain, transport, account: privateKeyToAccount(KEYS[1]).address });
  const reader = createPublicClient({ chain, transport, pollingInterval: 50, cacheTime: 0 });
  const deploy = async (bytecode: Hex, deployed: Abi = [], args: readonly unknown[] = []) => {
    const hash = await wallet.deployContract({ abi: deployed, bytecode, args });
    const { contractAddress } = await reader.waitForTransactionReceipt({ hash });
    return contractAddress!;
  };
  return { chain, transport, account, wallet, nodeHeld, reader, deploy };
}

const deployToken = (to: ReturnType<typeof connect>) =>
  to.deploy(TOKEN.bytecode, abi, ["Real Token", "REAL", SUPPLY, to.account.address]);

/** The error of a class that a failure was caused by. */
async function causeOf<T extends BaseError>(call: Promise<unknown>, kind: new (...args: never[]) => T): Promise<T> {
  const error = await call.then(
    () => assert.fail(`expected ${kind.name}`),
    (failure: unknown) => failure,
  );
  assert.ok(error instanceof BaseError, String(error));
  const cause = error.walk((each) => each instanceof kind);
  assert.ok(cause instanceof kind, `no ${kind.name} in: ${error.message}`);
  return cause;
}

for (const { name, chainId } of NETWORKS) {
  describe(`viem on ${name}`, () => {
    test("a token is deployed, called, and sent by a local key and by an account of the node", async () => {
      const client = connect(name, chainId);
      const { reader, wallet, nodeHeld, account } = client;
      const holder = nodeHeld.account.address;

      const token = await deployToken(client);
      const read = (functionName: string, ...args: unknown[]) =>
        reader.readContract({ address: token, abi, functionName, args });
      const { request } = await reader.simulateContract({
        address: token,
        abi,
        functionName: "transfer",
        args: [holder, 300n],
        account,
      });
      const sent = await reader.waitForTransactionReceipt({ hash: await wallet.writeContract(request) });
      const back = await nodeHeld.writeContract({
        address: token,
        abi,
        functionName: "transfer",
        args: [account.address, 100n],
      });
      const returned = await reader.waitForTransactionReceipt({ hash: back });

      const { transactions } = await reader.getBlock({ blockHash: sent.blockHash, includeTransactions: true });
      assert.equal(await reader.getChainId(), chainId);
      assert.deepEqual([sent.status, returned.status], ["success", "success"]);
      assert.equal(returned.from, holder.toLowerCase());
      assert.deepEqual(await Promise.all([read("name"), read("symbol"), read("decimals"), read("totalSupply")]), [
        "Real Token",
        "REAL",
        18,
        SUPPLY,
      ]);
      assert.deepEqual(await Promise.all([read("balanceOf", holder), read("balanceOf", account.address)]), [
        200n,
        SUPPLY - 200n,
      ]);
      const transfers = [sent, returned].flatMap(({ logs }) => parseEventLogs({ abi, logs, eventName: "Transfer" }));
      assert.deepEqual(
        transfers.map((log) => (log as unknown as { args: object }).args),
        [
          { from: account.address, to: holder, value: 300n },
          { from: holder, to: account.address, value: 100n },
        ],
      );
      assert.deepEqual(
        transactions.map(({ hash, from, to, type }) => [hash, from, to, type]),
        [[sent.transactionHash, account.address.toLowerCase(), token.toLowerCase(), "eip1559"]],
      );
    });

    test("an estimate is enough gas and not much more, and fees are what the chain asks", async () => {
      const client = connect(name, chainId);
      const { reader, wallet, account } = client;
      const token = await deployToken(client);
      const call = { address: token, abi, functionName: "transfer", args: [KEYLESS, 1n] } as const;

      const gas = await reader.estimateContractGas({ ...call, account });
      const hash = await wallet.writeContract({ ...call, gas });
      const receipt = await reader.waitForTransactionReceipt({ hash });
      const short = await wallet.writeContract({ ...call, args: [client.wallet.account.address, 1n], gas: 24_000n });
      const failed = await reader.waitForTransactionReceipt({ hash: short });

      assert.equal(receipt.status, "success");
      assert.ok(gas < (receipt.gasUsed * 115n) / 100n, `${gas} for ${receipt.gasUsed}`);
      assert.deepEqual([failed.status, failed.gasUsed], ["reverted", 24_000n]);
      assert.equal(await reader.estimateGas({ account, to: KEYLESS, value: 1n }), 21_000n);
      const { maxFeePerGas, maxPriorityFeePerGas } = await reader.estimateFeesPerGas();
      const { baseFeePerGas } = await reader.getBlock();
      const history = await reader.getFeeHistory({ blockCount: 2, rewardPercentiles: [25, 75] });
      assert.ok(maxFeePerGas >= baseFeePerGas! + maxPriorityFeePerGas);
      assert.deepEqual([history.baseFeePerGas.length, history.gasUsedRatio.length, history.reward!.length], [3, 2, 2]);
      assert.equal(history.baseFeePerGas[1], baseFeePerGas);
      assert.equal(await reader.getBlobBaseFee(), 1n);
      assert.equal(receipt.effectiveGasPrice, (await reader.getTransaction({ hash })).gasPrice);
    });

    test("logs are found by event and filter, and filters tell once what is new", async () => {
      const client = connect(name, chainId);
      const { reader, wallet, account } = client;
      const token = await deployToken(client);
      const event = parseAbi(["event Transfer(address indexed from, address indexed to, uint256 value)"])[0];
      const fromBlock = await reader.getBlockNumber();
      const filters = {
        logs: await reader.createEventFilter({ address: token, event, args: { to: KEYLESS }, fromBlock }),
        blocks: await reader.createBlockFilter(),
        pending: await reader.createPendingTransactionFilter(),
      };

      const hashes: Hex[] = [];
      for (const [to, value] of [
        [KEYLESS, 1n],
        [account.address, 2n],
        [KEYLESS, 3n],
      ] as const) {
        hashes.push(await wallet.writeContract({ address: token, abi, functionName: "transfer", args: [to, value] }));
      }
      const receipts = await Promise.all(hashes.map((hash) => reader.waitForTransactionReceipt({ hash })));

      const logs = await reader.getLogs({ address: token, event, args: { to: KEYLESS }, fromBlock, toBlock: "latest" });
      assert.deepEqual(
        logs.map(({ args, transactionHash }) => [args.value, transactionHash]),
        [
          [1n, hashes[0]],
          [3n, hashes[2]],
        ],
      );
      assert.deepEqual(await reader.getFilterChanges({ filter: filters.logs }), logs);
      assert.deepEqual(await reader.getFilterChanges({ filter: filters.logs }), []);
      assert.deepEqual(await reader.getFilterLogs({ filter: filters.logs }), logs);
      assert.deepEqual(
        await reader.getFilterChanges({ filter: filters.blocks }),
        receipts.map(({ blockHash }) => blockHash),
      );
      assert.deepEqual(await reader.getFilterChanges({ filter: filters.pending }), hashes);
      for (const filter of Object.values(filters)) {
        assert.equal(await reader.uninstallFilter({ filter: filter as typeof filters.logs }), true);
        assert.equal(await reader.uninstallFilter({ filter: filter as typeof filters.logs }), false);
      }
      const raw = (await reader.request({
        method: "eth_getLogs",
        params: [{ address: token, blockHash: receipts[2]!.blockHash }],
      })) as RpcLog[];
      assert.deepEqual(
        raw.map((log) => formatLog(log)),
        receipts[2]!.logs,
      );
    });

    test("events and blocks that are watched come as they happen", async (t) => {
      const client = connect(name, chainId);
      const { reader, wallet } = client;
      const token = await deployToken(client);
      const [seen, numbers]: [bigint[], bigint[]] = [[], []];
      const before = await reader.getBlockNumber();
      t.after(
        reader.watchContractEvent({
          address: token,
          abi,
          eventName: "Transfer",
          onLogs: (logs) => seen.push(...logs.map((log) => (log as unknown as { args: { value: bigint } }).args.value)),
        }),
      );
      t.after(reader.watchBlockNumber({ onBlockNumber: (number) => number > before && numbers.push(number) }));

      await until("both are seen", async () => {
        // Transactions from before the filter was created are not reported.
        await wallet.writeContract({ address: token, abi, functionName: "transfer", args: [KEYLESS, 42n] });
        return seen.length > 0 && numbers.length > 0;
      });

      assert.equal(seen[0], 42n);
      assert.ok(numbers[0]! > before);
    });

    test("reverts are decoded: a require's message, a panic and a custom error", async () => {
      const client = connect(name, chainId);
      const { reader, wallet, account } = client;
      const token = await deployToken(client);
      const errors = parseAbi(["error Forbidden(address who, uint256 level)", "function enter()"]);
      const data = encodeErrorResult({ abi: errors, errorName: "Forbidden", args: [account.address, 7n] });
      const door = await client.deploy(revertingWith(data));
      const max = 2n ** 256n - 1n;
      await wallet.writeContract({ address: token, abi, functionName: "approve", args: [KEYLESS, max] });

      const required = await causeOf(
        reader.simulateContract({ address: token, abi, functionName: "transfer", args: [KEYLESS, max], account }),
        ContractFunctionRevertedError,
      );
      const panic = await causeOf(
        reader.simulateContract({
          address: token,
          abi,
          functionName: "increaseAllowance",
          args: [KEYLESS, 1n],
          account,
        }),
        ContractFunctionRevertedError,
      );
      const custom = await causeOf(
        wallet.writeContract({ address: door, abi: errors, functionName: "enter" }),
        ContractFunctionRevertedError,
      );
      const read = await causeOf(
        reader.readContract({ address: door, abi: errors, functionName: "enter" } as never),
        ContractFunctionRevertedError,
      );

      assert.equal(required.reason, "ERC20: transfer amount exceeds balance");
      assert.match(panic.reason!, /overflow/);
      for (const error of [custom, read]) {
        assert.deepEqual([error.data?.errorName, error.data?.args], ["Forbidden", [account.address, 7n]]);
      }
      const hash = await wallet.sendTransaction({ to: door, gas: 60_000n });
      assert.equal((await reader.waitForTransactionReceipt({ hash })).status, "reverted");
    });

    test("transactions sent at once get nonces that follow one another and are all mined", async () => {
      const { reader, wallet, account } = connect(name, chainId);
      const first = await reader.getTransactionCount({ address: account.address });

      const sent = await Promise.all(
        Array.from({ length: 8 }, (_, index) =>
          wallet.sendTransaction({ to: KEYLESS, value: 1n, nonce: first + 7 - index }),
        ),
      );
      const receipts = await Promise.all(sent.map((hash) => reader.waitForTransactionReceipt({ hash })));

      assert.ok(receipts.every(({ status }) => status === "success"));
      assert.equal(await reader.getTransactionCount({ address: account.address }), first + 8);
      const nonces = await Promise.all(sent.map(async (hash) => (await reader.getTransaction({ hash })).nonce));
      assert.deepEqual(
        nonces,
        [7, 6, 5, 4, 3, 2, 1, 0].map((index) => first + index),
      );
    });

    test("the node fills in what a transaction lacks", async () => {
      const { reader, account } = connect(name, chainId);
      const nonce = await reader.getTransactionCount({ address: account.address });

      const { transaction, raw } = await reader.fillTransaction({ account, to: KEYLESS, value: 5n });

      assert.deepEqual([transaction.nonce, transaction.gas, transaction.type], [nonce, 21_000n, "eip1559"]);
      assert.equal(transaction.chainId, chainId);
      assert.deepEqual(parseTransaction(raw).value, 5n);
    });

    test("an account of the node sends several at once, and the node finds a nonce for each", async () => {
      const { chain, reader, nodeHeld } = connect(name, chainId);
      const alone = http(chain.rpcUrls.default.http[0], { retryCount: 0 });
      const wallet = createWalletClient({ chain, transport: alone, account: nodeHeld.account });
      const first = await reader.getTransactionCount({ address: nodeHeld.account.address });

      const sent = await Promise.all(
        Array.from({ length: 8 }, (_, index) => wallet.sendTransaction({ to: KEYLESS, value: BigInt(index) })),
      );

      assert.equal(new Set(sent).size, 8);
      await Promise.all(sent.map((hash) => reader.waitForTransactionReceipt({ hash })));
      assert.equal(await reader.getTransactionCount({ address: nodeHeld.account.address }), first + 8);
    });

    test("what is refused raises viem's own errors", async () => {
      const { chain, transport, reader, wallet, account } = connect(name, chainId);
      const poor = createWalletClient({ chain, transport, account: privateKeyToAccount(generatePrivateKey()) });
      const fees = { maxFeePerGas: 10n ** 10n, maxPriorityFeePerGas: 1n } as const;
      const nonce = await reader.getTransactionCount({ address: account.address });
      await wallet.sendTransaction({ to: KEYLESS, nonce });
      const ahead = { to: KEYLESS, nonce: nonce + 5, gas: 21_000n, ...fees } as const;
      await wallet.sendTransaction(ahead);

      await causeOf(wallet.sendTransaction({ to: KEYLESS, nonce }), NonceTooLowError);
      await causeOf(wallet.sendTransaction(ahead), NonceTooLowError);
      await causeOf(poor.sendTransaction({ to: KEYLESS, value: 1n, gas: 21_000n }), InsufficientFundsError);
      await causeOf(reader.estimateGas({ account: poor.account, to: KEYLESS, value: 1n }), InsufficientFundsError);
      await causeOf(wallet.sendTransaction({ to: KEYLESS, gas: 20_000n }), IntrinsicGasTooLowError);
      await assert.rejects(wallet.sendTransaction({ ...ahead, value: 1n }), /replacement transaction underpriced/);
      await assert.rejects(reader.getTransactionReceipt({ hash: keccak256("0x01") }), TransactionReceiptNotFoundError);
      await causeOf(reader.request({ method: "eth_getWork" } as never), MethodNotFoundRpcError);
      const bid = await wallet.sendTransaction({
        ...ahead,
        value: 1n,
        maxFeePerGas: 10n ** 11n,
        maxPriorityFeePerGas: 2n,
      });
      for (const gap of [1, 2, 3, 4]) await wallet.sendTransaction({ to: KEYLESS, nonce: nonce + gap });
      assert.equal((await reader.waitForTransactionReceipt({ hash: bid })).status, "success");
    });

    test("the node signs messages and typed data so that viem verifies them", async () => {
      const { nodeHeld, wallet } = connect(name, chainId);
      const { address } = nodeHeld.account;
      const typed = PERMIT(chainId);

      const message = await nodeHeld.signMessage({ message: "grüß Gott" });
      const bytes = await nodeHeld.signMessage({ message: { raw: "0x00ff" } });
      const signature = await nodeHeld.signTypedData(typed);

      assert.ok(await verifyMessage({ address, message: "grüß Gott", signature: message }));
      assert.ok(await verifyMessage({ address, message: { raw: "0x00ff" }, signature: bytes }));
      assert.ok(await verifyTypedData({ ...typed, address, signature }));
      assert.equal(await recoverAddress({ hash: hashTypedData(typed), signature }), address);
      assert.equal(signature, await privateKeyToAccount(KEYS[1]).signTypedData(typed));
      assert.ok((await nodeHeld.getAddresses()).includes(wallet.account.address));
    });

    test("an account delegates its code with an authorization (EIP-7702) and takes it back", async () => {
      const client = connect(name, chainId);
      const { chain, transport, reader, wallet } = client;
      const eoa = createWalletClient({ chain, transport, account: privateKeyToAccount(generatePrivateKey()) });
      // Answers the word 42 to every call.
      const answering = await client.deploy(creationOf("0x602a5f5260205ff3"));

      const authorization = await eoa.signAuthorization({ contractAddress: answering });
      const hash = await wallet.sendTransaction({ authorizationList: [authorization], to: eoa.account.address });
      const receipt = await reader.waitForTransactionReceipt({ hash });

      assert.deepEqual([receipt.status, receipt.type], ["success", "eip7702"]);
      assert.equal(await reader.getDelegation({ address: eoa.account.address }), getAddress(answering));
      assert.equal(BigInt((await reader.call({ to: eoa.account.address })).data!), 42n);
      const { authorizationList } = await reader.getTransaction({ hash });
      assert.deepEqual(
        authorizationList?.map(({ address, chainId: of, nonce }) => [address, of, nonce]),
        [[answering.toLowerCase(), chainId, 0]],
      );
      const none = await eoa.signAuthorization({ contractAddress: `0x${"0".repeat(40)}` });
      await reader.waitForTransactionReceipt({
        hash: await wallet.sendTransaction({ authorizationList: [none], to: KEYLESS }),
      });
      assert.equal(await reader.getCode({ address: eoa.account.address }), undefined);
    });

    test("an account of the node deploys, sends access lists and takes authorizations along", async () => {
      const { chain, transport, reader, nodeHeld } = connect(name, chainId);
      const eoa = createWalletClient({ chain, transport, account: privateKeyToAccount(generatePrivateKey()) });
      const accessList = [{ address: KEYLESS, storageKeys: [keccak256("0x01")] }] as const;
      const mined = async (hash: Hex) => await reader.waitForTransactionReceipt({ hash });

      const deployed = await mined(
        await nodeHeld.deployContract({ abi: [], bytecode: creationOf("0x602a5f5260205ff3") }),
      );
      const authorization = await eoa.signAuthorization({ contractAddress: deployed.contractAddress! });
      const receipts = [
        await mined(await nodeHeld.sendTransaction({ to: KEYLESS, gasPrice: await reader.getGasPrice(), accessList })),
        await mined(await nodeHeld.sendTransaction({ to: KEYLESS, accessList })),
        await mined(await nodeHeld.sendTransaction({ to: KEYLESS, authorizationList: [authorization] })),
      ];

      assert.deepEqual(
        receipts.map(({ type, from }) => [type, from]),
        ["eip2930", "eip1559", "eip7702"].map((type) => [type, nodeHeld.account.address.toLowerCase()]),
      );
      assert.equal(BigInt((await reader.call({ to: eoa.account.address })).data!), 42n);
    });

    test("access lists are made, and sent in transactions of type 1 and 2", async () => {
      const client = connect(name, chainId);
      const { reader, wallet, account } = client;
      const token = await deployToken(client);
      const data = encodeFunctionData({ abi, functionName: "transfer", args: [KEYLESS, 5n] });

      const { accessList, gasUsed } = await reader.createAccessList({ account, to: token, data });
      const gasPrice = await reader.getGasPrice();
      const hashes = [
        await wallet.sendTransaction({ to: token, data, accessList, gasPrice, type: "eip2930" }),
        await wallet.sendTransaction({ to: token, data, accessList }),
        await wallet.sendTransaction({ to: token, data, gasPrice, type: "legacy" }),
      ];
      const transactions = await Promise.all(hashes.map((hash) => reader.getTransaction({ hash })));
      const receipts = await Promise.all(hashes.map((hash) => reader.waitForTransactionReceipt({ hash })));

      assert.deepEqual(
        accessList.map(({ address }) => address),
        [token.toLowerCase()],
      );
      assert.equal(accessList[0]!.storageKeys.length, 2);
      assert.equal(gasUsed, receipts[0]!.gasUsed);
      assert.deepEqual(
        transactions.map(({ type }) => type),
        ["eip2930", "eip1559", "legacy"],
      );
      assert.deepEqual(
        receipts.map(({ status, type }) => [status, type]),
        [
          ["success", "eip2930"],
          ["success", "eip1559"],
          ["success", "legacy"],
        ],
      );
      for (const transaction of transactions.slice(0, 2)) assert.deepEqual(transaction.accessList, accessList);
    });

    test("a proof has the account and the slots that the state has", async () => {
      const client = connect(name, chainId);
      const { reader, account } = client;
      const token = await deployToken(client);
      const slot = `0x${"2".padStart(64, "0")}` as const;

      const proof = await reader.getProof({ address: token, storageKeys: [slot] });
      const { stateRoot } = await reader.getBlock();

      assert.equal(keccak256(proof.accountProof[0]!), stateRoot);
      assert.equal(proof.codeHash, keccak256((await reader.getCode({ address: token }))!));
      assert.equal(keccak256(proof.storageProof[0]!.proof[0]!), proof.storageHash);
      assert.equal(proof.storageProof[0]!.value, SUPPLY);
      assert.equal(BigInt((await reader.getStorageAt({ address: token, slot }))!), SUPPLY);
      const nonce = (await reader.getTransactionCount({ address: account.address })) - 1;
      assert.equal(getContractAddress({ from: account.address, nonce: BigInt(nonce) }), getAddress(token));
    });

    test("calls and estimates see changes to the state that hold for them alone", async () => {
      const client = connect(name, chainId);
      const { reader } = client;
      const token = await deployToken(client);
      const poor = privateKeyToAccount(generatePrivateKey()).address;
      const supplySlot = { slot: `0x${"2".padStart(64, "0")}`, value: `0x${"9".padStart(64, "0")}` } as const;
      const read = { address: token, abi, functionName: "totalSupply" } as const;

      const gas = await reader.estimateGas({
        account: poor,
        to: KEYLESS,
        value: 1n,
        stateOverride: [{ address: poor, balance: parseEther("1") }],
      });
      const changed = await reader.readContract({
        ...read,
        stateOverride: [{ address: token, stateDiff: [supplySlot] }],
      });

      assert.deepEqual([gas, changed, await reader.readContract(read)], [21_000n, 9n, SUPPLY]);
    });

    test("a receipt comes with the answer where the client asks for both at once", async () => {
      const { wallet, reader } = connect(name, chainId);

      const receipt = await wallet.sendTransactionSync({ to: KEYLESS, value: 1n });

      assert.equal(receipt.status, "success");
      assert.deepEqual(await reader.getTransactionReceipt({ hash: receipt.transactionHash }), receipt);
    });

    test("the explorer shows the token and the transaction", async () => {
      const client = connect(name, chainId);
      const { reader, wallet, account } = client;
      const token = await deployToken(client);
      const hash = await wallet.writeContract({ address: token, abi, functionName: "transfer", args: [KEYLESS, 77n] });
      const { blockNumber, gasUsed } = await reader.waitForTransactionReceipt({ hash });
      await indexes(urls[name]!, Number(blockNumber));

      const sent = await get(`${urls[name]}/api/v2/transactions/${hash}`);
      const shown = await get(`${urls[name]}/api/v2/tokens/${token}`);

      assert.deepEqual([sent.status, sent.body.status, sent.body.gas_used], [200, "ok", String(gasUsed)]);
      assert.equal((sent.body.from as { hash: string }).hash, account.address);
      assert.equal(shown.status, 200);
      assert.deepEqual([shown.body.type, shown.body.holders], ["ERC-20", "2"]);
    });
  });
}
