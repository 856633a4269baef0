import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Bytes } from "../../chain/encoding/bytes.ts";
import { fromHex } from "../../chain/encoding/hex.ts";
import { ChainError } from "../../chain/error.ts";
import type { QueryContext } from "../../query/context.ts";
import { findContractSource } from "../../query/contracts/verifiedContract.ts";
import { listVerifiedMatches } from "../../query/contracts/verifiedMatches.ts";
import { standardJson } from "../../verify/records/recordedSource.ts";
import type { Submission } from "../../verify/submission.ts";
import type { Verifier } from "../../verify/verifier.ts";
import { clientOf } from "../http/client.ts";
import { allowOnly } from "../http/httpRules.ts";
import type { Interface } from "../http/interface.ts";
import { COSTS } from "../http/rateLimit.ts";
import { acceptForms, readForm } from "../http/readForm.ts";
import { SOURCIFY_OPERATIONS } from "./describe.ts";
import { expectChain, parseFields, parseMetadata, parsePlace, parseSubmission, parseWindow } from "./parse.ts";
import type { ContractLocation } from "./presentContract.ts";
import { presentContract, presentMatch, presentUnverified } from "./presentContract.ts";
import { answerSourcifyError, presentError, SourcifyError } from "./sourcifyError.ts";

interface SourcifyContext {
  readonly network: QueryContext;
  readonly chainId: number;
  readonly verifier: Verifier | undefined;
}

interface PlaceRequest {
  Params: { chainId: string; address: string };
  Querystring: Readonly<Record<string, unknown>>;
}

/** The parts of Sourcify's API that verification tools use. */
export function sourcifyInterface(context: SourcifyContext): Interface {
  return {
    prefix: "/v2/verify",
    answerError: answerSourcifyError,
    routes: (scope) => {
      acceptForms(scope);
      for (const [path, parse] of Object.entries(SUBMISSIONS)) {
        scope.post<PlaceRequest>(path, { config: { cost: COSTS.verification } }, (request, reply) =>
          submit(context, parse, request, reply),
        );
        allowOnly(scope, path, ["POST"]);
      }
      scope.get<{ Params: { id: string } }>("/:id", { config: { cost: COSTS.record } }, ({ params }) =>
        readJob(context, params.id),
      );
      allowOnly(scope, "/:id", ["GET", "HEAD"]);
    },
    rootRoutes: (scope) => readRoutes(scope, context),
    operations: SOURCIFY_OPERATIONS,
    examples: async () => ({ "v2/contracts": String(context.chainId) }),
  };
}

function readRoutes(scope: FastifyInstance, context: SourcifyContext): void {
  const { network, chainId } = context;
  const contract = "/v2/contract/:chainId/:address";
  scope.get<PlaceRequest>(contract, { config: { cost: COSTS.record } }, async ({ params, query }, reply) => {
    const place = parsePlace(params, chainId);
    const found = await readContract(context, place, query);
    return reply.status(found.match === null ? 404 : 200).send(found);
  });
  allowOnly(scope, contract, ["GET", "HEAD"]);
  const chains = "/v2/contract/all-chains/:address";
  scope.get<PlaceRequest>(chains, { config: { cost: COSTS.record } }, async ({ params }) => {
    const found = await readContract(context, parsePlace({ ...params, chainId: String(chainId) }, chainId), {});
    return { results: found.match === null ? [] : [found] };
  });
  allowOnly(scope, chains, ["GET", "HEAD"]);
  const contracts = "/v2/contracts/:chainId";
  scope.get<PlaceRequest>(contracts, { config: { cost: COSTS.list } }, async ({ params, query }) => {
    expectChain(params.chainId, chainId);
    const found = await listVerifiedMatches(network, parseWindow(query));
    return { results: found.map((match) => presentMatch(chainId, match)) };
  });
  allowOnly(scope, contracts, ["GET", "HEAD"]);
}

/** A similar contract is not itself verified. */
async function readContract({ network }: SourcifyContext, place: ContractLocation, query: PlaceRequest["Querystring"]) {
  const fields = parseFields(query);
  const source = await findContractSource(network, place.address);
  return source === undefined || source.isSimilar ? presentUnverified(place) : presentContract(place, source, fields);
}

const REFUSALS = {
  already_verified: [409, "already_verified", "The contract is already verified with an exact match"],
  no_code: [400, "contract_not_deployed", "There is no contract at the address"],
  busy: [429, "too_many_requests", "Too many sources wait to be verified"],
} as const;

type ParseSubmission = (
  context: SourcifyContext,
  address: Bytes,
  fields: ReadonlyMap<string, string>,
) => Submission | Promise<Submission>;

/** Forms of a source, by path. */
const SUBMISSIONS: Readonly<Record<string, ParseSubmission>> = {
  "/:chainId/:address": (_, address, fields) => parseSubmission(address, fields),
  "/metadata/:chainId/:address": (_, address, fields) => parseMetadata(address, fields),
  "/similarity/:chainId/:address": findSimilar,
};

/** The source of a contract with the same code. */
async function findSimilar({ network }: SourcifyContext, address: Bytes): Promise<Submission> {
  const source = await findContractSource(network, address);
  if (source === undefined) {
    throw new SourcifyError(404, "no_similar_match_found", "No verified contract has the code of this one");
  }
  const { compiler, path, name, language, sources, settings } = source.contract;
  const input = standardJson(language, sources, settings);
  return { address, compiler, contract: `${path}:${name}`, license: source.license, source: input };
}

async function submit(
  context: SourcifyContext,
  parse: ParseSubmission,
  request: FastifyRequest<PlaceRequest>,
  reply: FastifyReply,
) {
  const { address } = parsePlace(request.params, context.chainId);
  const submission = await parse(context, address, new Map(await readForm(request)));
  const submitted = await verifierOf(context).submit(submission, clientOf(request));
  if ("refused" in submitted) {
    const [status, code, message] = REFUSALS[submitted.refused];
    throw new SourcifyError(status, code, message);
  }
  return reply.status(202).send({ verificationId: submitted.guid });
}

function verifierOf({ verifier }: SourcifyContext): Verifier {
  if (verifier === undefined) throw new ChainError("unsupported", "this network verifies no contracts");
  return verifier;
}

/** Milliseconds; tools poll every few seconds. */
const TIMEOUT = 10_000;

/** Ids begin with the contract's address. */
async function readJob(context: SourcifyContext, id: string) {
  const job = await verifierOf(context).result(id, TIMEOUT);
  const [, address] = /^([\da-f]{40})[\da-f]{16}$/.exec(id) ?? [];
  if (job === undefined || address === undefined) {
    throw new SourcifyError(404, "job_not_found", "There is no verification with this id");
  }
  const place = { chainId: context.chainId, address: fromHex(`0x${address}`) };
  const isVerified = job.state === "verified";
  return {
    isJobCompleted: job.state !== "pending",
    verificationId: id,
    jobStartTime: new Date(job.submitted * 1000).toISOString(),
    ...(job.state === "failed" && { error: presentError("no_match", job.reason) }),
    contract: isVerified ? await readContract(context, place, {}) : presentUnverified(place),
  };
}
