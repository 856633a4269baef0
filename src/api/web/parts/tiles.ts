import type { Content, Html } from "../../html.ts";
import { html } from "../../html.ts";

export interface Tile {
  readonly title: Content;
  readonly value: Content;
  /** Below the value. */
  readonly note?: Content;
}

/** The figures that matter most, at the head of a page. */
export function tiles(all: readonly (Tile | false | undefined)[]): Html {
  return html`<dl class="tiles">${all.map(
    (tile) =>
      tile &&
      html`<div><dt>${tile.title}</dt><dd>${tile.value}${tile.note && html`<span class="beside">${tile.note}</span>`}</dd></div>`,
  )}</dl>`;
}
