import type { Range } from "../../../query/timeline.ts";
import type { Html } from "../../html.ts";
import { html } from "../../html.ts";

const TITLES: Readonly<Record<Range, string>> = { "24h": "24 h", "7d": "7 d", "30d": "30 d", all: "all" };

/** The standard range has the path alone, or with the query that it has. */
export function rangeLinks(path: string, current: Range, standard: Range, label = "Time"): Html {
  const to = (range: Range) => {
    const [bare, query] = path.split("?");
    const asked = new URLSearchParams(query);
    if (range !== standard) asked.set("range", range);
    return asked.size === 0 ? bare! : `${bare}?${asked}`;
  };
  return html`<nav class="choices" aria-label="${label}">${Object.entries(TITLES).map(
    ([range, title]) =>
      html`<a href="${to(range as Range)}"${range === current && html` aria-current="page"`}>${title}</a> `,
  )}</nav>`;
}

/** Label of a period. */
export function stepText(step: number): string {
  const [length, unit] = step % DAY === 0 ? [step / DAY, "day"] : [step / HOUR, "hour"];
  return length === 1 ? `per ${unit}` : `per ${length} ${unit}s`;
}

const HOUR = 3600;
const DAY = 24 * HOUR;
