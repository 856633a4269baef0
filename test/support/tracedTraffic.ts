import type { Hex } from "../../src/chain/encoding/hex.ts";
import { assemble, deploying, word } from "./assembler.ts";
import type { SendingNode } from "./developmentNode.ts";

const call = (address: string, opcode = "CALL", value = "PUSH0 ") =>
  `PUSH0 PUSH0 PUSH0 PUSH0 ${value}${address} GAS ${opcode} POP`;

/** Transactions with calls of all types, a creation, a revert, a self-destruct and a failure within. */
export async function makeTracedTraffic(node: SendingNode): Promise<{ hashes: Hex[]; caller: Hex; reverting: Hex }> {
  const reverting = await node.deploy(deploying(assemble("PUSH0 PUSH0 REVERT")));
  const failing = await node.deploy(deploying(assemble("INVALID")));
  const destroyed = await node.deploy(deploying(assemble("CALLER SELFDESTRUCT")));
  const code = [
    call(word(reverting)),
    call(word(failing), "CALL").replace("GAS", "PUSH2 2710"),
    call(word(destroyed), "CALL", "PUSH1 05 "),
    call(word(reverting), "STATICCALL", ""),
    call(word(reverting), "DELEGATECALL", ""),
    "PUSH0 PUSH0 PUSH1 03 CREATE POP",
  ].join(" ");
  const caller = await node.deploy(deploying(assemble(code)));
  const hashes = [
    await node.send({ to: caller, gas: 800_000n, value: 100n }),
    await node.send({ to: reverting, gas: 100_000n }),
    await node.send({ to: failing, gas: 100_000n }),
    await node.send({ value: 7n }),
    await node.send({ to: undefined, data: deploying(assemble("STOP")) }),
    await node.send({ to: undefined, data: assemble("PUSH0 PUSH0 REVERT"), gas: 100_000n }),
  ];
  return { hashes, caller, reverting };
}
