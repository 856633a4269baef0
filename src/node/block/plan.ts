import type { Block as LibraryBlock } from "@ethereumjs/block";
import { createBlock, createBlockHeader } from "@ethereumjs/block";
import { Address } from "@ethereumjs/util";
import type { Header, Withdrawal } from "../../chain/block/header.ts";
import type { Bytes } from "../../chain/encoding/bytes.ts";
import { EMPTY } from "../../chain/encoding/bytes.ts";
import { uintFromBigInt, uintToBigInt } from "../../chain/encoding/uint.ts";
import type { ForkRules, Rules } from "../rules.ts";

export interface BlockPlan {
  readonly rules: ForkRules;
  readonly parentHash: Bytes;
  readonly number: number;
  readonly timestamp: number;
  readonly gasLimit: bigint;
  readonly miner: Bytes;
  readonly mixHash: Bytes;
  readonly extraData: Bytes;
  readonly baseFeePerGas: bigint;
  readonly excessBlobGas: bigint;
  readonly parentBeaconBlockRoot: Bytes;
  readonly withdrawals: readonly Withdrawal[];
}

export type PlanChoices = Partial<Omit<BlockPlan, "rules" | "parentHash" | "number" | "excessBlobGas">> &
  Pick<BlockPlan, "timestamp">;

/** Fields of the block that its transactions see. */
export type HeaderFields = Pick<
  Header,
  "number" | "timestamp" | "miner" | "difficulty" | "mixHash" | "gasLimit" | "baseFeePerGas" | "excessBlobGas"
>;

export function headerFieldsOf(plan: BlockPlan): HeaderFields {
  const { number, timestamp, miner, mixHash } = plan;
  return {
    ...{ number, timestamp, miner, mixHash, difficulty: EMPTY },
    gasLimit: uintFromBigInt(plan.gasLimit),
    baseFeePerGas: uintFromBigInt(plan.baseFeePerGas),
    excessBlobGas: uintFromBigInt(plan.excessBlobGas),
  };
}

const ZERO_HASH = new Uint8Array(32);

/** Base fees follow from the parent (EIP-1559, EIP-4844). */
export function planBlock(parent: Header, chain: Rules, choices: PlanChoices): BlockPlan {
  const number = parent.number + 1;
  const rules = chain.at({ number, timestamp: choices.timestamp });
  const { baseFeePerGas, excessBlobGas } = knownFees(parent, chain, rules);
  return {
    rules,
    parentHash: parent.hash,
    number,
    gasLimit: uintToBigInt(parent.gasLimit),
    miner: parent.miner,
    mixHash: ZERO_HASH,
    extraData: EMPTY,
    baseFeePerGas,
    excessBlobGas,
    parentBeaconBlockRoot: ZERO_HASH,
    withdrawals: [],
    ...choices,
  };
}

type Fees = Pick<BlockPlan, "baseFeePerGas" | "excessBlobGas">;

const fees = new WeakMap<Header, { readonly rules: ForkRules; readonly fees: Fees }>();

/** Cached, since every incoming transaction needs them. */
function knownFees(parent: Header, chain: Rules, rules: ForkRules): Fees {
  const known = fees.get(parent);
  if (known?.rules === rules) return known.fees;
  const found = nextFees(parent, chain, rules);
  fees.set(parent, { rules, fees: found });
  return found;
}

const INITIAL_BASE_FEE = 1_000_000_000n;

/** Under the rules of the next block. */
export function nextFees(header: Header, chain: Rules, rules: ForkRules): Fees {
  if (header.baseFeePerGas === undefined) return { baseFeePerGas: INITIAL_BASE_FEE, excessBlobGas: 0n };
  const parent = createBlockHeader(
    {
      number: header.number,
      timestamp: header.timestamp,
      gasLimit: uintToBigInt(header.gasLimit),
      gasUsed: header.gasUsed,
      baseFeePerGas: uintToBigInt(header.baseFeePerGas),
      ...(header.excessBlobGas && { excessBlobGas: uintToBigInt(header.excessBlobGas) }),
      ...(header.blobGasUsed !== undefined && { blobGasUsed: header.blobGasUsed }),
    },
    { common: chain.at(header), freeze: false, skipConsensusFormatValidation: true },
  );
  return {
    baseFeePerGas: parent.calcNextBaseFee(),
    excessBlobGas: rules.isActivatedEIP(4844) ? parent.calcNextExcessBlobGas(rules) : 0n,
  };
}

export function environmentOf(plan: BlockPlan): LibraryBlock {
  const { rules } = plan;
  return createBlock(
    {
      header: {
        number: plan.number,
        parentHash: plan.parentHash,
        timestamp: plan.timestamp,
        gasLimit: plan.gasLimit,
        coinbase: new Address(plan.miner),
        mixHash: plan.mixHash,
        baseFeePerGas: plan.baseFeePerGas,
        ...(rules.isActivatedEIP(4844) && { excessBlobGas: plan.excessBlobGas, blobGasUsed: 0n }),
        ...(rules.isActivatedEIP(4788) && { parentBeaconBlockRoot: plan.parentBeaconBlockRoot }),
      },
    },
    { common: rules, freeze: false, skipConsensusFormatValidation: true },
  );
}
