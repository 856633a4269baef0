import type { Abi, Hex } from "viem";
import { encodeDeployData } from "viem";
import { assemble, deploying, word } from "./assembler.ts";
import { contractNamed } from "./contracts.ts";

export const HOSTILE_NAMES = [
  `<img src=x onerror="document.title='owned'">`,
  `"><script>document.title='owned'</script>`,
  "\u202egnp.exe\u2066",
  "US\u200bDC\u0000",
  "'; DROP TABLE token; --",
];

/** Emits 10,000 logs while it is created: a loop around LOG0. */
export const LOG_STORM: Hex = "0x6127105b5f5fa06001900380600357";

export function deployToken(name: string): Hex {
  const { abi, bytecode } = contractNamed("ERC20PresetFixedSupply");
  return encodeDeployData({ abi: abi as Abi, bytecode, args: [name, name, 10n ** 24n, `0x${"11".repeat(20)}`] });
}

/** The 32 bytes that a long reason repeats. */
export const LONG_REASON_PART = "<img src=x onerror=alert(1)>\u202e!";

/** Fails with a text of so many bytes, whatever it is called with. */
export function revertingAtLength(length: number): Hex {
  const part = `0x${Buffer.from(LONG_REASON_PART).toString("hex")}` as Hex;
  const store = (value: Hex | number, at: string) => `${word(value)} PUSH1 ${at} MSTORE`;
  const start = [store(0x08c379a0, "00"), store(0x20, "20"), store(length, "40"), word(0x60)].join(" ");
  const begin = (assemble(start).length - 2) / 2;
  const loop = `JUMPDEST ${word(part)} DUP2 MSTORE PUSH1 20 ADD DUP1 ${word(0x60 + length)} GT PUSH1 ${begin.toString(16)} JUMPI`;
  return deploying(assemble(`${start} ${loop} ${word(0x44 + length)} PUSH1 1c REVERT`));
}
