import type { TokenAnswers } from "../../chain/token/tokenAnswers.ts";
import type { DueToken, DueTokens } from "../../store/stages/tokens/read/dueTokens.ts";
import type { TokenObservation } from "../../store/stages/tokens/tables/observation.ts";
import type { Judgement } from "./ledgerVerdict.ts";
import { judgeLedger } from "./ledgerVerdict.ts";
import { nextObservation, RARELY, REFRESH } from "./schedule.ts";

interface Observed {
  readonly observation: TokenObservation;
  readonly isRetried: boolean;
}

interface ObservedWrapper {
  readonly observation: TokenObservation;
  /** Behaves like a wrapped coin. */
  readonly isCoin: boolean;
}

type Supplies = Pick<TokenObservation, "totalSupply" | "ledgerSupply">;

const NO_TEXT = { text: null, raw: new Uint8Array(0) };

/** Updates stored observations; values the node could not report are unchanged. */
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
  const reported = [values.name.text, values.symbol.text, values.decimals, values.totalSupply];
  const { again, isRetried } = nextObservation(
    at.number,
    failures,
    reported.some((value) => value !== null),
  );
  const judgement = judge(due, answers);
  const observation = { token, block: at.number, hash: at.hash, ...values, ...judgement, failures, again };
  return { observation, isRetried };
}

/**
 * A contract with only deposits is a wrapped coin if it has a name, symbol and decimals, holds at least its supply in
 * native coin, and reports every sampled depositor's sum. Others are retried much later.
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
  const isIncomplete = isRetried || coins === undefined;
  const again = isCoin ? observation.again : at.number + (isIncomplete ? REFRESH : RARELY);
  return { observation: { ...observation, again }, isCoin };
}

/** Supply and transfer sum at the same block; later transfers count from there. */
function suppliesOf({ state, before }: DueToken, { totalSupply }: TokenAnswers): Supplies {
  const { totalSupply: reported = null, ledgerSupply = null } = before ?? {};
  if (totalSupply === undefined) return { totalSupply: reported, ledgerSupply };
  const isFirst = reported === null || totalSupply === null;
  // If the two diverge, transfers cannot predict this token's supply.
  const moveAsOne = isFirst || (ledgerSupply !== null && totalSupply - reported === state.supply - ledgerSupply);
  return { totalSupply, ledgerSupply: moveAsOne ? state.supply : null };
}

function judge({ state, before, holdings }: DueToken, { balances, totalSupply }: TokenAnswers): Judgement {
  const sampled = holdings.map(({ holder, amount }, at) => ({ holder, ledger: amount, reported: balances[at] }));
  const sampling = { balances: sampled, ledgerSupply: state.supply, reportedSupply: totalSupply ?? null };
  return judgeLedger(sampling, { ledger: before?.ledger ?? "unknown", differing: before?.differing ?? [] });
}
