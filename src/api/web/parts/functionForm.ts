import { decodeLeading, decodeParameters } from "../../../chain/abi/decode.ts";
import type { AbiFunction } from "../../../chain/abi/functions.ts";
import { parseTypes } from "../../../chain/abi/parseSignature.ts";
import type { Parameter } from "../../../chain/abi/signature.ts";
import { fullText } from "../../../chain/abi/signature.ts";
import type { AbiType } from "../../../chain/abi/type.ts";
import { textOf as utf8Of } from "../../../chain/abi/value.ts";
import type { Bytes } from "../../../chain/encoding/bytes.ts";
import { uintToBigInt } from "../../../chain/encoding/uint.ts";
import type { Content, Html } from "../../html.ts";
import { html } from "../../html.ts";
import type { Query } from "../params.ts";
import { bytesView } from "./bytesView.ts";
import { textOf } from "./callInput.ts";
import { parameterTable, renderValue } from "./decoded.ts";
import { safeText } from "./format.ts";

interface FormOptions {
  readonly called: AbiFunction;
  readonly path: string;
  readonly hidden: Readonly<Record<string, string>>;
  /** Submitted values, if this function was called. */
  readonly filled: Query | undefined;
  readonly button: string;
  readonly more?: Content;
  readonly isWrite?: boolean;
  readonly answer?: Content;
}

/** Expanded if it was called. */
export function functionForm(options: FormOptions): Html {
  const { called, path, hidden, filled, button, more, isWrite, answer } = options;
  const { selector, signature } = called;
  const fields = Object.entries({ ...hidden, function: selector }).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  );
  const inputs = signature.inputs.map((input, at) => argumentField(input, selector, at, filled));
  return html`<details class="function" id="f-${selector}"${filled !== undefined && OPEN}>
<summary>${functionName(called)}</summary>
<form action="${path}#f-${selector}" method="get"${isWrite && WRITE}>${fields}${inputs}${more}<p><button type="submit">${button}</button></p></form>
${answer}</details>
`;
}

const OPEN = html` open`;
const WRITE = html` data-write`;

export function functionName({ selector, signature, mutability }: AbiFunction): Html {
  return html`<code class="name">${safeText(fullText(signature), 300)}</code> <span class="tag">${mutability}</span> <code class="quiet">${selector}</code>`;
}

function argumentField({ name, type }: Parameter, selector: string, at: number, filled: Query | undefined): Html {
  const id = `${selector}-${at}`;
  const value = filled === undefined ? "" : textOf(filled, `arg${at}`);
  const label = html`<label for="${id}">${name === "" ? `Argument ${at}` : html`<bdi>${safeText(name)}</bdi>`} <code class="quiet">${safeText(type.text, 100)}</code></label>`;
  return html`<p class="field">${label}<input id="${id}" name="arg${at}" value="${value}" placeholder="${exampleOf(type)}" autocomplete="off" spellcheck="false"></p>`;
}

function exampleOf(type: AbiType): string {
  switch (type.kind) {
    case "uint":
    case "int":
      return "1000 or 0x3e8";
    case "bool":
      return "true or false";
    case "string":
      return "text";
    case "array":
      return "[…, …]";
    case "tuple":
      return `[${type.items.map(({ text }) => safeText(text, 20)).join(", ")}]`;
    default:
      return "0x…";
  }
}

const MAX_DECODED_LENGTH = 64 << 10;

/** Decoded by the ABI, or else guessed. */
export function returnedValue({ outputs }: AbiFunction, data: Bytes): Html {
  if (outputs === undefined || data.length > MAX_DECODED_LENGTH) return html`${guessedValue(data)}${bytesView(data)}`;
  if (outputs.length === 0) return html`<span class="quiet">It returns nothing.</span>`;
  const decoded = decodeLeading(
    outputs.map(({ type }) => type),
    data,
  );
  if (decoded === undefined) {
    return html`<p class="reason">What it returned is not what its ABI says.</p>${bytesView(data)}`;
  }
  const [only] = outputs;
  if (outputs.length > 1) return parameterTable(outputs, decoded.values);
  return html`<span class="value">${renderValue(only!.type, decoded.values[0]!)} <code class="quiet">${safeText(only!.type.text, 100)}</code></span>`;
}

const TEXT = parseTypes("string");

/** A single word is usually a number; printable bytes are usually text. */
function guessedValue(data: Bytes): Html | undefined {
  if (data.length === 32) {
    return html`<span class="value"><code>${uintToBigInt(data)}</code> <span class="quiet">if it is a number</span></span>`;
  }
  const [text] = decodeParameters(TEXT, data) ?? [];
  if (!(text instanceof Uint8Array) || utf8Of(text) === undefined) return undefined;
  return html`<span class="value">${renderValue(TEXT[0]!, text)} <span class="quiet">if it is text</span></span>`;
}
