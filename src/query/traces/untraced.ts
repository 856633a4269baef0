import type { Header } from "../../chain/block/header.ts";
import { equalBytes } from "../../chain/encoding/bytes.ts";
import { asChainError, ChainError } from "../../chain/error.ts";
import type { MinedTransaction } from "../../store/read/transactions.ts";
import { mustHave } from "../../store/rows/encoding.ts";
import type { ReadSession } from "../../store/session.ts";
import type { MinedCall } from "../../store/stages/traces/traceReads.ts";
import type { QueryContext } from "../context.ts";
import type { IndexedRange } from "../indexedRange.ts";
import { contains, readIndexedRange } from "../indexedRange.ts";
import { notTraced, readTraceRange } from "../stageRanges.ts";

/** An indexed block that is not traced, and why. */
export class Untraced {
  readonly header: Header;
  readonly range: IndexedRange | undefined;
  readonly reason: ChainError;

  constructor(header: Header, range: IndexedRange | undefined, reason: ChainError) {
    this.header = header;
    this.range = range;
    this.reason = reason;
  }
}

/** Traced blocks, if they include this one. */
export async function readRangeWith(
  session: ReadSession,
  header: Header,
): Promise<IndexedRange | undefined | Untraced> {
  try {
    const range = await readTraceRange(session);
    if (contains(range, header.number)) return range;
    return new Untraced(header, await readIndexedRange(session), notTraced(header.number, range));
  } catch (error) {
    const reason = asChainError(error);
    if (reason.code !== "stage_behind") throw error;
    return new Untraced(header, await readIndexedRange(session), reason);
  }
}

/** From the node. */
export function traceCalls(context: QueryContext, untraced: Untraced, mined: MinedTransaction): Promise<MinedCall[]> {
  return asked(untraced, async () => {
    const calls = await context.node?.transactionTraces.calls(mined.transaction.hash, untraced.header.hash);
    return (calls ?? refuse(untraced)).map((call) => ({ ...call, mined }));
  });
}

export function traceBlockCalls(context: QueryContext, untraced: Untraced): Promise<MinedCall[]> {
  const { number, hash } = untraced.header;
  return asked(untraced, async () => {
    const traces = (await context.node?.transactionTraces.callsOfBlock(hash)) ?? refuse(untraced);
    const mined = await context.store.read(async ({ blocks, transactions }) => {
      const now = await blocks.tipAt(number);
      if (now === undefined || !equalBytes(now.hash, hash)) throw new ChainError("not_found", "the block is gone");
      const positions = await transactions.positionsInBlock(number, 0, traces.length + 1);
      if (positions.length !== traces.length) {
        throw new ChainError("upstream_invalid", `the node sent ${traces.length} traces of ${positions.length}`);
      }
      return transactions.at(positions.filter((_, at) => traces[at]?.length !== 0));
    });
    const byIndex = new Map(mined.map((each) => [each.index, each]));
    return traces.flatMap((calls, index) =>
      calls.map((call) => ({ ...call, mined: mustHave(byIndex.get(index), `transaction ${index}`) })),
    );
  });
}

function refuse({ reason }: Untraced): never {
  throw reason;
}

/** Falls back to the index if the node does not trace. */
async function asked<T>({ reason }: Untraced, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof ChainError) || error.code === "limit_exceeded" || error.code === "not_found") throw error;
    throw reason;
  }
}
