import type { Bytes } from "../../../../chain/encoding/bytes.ts";
import { readNumber } from "../../../engine/database.ts";
import { AddressResolver } from "../../../read/addressResolver.ts";
import type { CoreReads } from "../../../read/coreReads.ts";
import { labelsOf } from "../tables/tokenLabels.ts";
import type { TokenState } from "../tables/tokenState.ts";
import { tokenState } from "../tables/tokenState.ts";
import { readTokenTip } from "../tables/tokenTip.ts";
import type { DueTokens } from "./dueTokens.ts";
import type { Holding } from "./holderSample.ts";
import { sampleHolders } from "./holderSample.ts";
import type { ObservationReads } from "./observationReads.ts";

export interface SampledToken {
  readonly address: Bytes;
  readonly holdings: readonly Holding[];
}

interface TokenSample {
  /** Block of the ledger. */
  readonly at: DueTokens["at"];
  readonly tokens: readonly SampledToken[];
}

interface ObservedReads extends CoreReads {
  readonly observations: ObservationReads;
}

/** Random ERC-20 tokens without a label. Undefined if there is no complete ledger. */
export async function sampleTokens(session: ObservedReads, count: number): Promise<TokenSample | undefined> {
  const [tip, first] = [await readTokenTip(session.db), await session.blocks.first()];
  const block = tip && (await session.blocks.tipAt(tip.number));
  if (tip === undefined || block === undefined || first?.header.number !== 0) return undefined;
  const states = await readStates(session, tip.totals.tokens, count);
  const seen = await session.observations.byToken([...states.keys()]);
  const isPlain = ([id, state]: [number, TokenState]) =>
    String(state.kinds) === "ERC-20" &&
    labelsOf(state, { ledger: seen.get(id)?.ledger, isComplete: true }).length === 0;
  const plain = [...states].filter(isPlain).map(([id]) => id);
  const holders = await sampleHolders(session.db, new Map(plain.map((id) => [id, []])));
  const resolver = new AddressResolver(session.db);
  const tokens = [...holders].map(([id, holdings]) => ({ address: resolver.address(id), holdings }));
  await resolver.load();
  return { at: { number: block.number, hash: block.hash }, tokens };
}

/** All tokens, or those following random ids. */
async function readStates({ db }: CoreReads, tokens: number, count: number): Promise<Map<number, TokenState>> {
  const sql = "SELECT id, value FROM token WHERE id >= ? ORDER BY id LIMIT ?";
  const highest = await readNumber(db, "SELECT max(id) FROM token");
  const rows = tokens <= count ? await db.all<[number, Bytes]>(sql, 0, count) : [];
  for (let drawn = 0; tokens > count && drawn < count; drawn++) {
    rows.push(...(await db.all<[number, Bytes]>(sql, Math.ceil(Math.random() * highest), 1)));
  }
  return new Map(rows.map(([id, value]) => [id, tokenState.read(value)]));
}
