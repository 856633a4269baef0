import type { Bytes } from "../../../../chain/encoding/bytes.ts";
import type { Codec } from "../../../rows/codec.ts";
import { ByteReader, ByteWriter, mustHave } from "../../../rows/encoding.ts";
import type { AddressId } from "../../../rows/ids.ts";
import { readSigned, writeSigned } from "../../../rows/signedAmount.ts";
import type { TokenState } from "./tokenState.ts";
import { NO_TOKEN } from "./tokenState.ts";

/**
 * A contract with deposits or withdrawals before any transfer: a wrapped coin nobody has sent yet, or a staking pool.
 * Its deposits are summed here until its first transfer.
 */
export interface DepositLedger {
  /** `carried`: balances became those of a token. `closed`: they did not. */
  readonly phase: DepositPhase;
  /** Net deposits, without zeros. Empty if closed. */
  readonly balances: ReadonlyMap<number, bigint>;
}

type DepositPhase = (typeof PHASES)[number];

const PHASES = ["open", "carried", "closed"] as const;

/** A contract with more depositors is closed: each deposit rewrites all balances. */
export const MAX_DEPOSITORS = 200;
/** Contracts carried over per block. */
export const MAX_CARRIED = 100;

const NO_DEPOSITS: DepositLedger = { phase: "open", balances: new Map() };
const CLOSED: DepositLedger = { phase: "closed", balances: new Map() };

/** Mutable balances of an open contract. */
export class Deposits {
  #balances: Map<number, bigint>;
  #phase: DepositPhase;

  constructor({ phase, balances }: DepositLedger = NO_DEPOSITS) {
    this.#phase = phase;
    this.#balances = new Map(balances);
  }

  get result(): DepositLedger {
    return this.#phase === "closed" ? CLOSED : { phase: this.#phase, balances: this.#balances };
  }

  add(address: AddressId, amount: bigint): void {
    if (this.#phase !== "open") return;
    const balance = (this.#balances.get(address) ?? 0n) + amount;
    if (balance === 0n) this.#balances.delete(address);
    else this.#balances.set(address, balance);
    if (this.#balances.size > MAX_DEPOSITORS) this.end("closed");
  }

  /** The first ending is final. */
  end(phase: "carried" | "closed"): void {
    if (this.#phase === "open") this.#phase = phase;
  }
}

/** Initial state of a token with these balances. */
export function stateOf({ balances }: DepositLedger): TokenState {
  const amounts = [...balances.values()];
  return {
    ...NO_TOKEN,
    holders: amounts.filter((amount) => amount > 0n).length,
    debtors: amounts.filter((amount) => amount < 0n).length,
    supply: amounts.reduce((sum, amount) => sum + amount, 0n),
  };
}

export const depositCodec: Codec<DepositLedger> = {
  read(bytes: Bytes) {
    const reader = new ByteReader(bytes);
    const phase = mustHave(PHASES[reader.byte()], "the phase of a contract that took deposits");
    const balances = new Map<number, bigint>();
    for (let address = 0; !reader.done; ) {
      address += reader.varint();
      balances.set(address, readSigned(reader.string()));
    }
    return { phase, balances };
  },
  write({ phase, balances }) {
    const writer = new ByteWriter(64);
    writer.byte(PHASES.indexOf(phase));
    let last = 0;
    for (const [address, amount] of [...balances].sort(([a], [b]) => a - b)) {
      writer.varint(address - last);
      writer.string(writeSigned(amount));
      last = address;
    }
    return writer.copy();
  },
};
