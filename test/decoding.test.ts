import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { encodeDeployData, encodeFunctionData } from "viem";
import { presentEvent } from "../src/api/rest/transactions/presentDecoded.ts";
import { KNOWN } from "../src/chain/abi/known.ts";
import { readAbi } from "../src/chain/abi/parseAbi.ts";
import type { Candidates } from "../src/chain/abi/resolve.ts";
import { decodeCall, decodeLog } from "../src/chain/abi/resolve.ts";
import { decodeRevert } from "../src/chain/abi/revert.ts";
import { fullText } from "../src/chain/abi/signature.ts";
import { checksumAddress } from "../src/chain/encoding/checksum.ts";
import type { Hex } from "../src/chain/encoding/hex.ts";
import { fromHex } from "../src/chain/encoding/hex.ts";
import { Recovery } from "../src/query/decode/recovery.ts";
import { contractNamed } from "./support/contracts.ts";
import { DevelopmentNode, Refused } from "./support/developmentNode.ts";

const TOKEN = contractNamed("ERC20PresetMinterPauser");
const PROXY = contractNamed("ERC1967Proxy");

interface Receipt {
  readonly contractAddress: Hex;
  readonly logs: readonly { readonly topics: readonly Hex[]; readonly data: Hex }[];
}

describe("what a contract does on a chain", () => {
  let node: DevelopmentNode;
  let token: Hex;
  const recovery = new Recovery();

  before(async () => {
    node = await DevelopmentNode.open();
    token = (await sendTo(undefined, encodeDeployData({ ...TOKEN, args: ["Coin", "COIN"] } as never))).contractAddress;
  });
  after(async () => {
    await recovery.close();
    await node.close();
  });

  async function sendTo(to: Hex | undefined, data: Hex): Promise<Receipt> {
    const hash = await node.send({ to, data, gas: 5_000_000n });
    return node.ask<Receipt>("eth_getTransactionReceipt", hash);
  }

  const callOf = (functionName: string, ...args: unknown[]) =>
    encodeFunctionData({ abi: TOKEN.abi, functionName, args } as never);

  const logsOf = ({ logs }: Receipt, candidates: readonly Candidates[]) =>
    logs.map(({ topics, data }) => {
      const joined = fromHex(`0x${topics.map((topic) => topic.slice(2)).join("")}`);
      return decodeLog({ topics: joined, data: fromHex(data) }, candidates);
    });

  async function revertOf(data: Hex, candidates: readonly Candidates[]) {
    const refusal = await node.ask("eth_call", { to: token, data, from: node.other.address }, "latest").catch((e) => e);
    assert.ok(refusal instanceof Refused);
    return decodeRevert(fromHex(refusal.data as Hex), candidates);
  }

  test("decodes by the table alone where it does what all tokens do", async () => {
    const minted = await sendTo(token, callOf("mint", node.other.address, 5n));

    const [transfer] = logsOf(minted, [KNOWN]);

    assert.equal(transfer?.origin, "known");
    assert.deepEqual(
      presentEvent(transfer).parameters.map(({ name, value, indexed }) => [name, value, indexed]),
      [
        ["from", `0x${"0".repeat(40)}`, true],
        ["to", node.other.address, true],
        ["value", "5", false],
      ],
    );
  });

  test("decodes by its own ABI before the table, and by its bytecode after both", async () => {
    const own: Candidates = { origin: "abi", signatures: readAbi(TOKEN.abi) };
    const code = fromHex(await node.ask<Hex>("eth_getCode", token, "latest"));
    const recovered = (await recovery.recover(code))!;
    const mint = fromHex(callOf("mint", node.other.address, 5n));

    assert.equal(decodeCall(mint, [own, KNOWN, recovered])?.origin, "abi");
    assert.equal(decodeCall(mint, [KNOWN, recovered])?.origin, "known");
    assert.equal(fullText(decodeCall(mint, [recovered])!.signature), "0x40c10f19(address, uint256)");
  });

  test("says why it reverted", async () => {
    const short = await revertOf(callOf("transfer", node.account.address, 10n ** 30n), []);

    assert.equal(short !== null && "text" in short && short.text, "ERC20: transfer amount exceeds balance");
  });

  test("decodes through a proxy by the ABI of who runs", async () => {
    const initial = callOf("approve", node.other.address, 9n);
    const deployed = await sendTo(undefined, encodeDeployData({ ...PROXY, args: [token, initial] } as never));
    const candidates: Candidates[] = [
      { origin: "abi", signatures: readAbi(PROXY.abi) },
      { origin: "implementation", signatures: readAbi(TOKEN.abi) },
    ];

    const logs = logsOf(deployed, candidates);

    assert.deepEqual(
      logs.map((log) => [log?.origin, log && fullText(log.signature)]),
      [
        ["abi", "Upgraded(address indexed implementation)"],
        ["implementation", "Approval(address indexed owner, address indexed spender, uint256 value)"],
      ],
    );
    assert.equal(presentEvent(logs[0]!).parameters[0]?.value, checksumAddress(fromHex(token)));
  });
});
