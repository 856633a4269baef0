import type { SubgraphKind } from "../../query/subgraph/subgraphMarket.ts";
import type { Operation, Parameter } from "../openapi/operation.ts";
import { Type } from "../openapi/type.ts";
import { arrayOf, fields, text } from "../openapi/values.ts";

const ErrorsSchema = fields("errors", {
  errors: arrayOf(fields("an error", { message: text("what is wrong") }), "what is wrong"),
});

const AnswerSchema = Type.Object({}, { description: "`data`, `errors`, or both" });

const BODY = fields("a query", {
  query: text("the text of the query"),
  variables: Type.Optional(Type.Object({}, { description: "its variables, by name" })),
  operationName: Type.Optional(text("which of its operations to answer")),
});

const PARAMETERS: readonly Parameter[] = [
  {
    name: "query",
    in: "query",
    required: true,
    schema: text("the text of the query"),
    example: "{ _meta { block { number } } }",
  },
  { name: "variables", in: "query", schema: text("its variables, by name, as JSON") },
  { name: "operationName", in: "query", schema: text("which of its operations to answer") },
];

const ANSWERS: Operation["answers"] = {
  200: { description: "The answer, or what is wrong with the query.", schema: AnswerSchema },
  503: { description: "Exchanges are not indexed yet.", schema: ErrorsSchema },
};

export function subgraphOperations(kind: SubgraphKind): Operation[] {
  const path = `/subgraphs/uniswap-${kind}`;
  const summary = `answers a GraphQL query of Uniswap's subgraph of ${kind.toUpperCase()}`;
  const tooLong = { 413: { description: "The body is too long.", schema: ErrorsSchema } };
  return [
    {
      method: "post",
      path,
      tag: "Subgraphs",
      summary,
      parameters: [],
      body: BODY,
      answers: { ...ANSWERS, ...tooLong },
    },
    { method: "get", path, tag: "Subgraphs", summary, parameters: PARAMETERS, answers: ANSWERS },
  ];
}
