import type { Bytes } from "../../../chain/encoding/bytes.ts";
import type { Hex } from "../../../chain/encoding/hex.ts";
import { parseInteger } from "../../../chain/encoding/parse.ts";
import { selectorsNamed } from "../../../query/advanced/knownMethods.ts";
import type { PageRequest, WalkCursor, WalkInfo } from "../../../query/pages.ts";
import type { TimeSpan } from "../../../query/timeSpan.ts";
import type { TransactionSelection } from "../../../query/transactions/selectTransactions.ts";
import type { Html } from "../../html.ts";
import { html } from "../../html.ts";
import type { Query } from "../params.ts";
import { PAGE_SIZE, ParameterError, parseChoice } from "../params.ts";
import { csvPathOf } from "./links.ts";

/** As typed; empty where nothing is asked for. */
export interface ListFields {
  readonly direction: "" | "in" | "out";
  readonly method: string;
  readonly token: string;
  readonly since: string;
  readonly until: string;
}

export function readListFields(query: Query): ListFields {
  const text = (name: string) => {
    const { [name]: value } = query;
    return typeof value === "string" ? value.trim().slice(0, 200) : "";
  };
  const direction = parseChoice(query, "direction", ["", "in", "out"]);
  return { direction, method: text("method"), token: text("token"), since: text("since"), until: text("until") };
}

export const isFiltered = (fields: ListFields): boolean => Object.values(fields).some((value) => value !== "");

/** In and out are of the address. */
export function selectionOf({ direction, method }: ListFields, address?: Bytes): TransactionSelection {
  return {
    party: partyOf(direction, address),
    selectors: method === "" ? undefined : new Set(parseMethod(method)),
  };
}

export function partyOf(direction: ListFields["direction"], address: Bytes | undefined) {
  if (direction === "" || address === undefined) return undefined;
  return { address, role: direction === "out" ? "from" : "to" } as const;
}

/** By its name, or by its selector. */
export function parseMethod(text: string): Hex[] {
  const selectors = selectorsNamed(text);
  if (selectors.length > 0) return selectors;
  throw new ParameterError(
    `No well-known method is called "${text.slice(0, 60)}". Its selector is found, too: 0x and 8 hex digits.`,
  );
}

const SECONDS_A_DAY = 86_400;

/** Days in UTC. */
export function spanOf({ since, until }: Pick<ListFields, "since" | "until">): TimeSpan {
  const last = parseDay(until);
  return { since: parseDay(since), until: last === undefined ? undefined : last + SECONDS_A_DAY - 1 };
}

/** Start of the day in UTC. */
export function parseDay(text: string): number | undefined {
  if (text === "") return undefined;
  const start = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
  if (Number.isNaN(start)) throw new ParameterError("A day is written as 2026-01-31.");
  return start / 1000;
}

export function walkRequest({ after }: Query): PageRequest<WalkCursor> {
  const position = after === undefined ? undefined : parseInteger(after);
  if (after !== undefined && position === undefined) throw new ParameterError("There is no such place in this list.");
  return { page: 1, pageSize: PAGE_SIZE, cursor: position === undefined ? undefined : { after: position } };
}

/** Of a filtered list, whose length is not known. */
export function olderLink({ next }: WalkInfo, path: string, given: Readonly<Record<string, string>>): Html | undefined {
  if (next === null) return undefined;
  const query = new URLSearchParams({ ...given, after: String(next.cursor.after) });
  return html`<nav class="pager" aria-label="Pages"><a href="${path}?${query.toString()}" rel="next">Older</a></nav>`;
}

/** The fields that are not empty. */
export function givenFields(fields: ListFields): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== ""));
}

interface RestPaths {
  /** Undefined with days, which lists of the REST API do not take. */
  readonly json: string | undefined;
  readonly csv: string;
}

/** The same list in the REST API, with the same filter, by the path of the whole list. */
export function restPathsOf(path: string, { direction, method, token, since, until }: ListFields): RestPaths {
  const given = {
    ...(direction !== "" && { filter: direction === "out" ? "from" : "to" }),
    ...(method !== "" && { method }),
    ...(token !== "" && { token }),
  };
  const days = {
    ...(since !== "" && { from_period: `${since}T00:00:00Z` }),
    ...(until !== "" && { to_period: `${until}T23:59:59Z` }),
  };
  const queryOf = (all: Readonly<Record<string, string>>) => {
    const query = new URLSearchParams(all).toString();
    return query && `?${query}`;
  };
  const hasDays = since !== "" || until !== "";
  return {
    json: hasDays ? undefined : `${path}${queryOf(given)}`,
    csv: csvPathOf(`${path}${queryOf({ ...given, ...days })}`),
  };
}

const DIRECTIONS = [
  ["", "in and out"],
  ["in", "in"],
  ["out", "out"],
] as const;

const INPUTS = {
  method: ["Method", "text", "transfer, 0xa9059cbb"],
  token: ["Token", "text", "0x…"],
  since: ["Since", "date", ""],
  until: ["Until", "date", ""],
} as const;

/** Folded unless it is used. */
export function filterBar(
  path: string,
  fields: ListFields,
  names: readonly (keyof ListFields)[],
  hidden: Readonly<Record<string, string>> = {},
): Html {
  const inputs = names.map((name) => {
    if (name === "direction") {
      const options = DIRECTIONS.map(
        ([value, title]) =>
          html`<option value="${value}"${value === fields.direction && html` selected`}>${title}</option>`,
      );
      return html`<label>Direction <select name="direction">${options}</select></label>`;
    }
    const [title, type, hint] = INPUTS[name];
    return html`<label>${title} <input name="${name}" type="${type}" value="${fields[name]}" placeholder="${hint}" maxlength="200"></label>`;
  });
  const kept = Object.entries(hidden).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  );
  const clear = new URLSearchParams(hidden).toString();
  return html`<details class="filter-bar"${isFiltered(fields) && html` open`}><summary>Filter</summary><form class="filters" action="${path}" method="get">${kept}${inputs}<p><button type="submit" class="primary">Show</button> <a href="${path}${clear && `?${clear}`}">Clear</a></p></form></details>`;
}
