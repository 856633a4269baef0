import assert from "node:assert/strict";
import { test } from "node:test";
import { assemble, deploying, word } from "../../../test/support/assembler.ts";
import { CodeChain, SENDER } from "../../../test/support/codeChain.ts";
import type { Hex } from "../../chain/encoding/hex.ts";

const CONTRACT = "0x00000000000000000000000000000000000000c0";
const OTHER = "0x00000000000000000000000000000000000000d0";

const RETURN = "PUSH1 00 MSTORE PUSH1 20 PUSH1 00 RETURN";

const returning = (instructions: string) => assemble(`${instructions} ${RETURN}`);
const hex32 = (value: bigint | number | Hex) => `0x${BigInt(value).toString(16).padStart(64, "0")}`;

async function run(code: Hex, request: object = {}, ...rest: unknown[]): Promise<unknown> {
  const chain = await CodeChain.open({ [CONTRACT]: { code } });
  return chain.ask("eth_call", { to: CONTRACT, ...request }, ...rest);
}

async function fails(work: Promise<unknown>, code: number, message: string | RegExp, data?: string): Promise<void> {
  await assert.rejects(work, (error: { code: number; message: string; data?: unknown }) => {
    assert.equal(error.code, code, error.message);
    if (typeof message === "string") assert.equal(error.message, message);
    else assert.match(error.message, message);
    assert.equal(error.data, data);
    return true;
  });
}

test("a call answers what the contract returns and sees who calls, with what and in which block", async () => {
  assert.equal(await run(returning("CALLER"), { from: SENDER }), hex32(SENDER));
  assert.equal(await run(returning("CALLER")), hex32(0));
  assert.equal(await run(returning("PUSH1 00 CALLDATALOAD"), { input: hex32(7) }), hex32(7));
  assert.equal(await run(returning("PUSH1 00 CALLDATALOAD"), { data: hex32(8) }), hex32(8));
  assert.equal(await run(returning("NUMBER")), hex32(0));
  assert.equal(await run(returning("CHAINID")), hex32(677));
});

test("a call without a recipient answers the code that would be deployed", async () => {
  const code = returning("NUMBER");
  const chain = await CodeChain.open();

  assert.equal(await chain.ask("eth_call", { data: deploying(code) }), code);
});

test("who offers nothing for gas sees no base fee, and who offers something must offer enough", async () => {
  const [price, from] = ["0x3b9aca00", SENDER];

  assert.equal(await run(returning("BASEFEE")), hex32(0));
  assert.equal(await run(returning("BASEFEE"), { from, gasPrice: price, gas: "0xffff" }), hex32(10 ** 9));
  assert.equal(await run(returning("GASPRICE"), { from, maxFeePerGas: "0x77359400", gas: "0xffff" }), hex32(10 ** 9));
  await fails(
    run("0x00", { from, gasPrice: "0x1" }),
    -32000,
    /^err: max fee per gas less than block base fee: address 0x/,
  );
});

test("gas is cut to what the node allows to a call, and is all of that by default", async () => {
  const limits = { gas: 100_000n, milliseconds: 5000 };
  const chain = await CodeChain.open({ [CONTRACT]: { code: returning("GAS") } }, { limits });

  for (const request of [{ to: CONTRACT }, { to: CONTRACT, gas: "0xffffffff" }]) {
    assert.equal(await chain.ask("eth_call", request), hex32(100_000 - 21_000 - 2));
  }
});

test("a revert is code 3 with its data, and with its reason where it gives one", async () => {
  const reverting = (data: string) => {
    const bytes = data.length / 2;
    const stores = data.padEnd(Math.ceil(data.length / 64) * 64, "0").match(/.{64}/g) ?? [];
    const text = stores.map(
      (part, index) => `PUSH32 ${part} PUSH1 ${(index * 32).toString(16).padStart(2, "0")} MSTORE`,
    );
    return assemble(`${text.join(" ")} PUSH1 ${bytes.toString(16).padStart(2, "0")} PUSH1 00 REVERT`);
  };
  const reason = `08c379a0${hex32(32).slice(2)}${hex32(4).slice(2)}${Buffer.from("nope").toString("hex").padEnd(64, "0")}`;
  const panic = `4e487b71${hex32(0x11).slice(2)}`;
  const odd = `4e487b71${hex32(0x99).slice(2)}`;

  await fails(run(reverting("")), 3, "execution reverted", "0x");
  await fails(run(reverting("aabb")), 3, "execution reverted", "0xaabb");
  await fails(run(reverting(reason)), 3, "execution reverted: nope", `0x${reason}`);
  await fails(run(reverting(panic)), 3, "execution reverted: arithmetic underflow or overflow", `0x${panic}`);
  await fails(run(reverting(odd)), 3, "execution reverted: unknown panic code: 0x99", `0x${odd}`);
  await fails(run(reverting(reason.slice(0, 80))), 3, "execution reverted", `0x${reason.slice(0, 80)}`);
});

test("errors of the EVM have geth's messages", async () => {
  const chain = await CodeChain.open();
  const create = (code: Hex, gas: string) => chain.ask("eth_call", { data: deploying(code), gas });

  await fails(run(assemble("ADD")), -32000, "stack underflow (0 <=> 2)");
  await fails(run(assemble("PUSH1 01 SSTORE")), -32000, "stack underflow (1 <=> 2)");
  await fails(run(assemble("JUMPDEST GAS PUSH1 00 JUMP")), -32000, "stack limit reached 1024 (1023)");
  await fails(run("0xfe"), -32000, "invalid opcode: INVALID");
  await fails(run("0x0c"), -32000, "invalid opcode: opcode 0xc not defined");
  await fails(run(assemble("PUSH1 02 JUMP")), -32000, "invalid jump destination");
  await fails(run(assemble(`PUSH1 01 PUSH32 ${"ff".repeat(32)} MSTORE`)), -32000, "out of gas");
  await fails(run(assemble("PUSH1 01 PUSH1 00 PUSH1 00 RETURNDATACOPY")), -32000, "return data out of bounds");
  await fails(
    run("0x00", { gas: "0x64" }),
    -32000,
    "err: intrinsic gas too low: have 100, want 21000 (supplied gas 100)",
  );
  await fails(create(`0x${"00".repeat(200)}`, "0x15f90"), -32000, "contract creation code storage out of gas");
  await fails(create("0xef00", "0x186a0"), -32000, "invalid code: must not begin with 0xef");
  await fails(
    chain.ask("eth_call", { data: `0x${"00".repeat(50_000)}` }),
    -32000,
    /^err: max initcode size exceeded: code size 50000 limit 49152/,
  );
});

test("a write in a static call is reported by its caller only", async () => {
  const call = `PUSH1 00 PUSH1 00 PUSH1 00 PUSH1 00 ${word(OTHER)} GAS STATICCALL`;
  const overrides = { [OTHER]: { code: assemble("PUSH1 01 PUSH1 01 SSTORE") } };

  assert.equal(await run(returning(call), { gas: "0x186a0" }, "latest", overrides), hex32(0));
});

test("more value or gas than the sender can pay is refused", async () => {
  const want = { from: OTHER, value: "0x5" };

  await fails(
    run("0x00", want),
    -32000,
    "err: insufficient funds for gas * price + value: address 0x00000000000000000000000000000000000000d0 have 0 want 5 (supplied gas 50000000)",
  );
  assert.equal(await run(returning("CALLVALUE"), { ...want, from: SENDER }), hex32(5));
});

test("accounts are what the caller says they are, for this call alone", async () => {
  const chain = await CodeChain.open({
    [CONTRACT]: { code: returning("PUSH1 01 SLOAD"), storage: { "0x01": "0x2a" } },
  });
  const ask = (account: object, code?: string) =>
    chain.ask("eth_call", { to: CONTRACT }, "latest", {
      [CONTRACT]: { ...account, ...(code && { code: returning(code) }) },
    });

  assert.equal(await ask({}), hex32(42));
  assert.equal(await ask({ stateDiff: { [hex32(1)]: hex32(7) } }), hex32(7));
  assert.equal(await ask({ stateDiff: { [hex32(2)]: hex32(7) } }), hex32(42));
  assert.equal(await ask({ state: { [hex32(2)]: hex32(7) } }), hex32(0));
  assert.equal(await ask({ state: {} }), hex32(0));
  assert.equal(await ask({ balance: "0x63" }, "SELFBALANCE"), hex32(99));
  assert.equal(await ask({}, "CODESIZE"), hex32(9));
  await fails(ask({ state: {}, stateDiff: {} }), -32000, /has both 'state' and 'stateDiff'$/);
  assert.equal(await chain.ask("eth_call", { to: CONTRACT }), hex32(42));
});

test("a precompile can be moved, and nothing else", async () => {
  const chain = await CodeChain.open();
  const [identity, moved] = [`0x${"04".padStart(40, "0")}`, OTHER];
  const ask = (to: string, overrides: object) => chain.ask("eth_call", { to, data: "0xabcd" }, "latest", overrides);
  const move = { [identity]: { movePrecompileToAddress: moved } };

  assert.equal(await ask(identity, {}), "0xabcd");
  assert.equal(await ask(moved, move), "0xabcd");
  assert.equal(await ask(identity, move), "0x");
  assert.equal(await ask(identity, { [identity]: { code: "0x" } }), "0x");
  await fails(ask(moved, { [CONTRACT]: { movePrecompileToAddress: moved } }), -32000, /is not a precompile$/);
  await fails(ask(moved, { ...move, [moved]: { balance: "0x1" } }), -32000, /is already overridden$/);
});

test("the block around a call is what the caller says it is", async () => {
  const ask = (instruction: string, overrides: object) => run(returning(instruction), {}, "latest", {}, overrides);

  assert.equal(await ask("NUMBER", { number: "0x64" }), hex32(100));
  assert.equal(await ask("TIMESTAMP", { time: "0x64" }), hex32(100));
  assert.equal(await ask("GASLIMIT", { gasLimit: "0x64" }), hex32(100));
  assert.equal(await ask("COINBASE", { feeRecipient: OTHER }), hex32(OTHER));
  assert.equal(await ask("DIFFICULTY", { prevRandao: hex32(9) }), hex32(9));
  assert.equal(await ask("BLOBBASEFEE", { blobBaseFee: "0x64" }), hex32(100));
  assert.equal(await ask("BLOBBASEFEE", {}), hex32(1));
  assert.equal(await ask("PUSH1 63 BLOCKHASH", { number: "0x64" }), hex32(0));
  await fails(
    ask("NUMBER", { beaconRoot: hex32(1) }),
    -32000,
    'block override "beaconRoot" is not supported for this RPC method',
  );
});

test("a call is at the block it names, and there is none at one that does not exist", async () => {
  const chain = await CodeChain.open({ [CONTRACT]: { code: assemble("CALLVALUE PUSH1 00 SSTORE") } });
  const { header: first } = await chain.mine({ to: CONTRACT, value: 7n });
  await chain.mine({ to: CONTRACT, value: 8n });
  const read = (block: unknown) =>
    chain.ask("eth_call", { to: CONTRACT }, block, { [CONTRACT]: { code: returning("PUSH1 00 SLOAD") } });
  const hash = `0x${Buffer.from(first.hash).toString("hex")}`;

  assert.equal(await read("earliest"), hex32(0));
  assert.equal(await read("0x1"), hex32(7));
  assert.equal(await read(hash), hex32(7));
  assert.equal(await read({ blockHash: hash, requireCanonical: true }), hex32(7));
  assert.equal(await read({ blockNumber: "0x1" }), hex32(7));
  assert.equal(await read("latest"), hex32(8));
  assert.equal(await read(undefined), hex32(8));
  await fails(read("0x9"), -32000, "header not found");
  await fails(read({ blockHash: hex32(1) }), -32000, "header for hash not found");
});

test("blob hashes and delegations of a call hold for it", async () => {
  const blobHash = `0x01${"ab".repeat(31)}`;

  assert.equal(await run(returning("PUSH1 00 BLOBHASH"), { blobVersionedHashes: [blobHash] }), blobHash);
  await fails(run("0x00", { blobVersionedHashes: [] }), -32000, /^err: blob transaction missing blob hashes/);
  await fails(run("0x00", { blobVersionedHashes: [hex32(1)] }), -32000, /^err: blob 0 has invalid hash version/);
  await fails(run("0x00", { authorizationList: [] }), -32000, /^err: EIP-7702 transaction with empty auth list/);
});

test("what is not a call is refused with the code for parameters", async () => {
  const chain = await CodeChain.open();
  const ask = (...params: unknown[]) => chain.ask("eth_call", ...params);

  await fails(ask(), -32602, "missing value for required argument 0");
  for (const request of [null, "0x", 5, [], true]) await fails(ask(request), -32602, /^invalid argument 0: /);
  for (const field of ["from", "to", "gas", "value", "data", "input", "accessList", "blobVersionedHashes", "nonce"]) {
    for (const value of [5, "zz", "0xzz", "-0x1", {}, true, "0x1".padEnd(80, "f")]) {
      if (field === "data" || field === "input") continue;
      await fails(ask({ [field]: value }), -32602, /^invalid argument 0: /);
    }
  }
  await fails(ask({ data: "0x1" }), -32602, /hex string of odd length/);
  await fails(ask({ to: CONTRACT }, "latest", { "0x12": {} }), -32602, /^invalid argument 2: /);
  await fails(ask({ to: CONTRACT }, "latest", [1]), -32602, /^invalid argument 2: /);
  await fails(ask({ to: CONTRACT }, "latest", {}, { number: -1 }), -32602, /^invalid argument 3: /);
  await fails(ask({ data: "0x01", input: "0x02" }), -32000, /^both "data" and "input" are set and not equal/);
  await fails(ask({ gasPrice: "0x1", maxFeePerGas: "0x1" }), -32000, /^both gasPrice and \(maxFeePerGas/);
  await fails(ask({ chainId: "0x1" }), -32000, "chainId does not match node's (have=1, want=677)");
  await fails(ask({ to: CONTRACT }, "latest", {}, {}, {}), -32602, "too many arguments, want at most 4");
});

test("large data and large answers are as any other", async () => {
  const data = `0x${"00".repeat(1_000_000)}`;

  assert.equal(await run(returning("CALLDATASIZE"), { data }), hex32(1_000_000));
  assert.equal(((await run(assemble("PUSH3 0fffff PUSH1 00 RETURN"))) as string).length, 2 + 2 * 0xfffff);
  await fails(run("0x00", { data, gas: "0xfffff" }), -32000, /^err: intrinsic gas too low/);
});
