import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import type { ContractAbi } from "web3";
import {
  ContractExecutionError,
  Eip838ExecutionError,
  eth,
  InvalidResponseError,
  TransactionRevertInstructionError,
  Web3,
} from "web3";
import { contractNamed, revertingWith } from "../support/contracts.ts";
import { indexes, KEYS, NETWORKS, startNetworks } from "../support/networks.ts";
import { get } from "../support/program.ts";
import { PERMIT } from "../support/typedData.ts";

const { urls } = await startNetworks(after);

const TOKEN = contractNamed("ERC20PresetFixedSupply");
const SUPPLY = 1000n * 10n ** 18n;

/** Nobody has the key of it. */
const KEYLESS = "0x000000000000000000000000000000000000dEaD";

/** Signs by itself for the first account; the node signs for the second. */
function connect(name: string) {
  const web3 = new Web3(`${urls[name]}/rpc`);
  web3.eth.transactionPollingInterval = 50;
  web3.eth.transactionConfirmationBlocks = 1;
  const own = web3.eth.accounts.wallet.add(KEYS[0])[0]!.address;
  const nodeHeld = web3.eth.accounts.privateKeyToAccount(KEYS[1]).address;
  const ask = (method: string, ...params: unknown[]) =>
    web3.requestManager.send({ method, params } as never) as Promise<unknown>;
  return { web3, own, nodeHeld, ask };
}

async function deployToken({ web3, own }: ReturnType<typeof connect>) {
  const contract = new web3.eth.Contract(TOKEN.abi as unknown as ContractAbi);
  const deployment = contract.deploy({
    data: TOKEN.bytecode,
    arguments: ["Real Token", "REAL", SUPPLY, own] as never,
  });
  return (await deployment.send({ from: own })) as unknown as typeof contract;
}

type Token = Awaited<ReturnType<typeof deployToken>>;

const call = (token: Token, method: string, ...args: unknown[]) =>
  (token.methods[method] as unknown as (...given: unknown[]) => ReturnType<NonNullable<Token["methods"][string]>>)(
    ...args,
  );

/** Must be an error of this class of web3. */
async function failure(asked: object, kind: abstract new (...args: never[]) => unknown): Promise<Failure> {
  const error: unknown = await Promise.resolve(asked as Promise<unknown>).then(
    () => assert.fail(`expected ${kind.name}`),
    (refused: unknown) => refused,
  );
  assert.ok(error instanceof kind, `expected ${kind.name}: ${error}`);
  return error as Failure;
}

interface Failure {
  readonly message: string;
  readonly cause: Failure | Failure[];
  readonly reason?: string;
  readonly data?: string;
  readonly errorName?: string;
  readonly errorArgs?: Record<string, unknown>;
}

/** The revert reason as decoded by web3. */
async function revertOf(asked: object): Promise<Failure> {
  const { cause } = await failure(asked, ContractExecutionError);
  assert.ok(cause instanceof Eip838ExecutionError, String(cause));
  return cause as unknown as Failure;
}

for (const { name, chainId } of NETWORKS) {
  describe(`web3 on ${name}`, () => {
    test("a token is deployed, called, and sent by a local key and by an account of the node", async () => {
      const client = connect(name);
      const { web3, own, nodeHeld } = client;

      const token = await deployToken(client);
      const sent = await call(token, "transfer", nodeHeld, 300n).send({ from: own });
      const returned = await call(token, "transfer", own, 100n).send({ from: nodeHeld });
      const block = await web3.eth.getBlock(sent.blockHash, true);

      assert.equal(await web3.eth.getChainId(), BigInt(chainId));
      assert.deepEqual([sent.status, returned.status, returned.from], [1n, 1n, nodeHeld.toLowerCase()]);
      const fields = await Promise.all(
        ["name", "symbol", "decimals", "totalSupply"].map((field) => call(token, field).call()),
      );
      assert.deepEqual(fields, ["Real Token", "REAL", 18n, SUPPLY]);
      assert.equal(await call(token, "balanceOf", nodeHeld).call(), 200n);
      const { returnValues } = sent.events!.Transfer!;
      assert.deepEqual([returnValues.from, returnValues.to, returnValues.value], [own, nodeHeld, 300n]);
      assert.deepEqual(
        block.transactions.map((each) => (each as { hash: string }).hash),
        [sent.transactionHash],
      );
    });

    test("an estimate is enough gas and not much more, and fees are what the chain asks", async () => {
      const client = connect(name);
      const { web3, own } = client;
      const token = await deployToken(client);
      const transfer = call(token, "transfer", KEYLESS, 1n);

      const gas = await transfer.estimateGas({ from: own });
      const { gasUsed } = await transfer.send({ from: own, gas: String(gas) });
      const fees = await web3.eth.calculateFeeData();
      const block = await web3.eth.getBlock("latest");
      const history = await web3.eth.getFeeHistory(2, "latest", [50]);

      assert.ok(gas < (gasUsed * 115n) / 100n, `${gas} for ${gasUsed}`);
      assert.equal(await web3.eth.estimateGas({ from: own, to: KEYLESS, value: 1 }), 21_000n);
      assert.ok(BigInt(fees.maxFeePerGas!) >= block.baseFeePerGas! + BigInt(fees.maxPriorityFeePerGas!));
      assert.equal((history as unknown as { baseFeePerGas: bigint[] }).baseFeePerGas[1], block.baseFeePerGas);
    });

    test("logs are found by event and filter, and filters tell once what is new", async () => {
      const client = connect(name);
      const { web3, own, ask } = client;
      const token = await deployToken(client);
      const address = token.options.address!;
      const fromBlock = await web3.eth.getBlockNumber();
      const topics = [
        web3.utils.keccak256("Transfer(address,address,uint256)"),
        null,
        web3.utils.padLeft(KEYLESS, 64).toLowerCase(),
      ];
      const [logs, blocks, pending] = [
        await ask("eth_newFilter", { address, topics }),
        await ask("eth_newBlockFilter"),
        await ask("eth_newPendingTransactionFilter"),
      ];

      const receipts = [];
      for (const [to, value] of [
        [KEYLESS, 1n],
        [own, 2n],
        [KEYLESS, 3n],
      ]) {
        receipts.push(await call(token, "transfer", to, value).send({ from: own }));
      }

      const events = await token.getPastEvents(
        "Transfer" as never,
        { filter: { to: KEYLESS }, fromBlock, toBlock: "latest" } as never,
      );
      const found = events as unknown as { returnValues: { value: bigint }; transactionHash: string }[];
      const expected = [receipts[0]!.transactionHash, receipts[2]!.transactionHash];
      assert.deepEqual(
        found.map(({ returnValues, transactionHash }) => [returnValues.value, transactionHash]),
        [
          [1n, expected[0]],
          [3n, expected[1]],
        ],
      );
      const changes = (await ask("eth_getFilterChanges", logs)) as { transactionHash: string }[];
      assert.deepEqual(
        changes.map(({ transactionHash }) => transactionHash),
        expected,
      );
      assert.deepEqual(await ask("eth_getFilterChanges", logs), []);
      assert.deepEqual(
        await ask("eth_getFilterChanges", blocks),
        receipts.map(({ blockHash }) => blockHash),
      );
      assert.deepEqual(
        await ask("eth_getFilterChanges", pending),
        receipts.map(({ transactionHash }) => transactionHash),
      );
      for (const filter of [logs, blocks, pending]) assert.equal(await ask("eth_uninstallFilter", filter), true);
      const past = await web3.eth.getPastLogs({ address, topics: topics as never, fromBlock, toBlock: "latest" });
      assert.deepEqual(
        past.map((log) => (log as { transactionHash: string }).transactionHash),
        expected,
      );
    });

    test("reverts are decoded: a require's message, a panic and a custom error", async () => {
      const client = connect(name);
      const { web3, own } = client;
      const token = await deployToken(client);
      const max = 2n ** 256n - 1n;
      await call(token, "approve", KEYLESS, max).send({ from: own });
      const inputs = [
        { name: "who", type: "address" },
        { name: "level", type: "uint256" },
      ];
      const abi = [
        { type: "error", name: "Forbidden", inputs },
        { type: "function", name: "enter", inputs: [], outputs: [], stateMutability: "nonpayable" },
      ];
      const selector = web3.utils.keccak256("Forbidden(address,uint256)").slice(0, 10);
      const data = `${selector}${web3.eth.abi.encodeParameters(["address", "uint256"], [own, 7]).slice(2)}` as const;
      const { contractAddress } = await web3.eth.sendTransaction({
        from: own,
        data: revertingWith(data as `0x${string}`),
      });
      const door = new web3.eth.Contract(abi as unknown as ContractAbi, contractAddress) as Token;

      const required = await revertOf(call(token, "transfer", KEYLESS, max).call({ from: own }));
      const panic = await revertOf(call(token, "increaseAllowance", KEYLESS, 1n).call({ from: own }));
      const custom = await revertOf(call(door, "enter").call({ from: own }));
      const sent = await revertOf(call(token, "transfer", KEYLESS, max).send({ from: own }));

      for (const error of [required, sent]) {
        assert.equal(error.message, "execution reverted: ERC20: transfer amount exceeds balance");
      }
      assert.equal(panic.data, `0x4e487b71${"11".padStart(64, "0")}`);
      assert.deepEqual([custom.errorName, custom.errorArgs?.who, custom.errorArgs?.level], ["Forbidden", own, 7n]);
    });

    test("transactions sent at once get nonces that follow one another and are all mined", async () => {
      const { web3, own } = connect(name);
      const first = await web3.eth.getTransactionCount(own);

      const receipts = await Promise.all(
        Array.from({ length: 6 }, (_, index) =>
          web3.eth.sendTransaction({ from: own, to: KEYLESS, value: 1, nonce: first + BigInt(5 - index) }),
        ),
      );

      assert.ok(receipts.every(({ status }) => status === 1n));
      assert.equal(await web3.eth.getTransactionCount(own), first + 6n);
    });

    test("what is refused raises web3's own errors with the node's words", async () => {
      const { web3, own } = connect(name);
      const poor = web3.eth.accounts.wallet.create(1)[1]!.address;
      const nonce = await web3.eth.getTransactionCount(own);
      await web3.eth.sendTransaction({ from: own, to: KEYLESS, nonce });
      const ahead = { to: KEYLESS, nonce: nonce + 2n, gas: 21_000, maxFeePerGas: 10n ** 10n, maxPriorityFeePerGas: 1 };
      const sign = async (fields: object) =>
        (await web3.eth.accounts.signTransaction({ chainId, ...fields } as never, KEYS[0])).rawTransaction;
      const send = async (fields: object) =>
        web3.requestManager.send({ method: "eth_sendRawTransaction", params: [await sign(fields)] } as never);
      await send(ahead);

      for (const [fields, words] of [
        [{ ...ahead, nonce }, /nonce too low/],
        [{ ...ahead, value: 1 }, /replacement transaction underpriced/],
        [ahead, /already known/],
        [{ ...ahead, nonce: nonce + 3n, value: 10n ** 30n }, /insufficient funds/],
      ] as const) {
        const [cause] = [(await failure(send(fields), InvalidResponseError)).cause].flat();
        assert.match(cause!.message, words);
      }
      const poorly = web3.eth.sendTransaction({ from: poor, to: KEYLESS, value: 1, gas: 21_000 });
      assert.match((await failure(poorly, TransactionRevertInstructionError)).reason!, /insufficient funds/);
      await web3.eth.sendTransaction({ from: own, to: KEYLESS, nonce: nonce + 1n });
      assert.equal(await web3.eth.getTransactionCount(own), nonce + 3n);
    });

    test("the node signs messages and typed data so that web3 verifies them", async () => {
      const { web3, nodeHeld } = connect(name);
      const { domain, types, primaryType, message } = PERMIT(chainId);
      const domainFields = ["name", "version", "chainId", "verifyingContract"].map((field) => ({
        name: field,
        type: field === "chainId" ? "uint256" : field === "verifyingContract" ? "address" : "string",
      }));
      const typed = {
        domain,
        types: { EIP712Domain: domainFields, ...types },
        primaryType,
        message: { ...message, value: String(message.value) },
      } as never;

      const signed = (await web3.eth.sign(web3.utils.utf8ToHex("grüß Gott"), nodeHeld)) as string;
      const personal = await web3.eth.personal.sign("grüß Gott", nodeHeld, "");
      const signature = await web3.eth.signTypedData(nodeHeld, typed);

      assert.equal(web3.eth.accounts.recover("grüß Gott", signed), nodeHeld);
      assert.equal(personal, signed);
      const hash = eth.abi.getEncodedEip712Data(typed, true);
      assert.equal(web3.eth.accounts.recover(hash, signature as string, true), nodeHeld);
    });

    test("access lists are made and sent, and transactions of each type are read back", async () => {
      const client = connect(name);
      const { web3, own } = client;
      const token = await deployToken(client);
      const data = call(token, "transfer", KEYLESS, 1n).encodeABI();
      const request = { from: own, to: token.options.address!, data };

      const made = await web3.eth.createAccessList(request);
      const { accessList } = made as unknown as { accessList: { address: string; storageKeys: string[] }[] };
      const gasPrice = await web3.eth.getGasPrice();
      const receipts = [
        await web3.eth.sendTransaction({ ...request, gasPrice, type: 0 }),
        await web3.eth.sendTransaction({ ...request, gasPrice, accessList, type: 1 }),
        await web3.eth.sendTransaction({ ...request, accessList, type: 2 }),
      ];

      assert.deepEqual(
        accessList.map(({ address, storageKeys }) => [address, storageKeys.length]),
        [[token.options.address!.toLowerCase(), 2]],
      );
      assert.deepEqual(
        receipts.map(({ status, type }) => [status, type]),
        [
          [1n, 0n],
          [1n, 1n],
          [1n, 2n],
        ],
      );
      const read = await web3.eth.getTransaction(receipts[1]!.transactionHash);
      assert.deepEqual((read as { accessList?: unknown }).accessList, accessList);
    });

    test("a proof, storage and code are what the chain has", async () => {
      const client = connect(name);
      const { web3 } = client;
      const token = await deployToken(client);
      const address = token.options.address!;

      const proof = await web3.eth.getProof(address, [`0x${"2".padStart(64, "0")}`]);
      const { stateRoot } = await web3.eth.getBlock("latest");

      const proven = proof as unknown as {
        accountProof: string[];
        codeHash: string;
        storageProof: { value: bigint }[];
      };
      assert.equal(web3.utils.keccak256(proven.accountProof[0]!), stateRoot);
      assert.equal(web3.utils.keccak256(await web3.eth.getCode(address)), proven.codeHash);
      assert.equal(BigInt(proven.storageProof[0]!.value), SUPPLY);
      assert.equal(BigInt(await web3.eth.getStorageAt(address, 2)), SUPPLY);
    });

    test("a batch gets an answer for each of its calls", async () => {
      const { web3 } = connect(name);
      const batch = new web3.BatchRequest();
      for (const method of ["eth_chainId", "eth_getWork", "net_version"] as const) {
        void batch.add({ jsonrpc: "2.0", method: method as "eth_chainId", params: [] }).catch(() => {});
      }

      const answers = (await batch.execute()) as { result?: unknown; error?: { code: number } }[];

      assert.deepEqual(
        answers.map(({ result, error }) => result ?? error?.code),
        [web3.utils.numberToHex(chainId), -32601, String(chainId)],
      );
    });

    test("the explorer shows the token and the transaction", async () => {
      const client = connect(name);
      const token = await deployToken(client);
      const receipt = await call(token, "transfer", KEYLESS, 77n).send({ from: client.own });
      await indexes(urls[name]!, Number(receipt.blockNumber));

      const transaction = await get(`${urls[name]}/api/v2/transactions/${receipt.transactionHash}`);
      const shown = await get(`${urls[name]}/api/v2/tokens/${token.options.address}`);

      assert.deepEqual([transaction.status, transaction.body.status], [200, "ok"]);
      assert.deepEqual([shown.status, shown.body.type, shown.body.holders], [200, "ERC-20", "2"]);
    });
  });
}
