import type { Wire } from "../../../chain/encoding/wire.ts";
import type { MinedBlock } from "../../block/minedBlock.ts";
import type { Chain } from "../../chain.ts";
import { FlatCallTracer } from "./flatCallTracer.ts";
import { traceBlock, traceTransaction } from "./traceBlock.ts";
import type { TraceConfig } from "./traceConfig.ts";

/** A call, creation or self-destruct as Parity, Erigon and others list it. */
export interface ParityTrace {
  readonly action: Wire;
  /** Null for a self-destruct, and where an error left none. */
  readonly result: Wire | null;
  readonly error?: string;
  readonly [field: string]: unknown;
}

/** Milliseconds for a transaction. */
const TIMEOUT = 5000;

export const PARITY_CONFIG: TraceConfig = {
  milliseconds: TIMEOUT,
  tracer: () => new FlatCallTracer({ includePrecompiles: false, convertParityErrors: true }),
  wire: {},
};

/** Genesis has none. */
export async function tracesOfBlock(chain: Chain, block: MinedBlock): Promise<ParityTrace[]> {
  if (block.header.number === 0) return [];
  const traced = (await traceBlock(chain, block, PARITY_CONFIG)) as { readonly result: readonly Wire[] }[];
  return traced.flatMap(({ result }) => result.map(asParity));
}

export async function tracesOfTransaction(chain: Chain, block: MinedBlock, position: number): Promise<ParityTrace[]> {
  return ((await traceTransaction(chain, block, position, PARITY_CONFIG)) as readonly Wire[]).map(asParity);
}

const asParity = (flat: Wire): ParityTrace => ({ result: null, ...flat }) as unknown as ParityTrace;

/** Outside a block there is no place. */
export function withoutPlace(flat: Wire): ParityTrace {
  const { blockHash, blockNumber, transactionHash, transactionPosition, ...trace } = asParity(flat);
  return trace as ParityTrace;
}
