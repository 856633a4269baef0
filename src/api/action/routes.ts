import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { ChainError } from "../../chain/error.ts";
import { RPC } from "../../jsonrpc/rpcError.ts";
import { clientOf } from "../http/client.ts";
import type { AnswerError, FailureForm } from "../http/failure.ts";
import { answerErrorsAs, HttpError } from "../http/failure.ts";
import { FormError } from "../http/formError.ts";
import type { Interface } from "../http/interface.ts";
import type { RateLimit } from "../http/rateLimit.ts";
import { costOf } from "../http/rateLimit.ts";
import { acceptForms, readForm } from "../http/readForm.ts";
import type { ResponseCache } from "../http/responseCache.ts";
import type { AppSettings } from "../settings.ts";
import type { ActionContext } from "./action.ts";
import { findAction } from "./actions.ts";
import { ActionError, fail, inEtherscanForm, TOO_MUCH } from "./answer.ts";
import { CHAIN_LIST_PATH, presentChains } from "./chainList.ts";
import { ACTION_OPERATIONS } from "./describe.ts";
import { Parameters } from "./parameters.ts";

const ETHERSCAN_PATH = "/v2/api";

type ActionSettings = Pick<AppSettings, "chainId" | "chainName" | "web">;

/** The module/action API at `/api` and at the paths of other explorers (specification, section 4.2). */
export function actionInterface(
  context: ActionContext,
  settings: ActionSettings,
  responses: ResponseCache,
  limit?: RateLimit,
): Interface {
  const answer = answerWith(context, settings, responses, limit);
  const takeRequests = (scope: FastifyInstance, paths: readonly string[], errorHandler: AnswerError) => {
    acceptForms(scope);
    for (const url of paths) {
      scope.route({ method: ["GET", "POST"], url, handler: answer, errorHandler });
      scope.route({
        method: ["PUT", "PATCH", "DELETE"],
        url,
        onRequest: refuseMethod,
        handler: refuseMethod,
        errorHandler,
      });
    }
  };
  return {
    prefix: "/api",
    answerError: answerActionError,
    routes: (scope) => takeRequests(scope, ["/", "/v1"], answerActionError),
    rootRoutes: (scope) => {
      takeRequests(scope, [ETHERSCAN_PATH], answerEtherscanError);
      scope.get(CHAIN_LIST_PATH, async (request) => presentChains(settings, `${request.protocol}://${request.host}`));
    },
    operations: ACTION_OPERATIONS,
  };
}

function answerWith(
  context: ActionContext,
  { chainId }: ActionSettings,
  responses: ResponseCache,
  limit: RateLimit | undefined,
) {
  return async (request: FastifyRequest, reply: FastifyReply) => {
    const isPost = request.method === "POST";
    const answer = async () => {
      const parameters = await readParameters(request);
      const charge = (cost: number) => limit?.spend(request, cost - costOf(request));
      const isEtherscan = request.routeOptions.url === ETHERSCAN_PATH;
      const answered = await answerInForm(parameters, async () => {
        expectChain(parameters, chainId);
        const allowance = () => limit?.allowance(request);
        const asked = { client: clientOf(request), isPost, isEtherscan, charge, allowance };
        return findAction(parameters)(context, parameters, asked);
      });
      return isEtherscan ? inEtherscanForm(answered) : answered;
    };
    if (!isPost) return responses.serve(request, reply, answer);
    return responses.serveOnce(request, reply, answer);
  };
}

function expectChain(parameters: Parameters, chainId: number): void {
  const asked = parameters.get("chainid");
  if (asked !== undefined && asked !== String(chainId)) throw new ActionError(OTHER_CHAIN);
}

/** Clients of `proxy` expect JSON-RPC errors even for requests refused early. */
async function answerInForm(parameters: Parameters, answer: () => Promise<object>): Promise<object> {
  try {
    return await answer();
  } catch (error) {
    const isProxied = parameters.get("module")?.toLowerCase() === "proxy";
    if (!(isProxied && error instanceof ActionError && error.httpStatus === 200)) throw error;
    return { jsonrpc: "2.0", id: 1, error: { code: RPC.invalidParams, message: error.message } };
  }
}

const OTHER_CHAIN =
  "Missing or unsupported chainid parameter (required for v2 api), please see chainlist for the list of supported chainids";

async function readParameters(request: FastifyRequest): Promise<Parameters> {
  const { url } = request;
  const query = url.includes("?") ? url.slice(url.indexOf("?") + 1) : "";
  return new Parameters(new URLSearchParams(query), await readForm(request));
}

const refuseMethod = async () => {
  throw new HttpError(405, { allow: "GET, HEAD, POST, OPTIONS" });
};

/** Clients read the body, and many reject statuses other than 200. */
const presentFailure = (({ status, message }, error) => {
  if (error instanceof ActionError) return { status: error.httpStatus, body: fail(error.message) };
  if (error instanceof FormError)
    return { status: error.statusCode === 400 ? 200 : error.statusCode, body: fail(error.message) };
  if (error instanceof ChainError && error.code === "limit_exceeded") return { status: 200, body: fail(TOO_MUCH) };
  return { status: STATUSES.has(status) ? status : 200, body: fail(TEXTS[status] ?? message) };
}) satisfies FailureForm;

const answerActionError = answerErrorsAs(presentFailure);
const answerEtherscanError = answerErrorsAs((failure, error) => {
  const { status, body } = presentFailure(failure, error);
  return { status, body: inEtherscanForm(body) };
});

/** Statuses that concern HTTP itself. */
const STATUSES = new Set([400, 404, 405, 413, 414, 415, 429, 500, 502, 503]);
const TEXTS: Readonly<Record<number, string>> = { 429: "Too Many Requests", 500: "Something went wrong." };
