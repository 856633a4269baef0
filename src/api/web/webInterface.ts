import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { html } from "../html.ts";
import type { AnswerError } from "../http/failure.ts";
import { answerErrorsAs, HttpError } from "../http/failure.ts";
import type { ReadRequest } from "../http/httpRules.ts";
import { allowOnly, serveRead } from "../http/httpRules.ts";
import type { Interface } from "../http/interface.ts";
import { COSTS } from "../http/rateLimit.ts";
import type { ResponseCache } from "../http/responseCache.ts";
import { cacheable, TextResponse } from "../http/responseCache.ts";
import type { Assets } from "./assets.ts";
import { ASSET_PREFIX, loadAssets } from "./assets.ts";
import { serveBlobData } from "./blobData.ts";
import { compressPages } from "./compress.ts";
import type { WebContext, WebRequest, WebRoute } from "./context.ts";
import { DATA_ROUTES } from "./dataRoutes.ts";
import { serveDocumentImages } from "./docs/serveImages.ts";
import { serveFaucet } from "./faucet.ts";
import type { WebPage } from "./page.ts";
import { renderPage } from "./page.ts";
import { ACCOUNT_PAGES } from "./pages/accountPages.ts";
import { ACTIVITY_PAGES } from "./pages/activityPages.ts";
import { ADDRESS_PAGES } from "./pages/addressPage.ts";
import { BLOB_PAGES } from "./pages/blobPage.ts";
import { BLOCK_PAGES } from "./pages/blockPages.ts";
import { CHART_PAGES } from "./pages/chartsPage.ts";
import { CONTRACT_PAGES } from "./pages/contractPages.ts";
import { DEVELOPER_PAGES } from "./pages/developerPage.ts";
import { DOCS_PAGES } from "./pages/docsPages.ts";
import { FILTER_PAGES } from "./pages/filterPage.ts";
import { GAS_PAGES } from "./pages/gasPage.ts";
import { HOME_PAGES } from "./pages/homePage.ts";
import { ITEM_PAGES } from "./pages/itemPage.ts";
import { POOL_PAGES } from "./pages/poolPages.ts";
import { SEARCH_PAGES } from "./pages/searchPages.ts";
import { STATUS_PAGES } from "./pages/statusPage.ts";
import { TOKEN_PAGES } from "./pages/tokenPages.ts";
import { TRANSACTION_PAGES } from "./pages/transactionPage.ts";
import { VERIFY_PAGES } from "./pages/verifyPages.ts";
import { ParameterError } from "./params.ts";
import { FORM_PATH, serveSubmissions } from "./submitForm.ts";

export const PAGES: readonly WebRoute[] = [
  ...HOME_PAGES,
  ...BLOCK_PAGES,
  ...ACTIVITY_PAGES,
  ...FILTER_PAGES,
  ...TRANSACTION_PAGES,
  ...ADDRESS_PAGES,
  ...ACCOUNT_PAGES,
  ...CONTRACT_PAGES,
  ...TOKEN_PAGES,
  ...ITEM_PAGES,
  ...POOL_PAGES,
  ...BLOB_PAGES,
  ...SEARCH_PAGES,
  ...GAS_PAGES,
  ...CHART_PAGES,
  ...VERIFY_PAGES,
  ...DEVELOPER_PAGES,
  ...DOCS_PAGES,
  ...STATUS_PAGES,
];

const HTML_TYPE = "text/html; charset=utf-8";

/** No external resources, no inline scripts or styles, no framing. */
const HEADERS = {
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  "referrer-policy": "same-origin",
  "x-frame-options": "DENY",
} as const;

export function webInterface(context: WebContext, responses: ResponseCache): Interface {
  const assets = loadAssets();
  const answer = answerErrorsAs(({ status, message }, error) => ({
    body: renderPage(
      errorPage(status, error instanceof ParameterError ? error.message : message, context.site),
      context.site,
      assets,
    ),
    type: HTML_TYPE,
  }));
  const answerError: AnswerError = Object.assign(
    (error: Error, request: FastifyRequest, reply: FastifyReply) => answer(error, request, reply.headers(HEADERS)),
    { form: answer.form },
  );
  return {
    prefix: ASSET_PREFIX,
    answerError,
    claims: wantsPage,
    routes: (scope) => serveAssets(scope, assets),
    rootRoutes: (scope) => {
      scope.addHook("onRequest", async (_, reply) => {
        reply.headers(HEADERS);
      });
      compressPages(scope);
      serveBlobData(scope, context);
      serveNetworks(scope, context);
      serveFaucet(scope, context);
      serveDocumentImages(scope);
      serveSubmissions(scope, context, (reply, page) =>
        reply.type(HTML_TYPE).send(renderPage(page, context.site, assets)),
      );
      for (const { path, cost, serve } of DATA_ROUTES) {
        serveRead(scope, path, cost, (request, reply) =>
          responses.serve(request as FastifyRequest, reply, () => serve(context, requestOf(context, request))),
        );
      }
      for (const route of PAGES) servePage(scope, route, context, assets, responses);
    },
    operations: [],
  };
}

/** Browsers request HTML explicitly. */
function wantsPage({ headers }: Pick<FastifyRequest, "headers">): boolean {
  return /\btext\/html\b/.test(headers.accept ?? "");
}

function errorPage(status: number, message: string, site: WebContext["site"]): WebPage {
  if (status === 404) return notFoundPage(site);
  const title = "That did not work";
  return { title, body: html`<h1>${title}</h1><p class="none">${message}</p><p><a href="/">Home</a></p>` };
}

/** Says where it was looked, and what to try. */
function notFoundPage({ chainName, chainId, others }: WebContext["site"]): WebPage {
  const elsewhere = others.map(({ name, title }) => html` <a href="/network/${name}">${title}</a>`);
  const body = html`<h1>Not found</h1>
<p>Neither the index nor the node of ${chainName} (chain ${chainId}) has this, nor is it among the transactions that wait.</p>
<ul class="advice"><li>A transaction that was just sent may take a moment: load the page again.</li>
<li>Compare the address or hash with where it came from, or search for it above.</li>
${others.length > 0 && html`<li>It may be on another network:${elsewhere}.</li>`}
<li>Transactions that wait are in <a href="/txs">the list</a>, and what is indexed so far in the <a href="/index-status">status</a>.</li></ul>
<p><a href="/">Home</a></p>`;
  return { title: "Not found", body };
}

function serveAssets(scope: FastifyInstance, assets: Assets): void {
  serveRead(scope, "/:version/:name", COSTS.record, async ({ params, headers }, reply) => {
    const asset = await assets.find(params.version ?? "", params.name ?? "");
    if (asset === undefined) throw new HttpError(404);
    reply.headers({ "cache-control": "public, max-age=31536000, immutable", vary: "accept-encoding" }).type(asset.type);
    if (!/\bbr\b/.test(headers["accept-encoding"] ?? "")) return reply.send(asset.body);
    return reply.header("content-encoding", "br").send(asset.brotli);
  });
}

function requestOf({ isTrusted }: WebContext, request: FastifyRequest<ReadRequest>): WebRequest {
  const [parameter = "", second] = Object.values(request.params);
  const { query, protocol, host } = request;
  return {
    parameter,
    second,
    query,
    origin: `${protocol}://${HOST_AND_PORT.test(host) ? host : "localhost"}`,
    isTrusted: () => isTrusted(request as FastifyRequest),
  };
}

const HOST_AND_PORT = /^([a-z0-9.-]+|\[[0-9a-f:.]+\])(:\d{1,5})?$/i;

function servePage(
  scope: FastifyInstance,
  { path, cost = COSTS.list, serve }: WebRoute,
  context: WebContext,
  assets: Assets,
  responses: ResponseCache,
): void {
  allowOnly(scope, path, takesPost(path, context) ? ["GET", "HEAD", "POST"] : ["GET", "HEAD"]);
  scope.get<ReadRequest>(path, { config: { cost } }, (request, reply) => {
    if (path === "/" && !wantsPage(request)) {
      return reply.header("vary", "accept").send(describeSite(context));
    }
    return responses.serve(request as FastifyRequest, reply, async () => {
      const { names } = context.network;
      names.noteUse();
      await names.ready();
      const page = await serve(context, requestOf(context, request));
      if ("body" in page) {
        if (page.status !== undefined) reply.code(page.status);
        const forkedAt = await context.network.store.read((session) => session.forkedAt());
        return cacheable(
          page.scope,
          new TextResponse(renderPage({ ...page, forkedAt, path: request.url }, context.site, assets), HTML_TYPE),
        );
      }
      reply.code(302).header("location", page.location);
      return new TextResponse("", HTML_TYPE);
    });
  });
}

/** Forms post to their own path, JSON-RPC to the root. */
function takesPost(path: string, { verifier, rpc }: WebContext): boolean {
  return (path === FORM_PATH && verifier !== undefined) || (path === "/" && rpc !== undefined);
}

/** Networks of a process share the host, under whatever name it was reached. */
function serveNetworks(scope: FastifyInstance, { site }: WebContext): void {
  serveRead(scope, "/network/:name", COSTS.record, (request, reply) => {
    const other = site.others.find(({ name }) => name === request.params.name);
    if (other === undefined || !HOST.test(request.hostname)) throw new HttpError(404);
    return reply.redirect(`${request.protocol}://${request.hostname}:${other.port}/`);
  });
}

const HOST = /^([a-z0-9.-]+|\[[0-9a-f:.]+\])$/i;

/** JSON index of the interfaces. */
function describeSite({ site: { chainName, chainId, version } }: WebContext): object {
  return {
    name: chainName,
    chain_id: chainId,
    version: `oriel/${version}`,
    interfaces: { rest: "/api/v2", actions: "/api", exchange: "/api/v1", rpc: "/rpc" },
    documents: { openapi: "/openapi.json", page: "/docs", reference: "/docs/api" },
  };
}
