import { ChainError } from "../../../chain/error.ts";
import type { Html } from "../../html.ts";
import { html } from "../../html.ts";
import { failureOf } from "../../http/failure.ts";

/** A part of a page that may be missing: the rest is there, and this part says why it is not. */
export async function attempt(render: () => Promise<Html>): Promise<Html> {
  try {
    return await render();
  } catch (error) {
    if (!(error instanceof ChainError) || error.code === "not_found" || error.code === "invalid_argument") throw error;
    return html`<p class="none">${failureOf(error).message}</p>`;
  }
}
