import type { Block } from "@ethereumjs/block";
import { createBlock } from "@ethereumjs/block";
import type { Common } from "@ethereumjs/common";
import { Hardfork } from "@ethereumjs/common";
import type { TypedTransaction } from "@ethereumjs/tx";
import { createTx } from "@ethereumjs/tx";
import { createAccount, createAddressFromString } from "@ethereumjs/util";
import type { VM } from "@ethereumjs/vm";
import type { Bytes } from "../../src/chain/encoding/bytes.ts";
import type { Hex } from "../../src/chain/encoding/hex.ts";
import { fromHex } from "../../src/chain/encoding/hex.ts";
import type { Random } from "./random.ts";
import { randomProgram, word } from "./randomPrograms.ts";

export const FORKS: readonly Hardfork[] = [
  Hardfork.Berlin,
  Hardfork.London,
  Hardfork.Paris,
  Hardfork.Shanghai,
  Hardfork.Cancun,
  Hardfork.Prague,
  Hardfork.Osaka,
];

export const at = (number: number): Hex => `0x${number.toString(16).padStart(40, "0")}`;
export const SENDER = at(0x5e4de4);
export const CONTRACTS = [0xc0, 0xc1, 0xc2, 0xc3].map(at);
const DELEGATING = at(0xde);
export const RICH = at(0xe1);
const OTHERS = [at(0x0), at(0xe0a), RICH, at(2), at(3), at(4), at(9), SENDER, DELEGATING];
const ADDRESSES = [...CONTRACTS, ...CONTRACTS, ...OTHERS];

interface WorldAccount {
  readonly address: Hex;
  readonly balance: bigint;
  readonly nonce: bigint;
  readonly code: Bytes;
  readonly slots: readonly (readonly [bigint, bigint])[];
}

export interface RandomCase {
  readonly fork: Hardfork;
  readonly world: readonly WorldAccount[];
  readonly to: Hex | undefined;
  readonly data: Bytes;
  readonly value: bigint;
  readonly gasLimit: bigint;
  readonly accessList: readonly { readonly address: Hex; readonly storageKeys: readonly Hex[] }[];
}

/** Instructions by the fork that introduced them. */
export const SINCE: readonly (readonly [Hardfork, readonly string[]])[] = [
  [Hardfork.London, ["BASEFEE"]],
  [Hardfork.Shanghai, ["PUSH0"]],
  [Hardfork.Cancun, ["TLOAD", "TSTORE", "MCOPY", "BLOBHASH", "BLOBBASEFEE"]],
  [Hardfork.Osaka, ["CLZ"]],
];

const slotKey = (key: bigint): Hex => `0x${key.toString(16).padStart(64, "0")}`;

export function randomCase(random: Random): RandomCase {
  const fork = random.pick(FORKS);
  const avoided = SINCE.filter(([since]) => FORKS.indexOf(since) > FORKS.indexOf(fork)).flatMap(([, names]) => names);
  const program = () => randomProgram(random, { addresses: ADDRESSES, avoided: new Set(avoided) });
  const contracts = CONTRACTS.map((address): WorldAccount => {
    const slots = Array.from({ length: random.int(4) }, () => [BigInt(random.int(4)), word(random) || 1n] as const);
    const code = random.chance(0.02) ? random.bytes(40) : program();
    return { address, balance: BigInt(random.int(500)), nonce: 1n, code, slots };
  });
  const plain = { code: new Uint8Array(0), slots: [], nonce: 0n };
  const delegation = fromHex(`0xef0100${random.pick(ADDRESSES).slice(2)}`);
  const world: WorldAccount[] = [
    ...contracts,
    { ...plain, address: SENDER, balance: 10n ** 24n },
    { ...plain, address: RICH, balance: random.chance(0.1) ? 2n ** 256n - 100n : 7n },
    { ...plain, address: DELEGATING, balance: 0n, nonce: 1n, code: delegation },
  ];
  const isCreation = random.chance(0.15);
  return {
    fork,
    world,
    to: isCreation ? undefined : random.pick([...CONTRACTS, ...ADDRESSES]),
    data: isCreation ? program() : random.bytes(random.int(80)),
    value: random.chance(0.7) ? 0n : BigInt(random.int(1000)),
    gasLimit: BigInt(random.pick([60_000, 200_000, 2_000_000])),
    accessList: random.chance(0.3)
      ? [{ address: random.pick(ADDRESSES), storageKeys: [slotKey(BigInt(random.int(4)))] }]
      : [],
  };
}

export async function fillWorld({ stateManager }: VM, world: readonly WorldAccount[]): Promise<void> {
  for (const { address, balance, nonce, code, slots } of world) {
    const account = createAddressFromString(address);
    await stateManager.putAccount(account, createAccount({ balance, nonce }));
    if (code.length > 0) await stateManager.putCode(account, code);
    for (const [key, value] of slots) {
      const digits = value.toString(16);
      const bytes = Buffer.from(digits.padStart(digits.length + (digits.length % 2), "0"), "hex");
      await stateManager.putStorage(account, fromHex(slotKey(key)), new Uint8Array(bytes));
    }
  }
}

export function transactionOf({ to, data, value, gasLimit, accessList }: RandomCase, common: Common): TypedTransaction {
  const fields = { type: 1, chainId: 1n, nonce: 0n, gasPrice: 100n, gasLimit, value, data, accessList };
  const tx = createTx({ ...fields, ...(to && { to }) } as never, { common, freeze: false }) as TypedTransaction;
  tx.getSenderAddress = () => createAddressFromString(SENDER);
  return tx;
}

export function blockOf(common: Common): Block {
  const header = {
    number: 25_000_000n,
    timestamp: 1_900_000_000n,
    gasLimit: 30_000_000n,
    coinbase: at(0xc01b),
    mixHash: new Uint8Array(32).fill(7),
    ...(common.isActivatedEIP(1559) && { baseFeePerGas: 7n }),
    ...(common.isActivatedEIP(4844) && { excessBlobGas: 0n, blobGasUsed: 0n }),
  };
  return createBlock({ header }, { common: common, freeze: false, skipConsensusFormatValidation: true });
}
