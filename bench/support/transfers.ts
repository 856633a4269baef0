import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { createFeeMarket1559Tx } from "@ethereumjs/tx";
import { createdAddress } from "../../src/chain/block/block.ts";
import { toHex } from "../../src/chain/encoding/hex.ts";
import { uintFromNumber } from "../../src/chain/encoding/uint.ts";
import { addressOf } from "../../src/node/accounts/accounts.ts";
import { developmentGenesis } from "../../src/node/developmentGenesis.ts";
import { Rules } from "../../src/node/rules.ts";

const genesis = developmentGenesis({ chainId: 677, gasLimit: 30_000_000, timestamp: 0, funded: [] });

/** The rules both sides run under. */
export const RULES = new Rules(genesis).fork("prague");

const word = (value: bigint) => value.toString(16).padStart(64, "0");
const text = (value: string) => word(BigInt(value.length)) + Buffer.from(value).toString("hex").padEnd(64, "0");

/** OpenZeppelin's ERC-20 with a fixed supply, all of it the deployer's. */
export function deployToken(key: string, nonce = 0): { readonly raw: string; readonly token: string } {
  const path = createRequire(import.meta.url).resolve(
    "@openzeppelin/contracts/build/contracts/ERC20PresetFixedSupply.json",
  );
  const { bytecode } = JSON.parse(readFileSync(path, "utf8")) as { bytecode: string };
  const owner = addressOf(Buffer.from(key.slice(2), "hex"));
  const supply = word(10n ** 24n) + toHex(owner).slice(2).padStart(64, "0");
  const data = bytecode + word(0x80n) + word(0xc0n) + supply + text("Bench") + text("BENCH");
  const token = toHex(createdAddress({ from: owner, nonce: uintFromNumber(nonce) }));
  return { raw: sign(key, nonce, undefined, data, 3_000_000n), token };
}

/** Transfers of one unit each, every one to somebody new. */
export function signTransfers(key: string, token: string, count: number, firstNonce = 1): string[] {
  return Array.from({ length: count }, (_, index) => {
    const to = (BigInt(index) * 7919n + 2n ** 150n).toString(16).padStart(64, "0");
    return sign(key, firstNonce + index, token, `0xa9059cbb${to}${word(1n)}`, 100_000n);
  });
}

/** Transfers of one wei each, every one to somebody new. */
export function signPlainTransfers(key: string, count: number, firstNonce = 0): string[] {
  return Array.from({ length: count }, (_, index) => {
    const to = `0x${(BigInt(index) * 7919n + 2n ** 150n).toString(16).padStart(40, "0")}`;
    return sign(key, firstNonce + index, to, "0x", 21_000n, 1n);
  });
}

/** A transaction without a recipient that runs the code. */
export function signCreation(key: string, nonce: number, code: string, gas: bigint): string {
  return sign(key, nonce, undefined, code, gas);
}

/** The call of `transfer(address,uint256)` with one unit. */
export function transferOf(to: string): string {
  return `0xa9059cbb${to.slice(2).toLowerCase().padStart(64, "0")}${word(1n)}`;
}

/**
 * A loop that multiplies, writes to memory and counts: PUSH3 count, then JUMPDEST DUP1 DUP1 MUL PUSH1 0 MSTORE PUSH1 1
 * SWAP1 SUB DUP1 PUSH1 4 JUMPI, which costs 45.
 */
export function loopOf(count: number): string {
  return `0x62${count.toString(16).padStart(6, "0")}5b8080026000526001900380600457`;
}

/** The call of `balanceOf(address)`. */
export function balanceOf(address: string): string {
  return `0x70a08231${address.slice(2).toLowerCase().padStart(64, "0")}`;
}

function sign(key: string, nonce: number, to: string | undefined, data: string, gasLimit: bigint, value = 0n): string {
  const fees = { maxFeePerGas: 10n ** 10n, maxPriorityFeePerGas: 1n };
  const fields = { nonce, gasLimit, value, data: data as `0x${string}`, chainId: 677n, ...fees };
  const tx = createFeeMarket1559Tx({ ...fields, ...(to && { to: to as `0x${string}` }) }, { common: RULES });
  return toHex(tx.sign(Buffer.from(key.slice(2), "hex")).serialize());
}
