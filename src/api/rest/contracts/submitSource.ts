import type { FastifyInstance, FastifyRequest } from "fastify";
import type { TSchema } from "typebox";
import type { Bytes } from "../../../chain/encoding/bytes.ts";
import { isAddress, parseInteger } from "../../../chain/encoding/parse.ts";
import { ChainError } from "../../../chain/error.ts";
import { findJsonFault } from "../../../jsonrpc/jsonFault.ts";
import { isObject } from "../../../std/values.ts";
import { parseCompilerVersion } from "../../../verify/compilerVersion.ts";
import { LICENSES, NO_LICENSE } from "../../../verify/licenses.ts";
import { parseContractName, SourceFault } from "../../../verify/standardInput.ts";
import type { Submission, SubmittedSource } from "../../../verify/submission.ts";
import { isLibraryName, MAX_RUNS } from "../../../verify/submission.ts";
import type { Submitted, Verifier } from "../../../verify/verifier.ts";
import { clientOf } from "../../http/client.ts";
import { HttpError } from "../../http/failure.ts";
import { COSTS } from "../../http/rateLimit.ts";
import { acceptForms, readForm } from "../../http/readForm.ts";
import type { Operation } from "../../openapi/operation.ts";
import { Type } from "../../openapi/type.ts";
import { record, text } from "../../openapi/values.ts";
import { ERROR_SCHEMAS } from "../errorSchema.ts";
import { PATH_PARAMETERS } from "../parameters.ts";
import { ParameterError, parseAddress } from "../params.ts";

/** A submission form. */
interface SubmitRoute {
  /** Below `/smart-contracts/{address}/verification/via/`. */
  readonly via: string;
  readonly summary: string;
  readonly bodyType: string;
  readonly body: TSchema;
  readonly parseSource: (form: Form) => SubmittedSource;
}

/** Empty fields are absent. */
type Form = ReadonlyMap<string, string>;

const COMMON = {
  compiler_version: Type.String({ description: "The version of solc: `v0.8.28+commit.7893614a`." }),
  contract_name: Type.String({ description: "The name of the contract, with its file or without." }),
  license_type: Type.Optional(Type.String({ description: "The license, as `license_types` of the config names it." })),
};

export const SUBMIT_ROUTES: readonly SubmitRoute[] = [
  {
    via: "standard-input",
    summary: "submits the standard JSON input of solc for [verification](verification.md)",
    bodyType: "multipart/form-data",
    body: Type.Object({ ...COMMON, "files[0]": Type.String({ description: "The JSON file." }) }),
    parseSource: (form) => ({ format: "standard-json", text: required(form, "files[0]", "files", "files[]") }),
  },
  {
    via: "flattened-code",
    summary: "submits one Solidity file for [verification](verification.md)",
    bodyType: "application/json",
    body: Type.Object({
      ...COMMON,
      source_code: Type.String({ description: "The text of the file." }),
      is_optimization_enabled: Type.Optional(Type.Boolean({ description: "Whether the optimizer was on." })),
      optimization_runs: Type.Optional(Type.Integer({ description: "The optimizer's `runs`; 200 by default." })),
      evm_version: Type.Optional(Type.String({ description: "The EVM version; the compiler's own by default." })),
      libraries: Type.Optional(
        Type.Record(Type.String(), Type.String(), { description: "The addresses of libraries, by name." }),
      ),
    }),
    parseSource: parseFlattened,
  },
];

const StartedSchema = record("Started verification", {
  message: text("`Smart-contract verification started`"),
  guid: text("the id to ask `checkverifystatus` of the [module/action API](action-api.md) with"),
});

const pathOf = ({ via }: SubmitRoute, address: string) => `/smart-contracts/${address}/verification/via/${via}`;

/** Separate scope with a larger body limit. */
export function submitRoutes(scope: FastifyInstance, verifier: Verifier | undefined): void {
  void scope.register(async (forms) => {
    acceptForms(forms);
    for (const route of SUBMIT_ROUTES) {
      const config = { cost: COSTS.verification };
      forms.post<{ Params: { address: string } }>(pathOf(route, ":address"), { config }, async (request) => {
        if (verifier === undefined) throw new ChainError("unsupported", "this network verifies no contracts");
        const address = parseAddress(request.params.address);
        const submission = readSubmission(address, route, await readFields(request));
        return presentSubmitted(await verifier.submit(submission, clientOf(request)));
      });
      const refuse = async () => {
        throw new HttpError(405, { allow: "POST, OPTIONS" });
      };
      const method = ["GET", "PUT", "PATCH", "DELETE"];
      forms.route({ method, url: pathOf(route, ":address"), onRequest: refuse, handler: refuse });
    }
  });
}

export function submitOperations(prefix: string): readonly Operation[] {
  return SUBMIT_ROUTES.map((route) => ({
    method: "post",
    path: `${prefix}${pathOf(route, "{address}")}`,
    tag: "Addresses",
    summary: route.summary,
    parameters: [PATH_PARAMETERS["smart-contracts"]!],
    body: route.body,
    bodyType: route.bodyType,
    answers: {
      200: { description: "The source waits to be compiled.", schema: StartedSchema },
      400: {
        description: "The contract is verified already, or the form cannot be read.",
        schema: ERROR_SCHEMAS[404].schema,
      },
      404: { description: "There is no contract at the address.", schema: ERROR_SCHEMAS[404].schema },
      422: ERROR_SCHEMAS[422],
      429: { description: "Too many sources wait to be compiled.", schema: ERROR_SCHEMAS[404].schema },
      501: { description: "Contracts cannot be verified here.", schema: ERROR_SCHEMAS[404].schema },
    },
  }));
}

async function readFields(request: FastifyRequest): Promise<Form> {
  return new Map((await readForm(request)).filter(([, value]) => value !== ""));
}

/** Rejects invalid fields by name. */
function readSubmission(address: Bytes, { parseSource }: SubmitRoute, form: Form): Submission {
  const compiler = required(form, "compiler_version");
  orParameterError("compiler_version", "a released solc, such as v0.8.28+commit.7893614a", () =>
    parseCompilerVersion(compiler),
  );
  const contract = required(form, "contract_name");
  orParameterError("contract_name", "the name of a contract, such as src/A.sol:A or A", () =>
    parseContractName(contract),
  );
  const license = form.get("license_type") ?? "none";
  const known = LICENSES.find(({ type }, at) => type === license || String(at + 1) === license);
  return { address, compiler, contract, license: known?.spdx ?? NO_LICENSE, source: parseSource(form) };
}

function orParameterError(parameter: string, expected: string, parse: () => unknown): void {
  try {
    parse();
  } catch (error) {
    if (error instanceof ChainError || error instanceof SourceFault) throw new ParameterError(parameter, expected);
    throw error;
  }
}

function required(form: Form, ...names: readonly [string, ...string[]]): string {
  const value = names.map((name) => form.get(name)).find((found) => found !== undefined);
  if (value === undefined) throw new ParameterError(names[0], "a value");
  return value;
}

function parseFlattened(form: Form): SubmittedSource {
  const evmVersion = form.get("evm_version");
  return {
    format: "single-file",
    text: required(form, "source_code"),
    optimizerRuns: parseRuns(form),
    evmVersion: evmVersion === "default" ? undefined : evmVersion,
    libraries: parseLibraries(form.get("libraries") ?? "{}"),
  };
}

function parseRuns(form: Form): number | undefined {
  if (form.get("is_optimization_enabled") !== "true") return undefined;
  const runs = parseInteger(form.get("optimization_runs") ?? "200");
  if (runs === undefined || runs > MAX_RUNS) throw new ParameterError("optimization_runs", "an integer below 2^32");
  return runs;
}

function parseLibraries(json: string): Record<string, string> {
  const expected = () => new ParameterError("libraries", "an object of addresses by the names of libraries");
  let parsed: unknown;
  try {
    parsed = findJsonFault(json) === undefined ? JSON.parse(json) : undefined;
  } catch {
    throw expected();
  }
  if (!isObject(parsed)) throw expected();
  const libraries = Object.entries(parsed);
  const isLibrary = ([name, address]: [string, unknown]) => isLibraryName(name) && isAddress(address);
  if (!libraries.every(isLibrary)) throw expected();
  return Object.fromEntries(libraries) as Record<string, string>;
}

const REFUSALS = {
  no_code: { status: 404, message: "Address is not a smart-contract" },
  already_verified: { status: 400, message: "Already verified" },
  busy: { status: 429, message: "Too many sources wait to be verified", headers: { "retry-after": "30" } },
} as const;

function presentSubmitted(submitted: Submitted) {
  if ("guid" in submitted) return { message: "Smart-contract verification started", guid: submitted.guid };
  const { status, message, ...more } = REFUSALS[submitted.refused];
  throw Object.assign(new HttpError(status, "headers" in more ? more.headers : {}), { message });
}
