import type { FastifyInstance } from "fastify";
import { quantity } from "../../chain/encoding/hex.ts";
import { ChainError } from "../../chain/error.ts";
import { textOf } from "../../jsonrpc/responseBody.ts";
import { isObject } from "../../std/values.ts";
import { HttpError } from "../http/failure.ts";
import { allowOnly } from "../http/httpRules.ts";
import { acceptForms, readForm } from "../http/readForm.ts";
import type { WebContext } from "./context.ts";
import { FAUCET_COINS } from "./pages/developerPage.ts";
import { ParameterError, parseAddress } from "./params.ts";

const MAX_FAUCET_FORM = 1024;
const COIN = 10n ** 18n;

/** Sends coins from an embedded chain's first account to trusted callers. */
export function serveFaucet(scope: FastifyInstance, { accounts, rpc, isTrusted }: WebContext): void {
  if (accounts === undefined || rpc === undefined) return;
  void scope.register(async (forms) => {
    acceptForms(forms, MAX_FAUCET_FORM);
    allowOnly(forms, "/developers/faucet", ["POST"]);
    forms.post("/developers/faucet", async (request, reply) => {
      if (!(await isTrusted(request))) throw new HttpError(403);
      const to = new Map(await readForm(request)).get("address")?.trim() ?? "";
      parseAddress(to);
      const [first] = await accounts();
      if (first === undefined) throw new ParameterError("No account of this chain has coins.");
      const hash = await send(rpc, { from: first.address, to, value: quantity(FAUCET_COINS * COIN) });
      return reply.code(303).header("location", `/tx/${hash}`).send();
    });
  });
}

async function send(rpc: NonNullable<WebContext["rpc"]>, transaction: object): Promise<string> {
  const call = { jsonrpc: "2.0", id: 1, method: "eth_sendTransaction", params: [transaction] };
  const answer = await rpc.handle(JSON.stringify(call), true);
  const parsed: unknown = answer === undefined ? undefined : JSON.parse(textOf(answer));
  if (isObject(parsed) && typeof parsed.result === "string") return parsed.result;
  throw new ChainError("upstream_rejected", "the node did not send the coins");
}
