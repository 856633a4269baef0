import { ChainError } from "../../../chain/error.ts";
import type { Html } from "../../html.ts";
import { html } from "../../html.ts";
import { failureOf } from "../../http/failure.ts";
import { ParameterError } from "../params.ts";

/** Renders the error in place of a failing part of a page. */
export async function attempt(render: () => Promise<Html>): Promise<Html> {
  try {
    return await render();
  } catch (error) {
    if (!(error instanceof ChainError) || error.code === "not_found" || error.code === "invalid_argument") throw error;
    return html`<p class="none">${failureOf(error).message}</p>`;
  }
}

/** A form stays as it was typed, with what is wrong below it. */
export async function attemptForm(render: () => Promise<Html>): Promise<Html> {
  try {
    return await render();
  } catch (error) {
    if (!(error instanceof ParameterError)) throw error;
    return html`<p class="notice bad" role="alert">${error.message}</p>`;
  }
}
