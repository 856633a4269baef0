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
export function deployToken(key: string): { readonly raw: string; readonly token: string } {
  const path = createRequire(import.meta.url).resolve(
    "@openzeppelin/contracts/build/contracts/ERC20PresetFixedSupply.json",
  );
  const { bytecode } = JSON.parse(readFileSync(path, "utf8")) as { bytecode: string };
  const owner = addressOf(Buffer.from(key.slice(2), "hex"));
  const supply = word(10n ** 24n) + toHex(owner).slice(2).padStart(64, "0");
  const data = bytecode + word(0x80n) + word(0xc0n) + supply + text("Bench") + text("BENCH");
  const token = toHex(createdAddress({ from: owner, nonce: uintFromNumber(0) }));
  return { raw: sign(key, 0, undefined, data, 3_000_000n), token };
}

/** Transfers of one unit each, every one to somebody new. */
export function signTransfers(key: string, token: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => {
    const to = (BigInt(index) * 7919n + 2n ** 150n).toString(16).padStart(64, "0");
    return sign(key, index + 1, token, `0xa9059cbb${to}${word(1n)}`, 100_000n);
  });
}

/** Transfers of one wei each, every one to somebody new. */
export function signPlainTransfers(key: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => {
    const to = `0x${(BigInt(index) * 7919n + 2n ** 150n).toString(16).padStart(40, "0")}`;
    return sign(key, index, to, "0x", 21_000n, 1n);
  });
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
