import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { parseInteger } from "../../chain/encoding/parse.ts";
import { ChainError } from "../../chain/error.ts";
import { parseCompilerVersion } from "../../verify/compilerVersion.ts";
import { LICENSES, NO_LICENSE } from "../../verify/licenses.ts";
import { parseContractName, SourceFault } from "../../verify/standardInput.ts";
import type { Submission, SubmittedSource } from "../../verify/submission.ts";
import { MAX_RUNS } from "../../verify/submission.ts";
import { clientOf } from "../http/client.ts";
import { COSTS } from "../http/rateLimit.ts";
import { acceptForms, readForm } from "../http/readForm.ts";
import type { WebContext } from "./context.ts";
import type { WebPage } from "./page.ts";
import type { Fields } from "./pages/verifyPages.ts";
import { formPage } from "./pages/verifyPages.ts";
import { ParameterError, parseAddress } from "./params.ts";

export const FORM_PATH = "/verify";

type SendPage = (reply: FastifyReply, page: WebPage) => FastifyReply;

const REFUSALS = {
  no_code: "There is no contract at this address.",
  already_verified: "The contract is verified already, with a perfect match.",
  busy: "Too many sources wait to be compiled. Try again in a minute.",
} as const;

/** Handles the form of `/verify`: redirects to the job, or shows the form with the error. */
export function serveSubmissions(scope: FastifyInstance, { verifier }: WebContext, sendPage: SendPage): void {
  if (verifier === undefined) return;
  void scope.register(async (forms) => {
    acceptForms(forms);
    forms.post(FORM_PATH, { config: { cost: COSTS.verification } }, async (request, reply) => {
      const fields = await readFields(request);
      const refuse = (reason: string) => sendPage(reply.code(422), formPage(verifier, fields, reason));
      try {
        const submitted = await verifier.submit(readSubmission(fields), clientOf(request));
        if ("refused" in submitted) return refuse(REFUSALS[submitted.refused]);
        return reply.code(303).header("location", `/verify/${submitted.guid}`).send();
      } catch (error) {
        if (error instanceof ParameterError) return refuse(error.message);
        throw error;
      }
    });
  });
}

async function readFields(request: FastifyRequest): Promise<Fields> {
  return new Map((await readForm(request)).filter(([, value]) => value !== ""));
}

function readSubmission(fields: Fields): Submission {
  const compiler = fields.get("compiler_version") ?? "";
  orRefuse("The compiler is a released version of solc, such as v0.8.28+commit.7893614a.", () =>
    parseCompilerVersion(compiler),
  );
  const contract = fields.get("contract_name") ?? "";
  orRefuse("The name of a contract is one such as Counter or src/Counter.sol:Counter.", () =>
    parseContractName(contract),
  );
  const license = LICENSES.find(({ spdx }) => spdx === fields.get("license"))?.spdx ?? NO_LICENSE;
  return {
    address: parseAddress(fields.get("address") ?? ""),
    compiler,
    contract,
    license,
    source: readSource(fields),
  };
}

function readSource(fields: Fields): SubmittedSource {
  const text = fields.get("file") ?? fields.get("source");
  if (text === undefined) throw new ParameterError("There is no source: choose a file or paste its text.");
  if (fields.get("format") !== "single-file") return { format: "standard-json", text };
  const runs = fields.get("runs");
  const optimizerRuns = parseInteger(runs);
  if (runs !== undefined && (optimizerRuns === undefined || optimizerRuns > MAX_RUNS)) {
    throw new ParameterError("Optimizer runs are a whole number below 2^32, or nothing where it was off.");
  }
  return { format: "single-file", text, optimizerRuns, evmVersion: fields.get("evm_version"), libraries: {} };
}

function orRefuse(reason: string, parse: () => unknown): void {
  try {
    parse();
  } catch (error) {
    if (error instanceof ChainError || error instanceof SourceFault) throw new ParameterError(reason);
    throw error;
  }
}
