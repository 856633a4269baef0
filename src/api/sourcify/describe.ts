import type { Operation, Parameter } from "../openapi/operation.ts";
import { Type } from "../openapi/type.ts";
import { arrayOf, fields, text } from "../openapi/values.ts";
import { MAX_PAGE } from "./parse.ts";
import { FIELD_NAMES } from "./presentContract.ts";

const path = (name: string, description: string): Parameter => ({
  name,
  in: "path",
  required: true,
  schema: text(description),
});
const query = (name: string, description: string): Parameter => ({ name, in: "query", schema: text(description) });

const CHAIN = path("chainId", "the id of this chain");
const ADDRESS = path("address", "the address of the contract");

const match = (description: string) =>
  Type.Union([Type.Literal("exact_match"), Type.Literal("match"), Type.Null()], { description });

const MATCH = {
  match: match("the better of both"),
  creationMatch: match("of the code that created the contract, null if that is not known"),
  runtimeMatch: match("of the deployed code"),
  chainId: text("the id of the chain"),
  address: text("the address of the contract"),
};

const ErrorSchema = fields("an error", {
  customCode: text("what is wrong, for programs"),
  message: text("what is wrong"),
  errorId: text("identifies the response"),
});
const ContractSchema = fields("a contract", MATCH);
const refused = (description: string) => ({ description, schema: ErrorSchema });

const SUBMITTED = {
  202: {
    description: "The source waits to be compiled.",
    schema: fields("a job", { verificationId: text("its id") }),
  },
  400: refused("The body cannot be read, or there is no contract."),
  409: refused("The contract is verified already."),
  429: refused("Too many sources wait to be compiled."),
};

/** The parts of Sourcify's API that verification tools use. */
export const SOURCIFY_OPERATIONS: readonly Operation[] = [
  {
    method: "post",
    path: "/v2/verify/{chainId}/{address}",
    tag: "Sourcify",
    summary: "submits the standard JSON input of solc for [verification](verification.md)",
    parameters: [CHAIN, ADDRESS],
    body: Type.Object(
      {
        stdJsonInput: Type.Unknown({ description: "the standard JSON input of solc" }),
        compilerVersion: text("such as `0.8.28+commit.7893614a`"),
        contractIdentifier: text("such as `src/A.sol:A`"),
      },
      { description: "a source" },
    ),
    answers: SUBMITTED,
  },
  {
    method: "post",
    path: "/v2/verify/metadata/{chainId}/{address}",
    tag: "Sourcify",
    summary: "submits solc's metadata of a contract and the files that it names",
    parameters: [CHAIN, ADDRESS],
    body: Type.Object(
      {
        metadata: Type.Unknown({ description: "the metadata" }),
        sources: Type.Unknown({ description: "the contents of the files, by any path: they are found by their hash" }),
      },
      { description: "a source" },
    ),
    answers: SUBMITTED,
  },
  {
    method: "post",
    path: "/v2/verify/similarity/{chainId}/{address}",
    tag: "Sourcify",
    summary: "submits the source of a verified contract with the same code",
    parameters: [CHAIN, ADDRESS],
    answers: { ...SUBMITTED, 404: refused("No verified contract has the same code.") },
  },
  {
    method: "get",
    path: "/v2/verify/{verificationId}",
    tag: "Sourcify",
    summary: "what became of a source",
    parameters: [path("verificationId", "the id of the job")],
    answers: {
      200: {
        description: "The job.",
        schema: fields("a job", {
          isJobCompleted: Type.Boolean({ description: "whether it is done" }),
          verificationId: text("its id"),
          jobStartTime: text("when it was submitted"),
          contract: ContractSchema,
          error: Type.Optional(ErrorSchema),
        }),
      },
      404: refused("There is no such job."),
    },
  },
  {
    method: "get",
    path: "/v2/contract/{chainId}/{address}",
    tag: "Sourcify",
    summary: "whether a contract is verified, and its source",
    parameters: [
      CHAIN,
      ADDRESS,
      query("fields", `of ${FIELD_NAMES.join(", ")}, with commas, or \`all\``),
      query("omit", "all but these"),
    ],
    answers: {
      200: { description: "The contract.", schema: ContractSchema },
      404: { description: "The contract is not verified.", schema: ContractSchema },
    },
  },
  {
    method: "get",
    path: "/v2/contract/all-chains/{address}",
    tag: "Sourcify",
    summary: "the contract on each chain where it is verified, of which this server has one",
    parameters: [ADDRESS],
    answers: {
      200: {
        description: "The contract, or none.",
        schema: fields("a list", { results: arrayOf(ContractSchema, "the contracts") }),
      },
    },
  },
  {
    method: "get",
    path: "/v2/contracts/{chainId}",
    tag: "Sourcify",
    summary: "the verified contracts",
    parameters: [
      CHAIN,
      query("limit", `how many, ${MAX_PAGE} at most`),
      query("sort", "`desc` for those verified last first, or `asc`"),
      query("afterMatchId", "only those after the one with this `matchId`"),
    ],
    answers: {
      200: {
        description: "The contracts.",
        schema: fields("a list", { results: arrayOf(ContractSchema, "the contracts") }),
      },
    },
  },
];
