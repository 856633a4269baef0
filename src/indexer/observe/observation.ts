import type { TokenAnswers } from "../../chain/token/tokenAnswers.ts";
import type { DueToken, DueTokens } from "../../store/tokens/observe/dueTokens.ts";
import type { TokenObservation } from "../../store/tokens/observe/observation.ts";
import type { Judgement } from "./ledgerVerdict.ts";
import { judgeLedger } from "./ledgerVerdict.ts";
import { nextObservation, RARELY, REFRESH } from "./schedule.ts";

export interface Observed {
  readonly observation: TokenObservation;
  readonly isRetried: boolean;
}

/** What is kept of a contract that emitted no transfer yet. */
export interface ObservedWrapper {
  readonly observation: TokenObservation;
  /** It answers as a wrapped coin does. */
  readonly isCoin: boolean;
}

type Supplies = Pick<TokenObservation, "totalSupply" | "ledgerSupply">;

const NO_TEXT = { text: null, raw: new Uint8Array(0) };

/** What is kept of a token's answers. What the node could not say stays as it was. */
export function observe(due: DueToken, answers: TokenAnswers, at: DueTokens["at"]): Observed {
  const { token, before } = due;
  const { name, symbol, decimals, totalSupply, balances } = answers;
  const values = {
    name: name ?? before?.name ?? NO_TEXT,
    symbol: symbol ?? before?.symbol ?? NO_TEXT,
    decimals: decimals === undefined ? (before?.decimals ?? null) : decimals,
    ...suppliesOf(due, answers),
  };
  const isComplete = ![name, symbol, decimals, totalSupply, ...balances].includes(undefined);
  const failures = isComplete ? 0 : (before?.failures ?? 0) + 1;
  const said = [values.name.text, values.symbol.text, values.decimals, values.totalSupply];
  const { again, isRetried } = nextObservation(
    at.number,
    failures,
    said.some((value) => value !== null),
  );
  const judgement = judge(due, answers);
  const observation = { token, block: at.number, hash: at.hash, ...values, ...judgement, failures, again };
  return { observation, isRetried };
}

/**
 * A contract that only took deposits is a wrapped coin where it has names and decimals, holds at least as much of the coin
 * as it calls its supply, and tells every depositor asked what the deposits add up to. Others are asked again much later.
 */
export function observeWrapper(
  due: DueToken,
  answers: TokenAnswers,
  at: DueTokens["at"],
  coins: bigint | undefined,
): ObservedWrapper {
  const { observation, isRetried } = observe(due, answers, at);
  const { name, symbol, decimals, totalSupply, balances } = answers;
  const isNamed = [name?.text, symbol?.text, decimals].every((value) => value !== null && value !== undefined);
  const isBacked = typeof totalSupply === "bigint" && coins !== undefined && totalSupply <= coins;
  const agrees = due.holdings.every(({ amount }, i) => balances[i] === amount);
  const isCoin = isNamed && isBacked && agrees && (due.holdings.length > 0 || due.before !== undefined);
  const isUnsaid = isRetried || coins === undefined;
  const again = isCoin ? observation.again : at.number + (isUnsaid ? REFRESH : RARELY);
  return { observation: { ...observation, again }, isCoin };
}

/** A supply belongs to the block at which the token said it, as does the sum of its transfers, from which later ones are counted. */
function suppliesOf({ state, before }: DueToken, { totalSupply }: TokenAnswers): Supplies {
  const { totalSupply: said = null, ledgerSupply = null } = before ?? {};
  if (totalSupply === undefined) return { totalSupply: said, ledgerSupply };
  const isFirst = said === null || totalSupply === null;
  // Where the two did not move as one, transfers do not tell what this token will say: then or ever.
  const moveAsOne = isFirst || (ledgerSupply !== null && totalSupply - said === state.supply - ledgerSupply);
  return { totalSupply, ledgerSupply: moveAsOne ? state.supply : null };
}

function judge({ state, before, holdings }: DueToken, { balances, totalSupply }: TokenAnswers): Judgement {
  const sampled = holdings.map(({ holder, amount }, at) => ({ holder, ledger: amount, told: balances[at] }));
  const sampling = { balances: sampled, ledgerSupply: state.supply, toldSupply: totalSupply ?? null };
  return judgeLedger(sampling, { ledger: before?.ledger ?? "unknown", differing: before?.differing ?? [] });
}
