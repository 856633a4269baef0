import type { AbiFunction } from "../../../chain/abi/functions.ts";
import { isReading } from "../../../chain/abi/functions.ts";
import type { DecodedRevert, RevertReason } from "../../../chain/abi/revert.ts";
import type { Bytes } from "../../../chain/encoding/bytes.ts";
import { fromHex, toHex } from "../../../chain/encoding/hex.ts";
import { isAddress } from "../../../chain/encoding/parse.ts";
import type { Account } from "../../../query/accounts/account.ts";
import { callContract, readValues } from "../../../query/contracts/callContract.ts";
import type { ContractFunctions } from "../../../query/contracts/contractFunctions.ts";
import { readCallable } from "../../../query/contracts/contractFunctions.ts";
import type { Content, Html } from "../../html.ts";
import { html } from "../../html.ts";
import type { WebContext } from "../context.ts";
import type { Query } from "../params.ts";
import { ParameterError } from "../params.ts";
import { attempt } from "../parts/attempt.ts";
import { encodeCall, readInput, textOf } from "../parts/callInput.ts";
import { parameterTable, reasonText } from "../parts/decoded.ts";
import { figure } from "../parts/format.ts";
import { functionForm, functionName, returnedValue } from "../parts/functionForm.ts";
import { copyFrom, fullAddress } from "../parts/links.ts";

type Render = (context: WebContext, account: Account, query: Query, path: string) => Promise<Html>;

/** View functions with results; those without arguments are called at once. */
export function readTab(isProxy: boolean): Render {
  const tab = isProxy ? "read-proxy" : "read";
  return async (context, account, query, path) => {
    const callable = await readCallable(context.network, account, isProxy);
    if (callable === undefined) return UNKNOWN;
    const isStatic = query.static === "1";
    const shown = callable.functions.filter((each) => isStatic || isReading(each));
    const asked = findAsked(shown, query);
    const plain = shown.filter((each) => isReading(each) && each.signature.inputs.length === 0);
    const values = await readValues(context.network, account.address, plain);
    const hidden = { tab, ...(isStatic && { static: "1" }) };
    const answer = asked && (await attempt(() => answerCall(context, account.address, asked, query)));
    const forms = shown.map((called) => {
      const at = plain.indexOf(called);
      const isAsked = called === asked;
      if (at >= 0 && (values[at] !== undefined || !isAsked) && values[at] !== "reverted") {
        return plainValue(
          called,
          values[at],
          `${path}?${new URLSearchParams({ ...hidden, function: called.selector })}`,
        );
      }
      const filled = isAsked ? query : undefined;
      const more = !isReading(called) && fromField(called, filled);
      return functionForm({ called, path, hidden, filled, button: "Query", more, answer: isAsked && answer });
    });
    return html`${introduction(account, callable, isProxy)}
<p class="filter">${staticSwitch(tab, isStatic, path)}</p>
${shown.length === 0 ? html`<p class="none">It has no functions that only read.</p>` : html`<div class="functions">${forms}</div>`}`;
  };
}

/** State-changing functions, sent by a wallet. Without scripts the page shows the calldata. */
export function writeTab(isProxy: boolean): Render {
  const tab = isProxy ? "write-proxy" : "write";
  return async (context, account, query, path) => {
    const callable = await readCallable(context.network, account, isProxy);
    if (callable === undefined) return UNKNOWN;
    const shown = callable.functions.filter((each) => !isReading(each));
    const asked = findAsked(shown, query);
    const forms = shown.map((called) => {
      const filled = called === asked ? query : undefined;
      const more = called.mutability === "payable" && coinsField(called, filled, context.site.coin);
      const answer = filled && encoded(account.address, called, query);
      return functionForm({ called, path, hidden: { tab }, filled, button: "Write", more, isWrite: true, answer });
    });
    return html`${introduction(account, callable, isProxy)}
<div class="wallet script" data-wallet></div>
${shown.length === 0 ? html`<p class="none">It has no functions that change anything.</p>` : html`<div class="functions">${forms}</div>`}`;
  };
}

const UNKNOWN = html`<p class="none">What this contract can be called with is not known.</p>`;

function findAsked(functions: readonly AbiFunction[], query: Query): AbiFunction | undefined {
  const selector = textOf(query, "function").toLowerCase();
  if (selector === "") return undefined;
  const found = functions.find((each) => each.selector === selector);
  if (found === undefined) throw new ParameterError("There is no such function here.");
  return found;
}

const ORIGINS = {
  source: "From its verified source.",
  abi: "From an ABI that was imported for its code.",
  bytecode: "Guessed from the bytecode: types may be wrong, and names are those of well-known functions.",
} as const;

function introduction({ proxy, implementations }: Account, { origin }: ContractFunctions, isProxy: boolean): Html {
  const through =
    isProxy &&
    html`Calls go to this proxy, which runs ${(proxy?.implementations ?? []).map((each) => html`${fullAddress(each, implementations)} `)}. `;
  return html`<p class="quiet">${through}${ORIGINS[origin]}${origin === "bytecode" && html` <span class="tag warning">guesses</span>`}</p>`;
}

function staticSwitch(tab: string, isStatic: boolean, path: string): Html {
  return isStatic
    ? html`Functions that change the state are tried without changing it. <a href="${path}?tab=${tab}">Show only those that read</a>`
    : html`<a href="${path}?tab=${tab}&amp;static=1">Show functions that change the state as well, to try them without a transaction</a>`;
}

function plainValue(called: AbiFunction, value: Bytes | "reverted" | undefined, link: string): Html {
  const content: Content =
    value === undefined || value === "reverted"
      ? html`<a href="${link}#f-${called.selector}">Query</a>`
      : returnedValue(called, value);
  return html`<div class="function" id="f-${called.selector}"><p>${functionName(called)}</p><div class="answer">${content}</div></div>
`;
}

async function answerCall({ network }: WebContext, address: Bytes, called: AbiFunction, query: Query): Promise<Html> {
  const read = readInput(called, query);
  if ("error" in read) return html`<p class="reason" role="alert">${read.error}</p>`;
  const from = textOf(query, "from").trim();
  if (from !== "" && !isAddress(from)) {
    return html`<p class="reason" role="alert">Called by: an address is 0x and 40 hex digits.</p>`;
  }
  const answer = await callContract(network, {
    to: address,
    data: read.input,
    from: from === "" ? undefined : fromHex(from),
  });
  const result =
    "returned" in answer
      ? returnedValue(called, answer.returned)
      : html`<p class="reason">It reverted: ${reasonText(answer.reason)}</p>${isOwnError(answer.reason) && parameterTable(answer.reason.signature.inputs, answer.reason.values)}`;
  return html`<div class="answer">${result}<p class="quiet">After block ${figure(answer.block)}.</p></div>`;
}

/** Custom errors carry values. */
function isOwnError(reason: RevertReason): reason is DecodedRevert {
  return reason !== null && "signature" in reason && reason.text === null;
}

function fromField({ selector }: AbiFunction, filled: Query | undefined): Html {
  const value = filled === undefined ? "" : textOf(filled, "from");
  return html`<p class="field"><label for="${selector}-from">Called by <code class="quiet">address, if it matters</code></label><input id="${selector}-from" name="from" value="${value}" placeholder="0x…" autocomplete="off" spellcheck="false"></p>`;
}

function coinsField({ selector }: AbiFunction, filled: Query | undefined, coin: string): Html {
  const value = filled === undefined ? "" : textOf(filled, "value");
  return html`<p class="field"><label for="${selector}-value">Amount to send <span class="quiet">${coin}</span></label><input id="${selector}-value" name="value" value="${value}" placeholder="0" inputmode="decimal" autocomplete="off"></p>`;
}

function encoded(address: Bytes, called: AbiFunction, query: Query): Html {
  const call = encodeCall(called, query);
  if ("error" in call) return html`<p class="reason" role="alert">${call.error}</p>`;
  return html`<div class="answer"><p>Send ${figure(call.value)} wei to ${fullAddress(address)} with this data:</p>
<pre id="calldata" tabindex="0">${toHex(call.input)}</pre>${copyFrom("calldata")}</div>`;
}
