import type { ByteReader, ByteWriter } from "../../rows/encoding.ts";
import { writeSigned } from "../../rows/signedAmount.ts";
import { readAmount } from "./amounts.ts";

/** Further state of an Algebra pool, whose fee may change with each swap. Fees are in hundredths of a basis point. */
export interface AlgebraState {
  /** The pool's own, of an input of each token. */
  fee0: number;
  fee1: number;
  /** Newest: that of the last swap, or what the pool has set since. */
  fee: number;
  /** Whether the plugin decided about the last swap's fee. */
  isOverridden: boolean;
  /** Calls of the plugin that the pool makes, as bits. */
  pluginConfig: number;
  /** 0 until the pool tells; only Integral does so. */
  tickSpacing: number;
  /** Swap volume times the fee of each swap. */
  charged0: bigint;
  charged1: bigint;
  /** Swap inputs times the fee of each swap. */
  paid0: bigint;
  paid1: bigint;
}

export const noAlgebra = (): AlgebraState => ({
  ...{ fee0: 0, fee1: 0, fee: 0, isOverridden: false, pluginConfig: 0, tickSpacing: 0 },
  ...{ charged0: 0n, charged1: 0n, paid0: 0n, paid1: 0n },
});

export function writeAlgebra(state: AlgebraState, writer: ByteWriter): void {
  const { fee0, fee1, fee, isOverridden, pluginConfig, tickSpacing } = state;
  const { charged0, charged1, paid0, paid1 } = state;
  for (const number of [fee0, fee1, fee, isOverridden ? 1 : 0, pluginConfig, tickSpacing]) writer.varint(number);
  for (const amount of [charged0, charged1, paid0, paid1]) writer.raw(writeSigned(amount));
}

export function readAlgebra(reader: ByteReader): AlgebraState {
  const [fee0, fee1, fee] = [reader.varint(), reader.varint(), reader.varint()];
  const [isOverridden, pluginConfig, tickSpacing] = [reader.varint() === 1, reader.varint(), reader.varint()];
  return {
    fee0,
    fee1,
    fee,
    isOverridden,
    pluginConfig,
    tickSpacing,
    charged0: readAmount(reader),
    charged1: readAmount(reader),
    paid0: readAmount(reader),
    paid1: readAmount(reader),
  };
}
