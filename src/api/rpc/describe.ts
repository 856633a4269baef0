import { Type } from "typebox";
import type { Operation } from "../openapi/operation.ts";
import { arrayOf, fields, text } from "../openapi/values.ts";

const version = Type.Literal("2.0", { description: "always `2.0`" });
const id = Type.Unknown({ description: "what the answer is known by" });

const Call = Type.Object(
  {
    jsonrpc: version,
    id: Type.Optional(id),
    method: text("its name, such as `eth_blockNumber`"),
    params: Type.Optional(arrayOf(Type.Unknown(), "what it takes")),
  },
  { description: "a call" },
);

const Result = fields("what came of it", { jsonrpc: version, id, result: Type.Unknown({ description: "its result" }) });

const Refusal = fields("why nothing came of it", {
  jsonrpc: version,
  id,
  error: Type.Object(
    {
      code: Type.Integer({ description: "a code of JSON-RPC or of Ethereum's nodes" }),
      message: text("what went wrong"),
      data: Type.Optional(Type.Unknown({ description: "what a contract said, and the like" })),
    },
    { description: "the error" },
  ),
});

const refused = (description: string) => ({ description, schema: Refusal });

/** JSON-RPC as a whole: its methods are a list of their own. */
export const RPC_OPERATION: Operation = {
  method: "post",
  path: "/rpc",
  tag: "JSON-RPC",
  summary: "JSON-RPC 2.0: one call, or several in an array",
  parameters: [],
  body: Type.Union([Call, Type.Array(Call, { description: "a batch" })]),
  answers: {
    200: {
      description: "The answer to the call, or an array with those of a batch.",
      schema: Type.Union([Result, Refusal, Type.Array(Type.Union([Result, Refusal]), { description: "of a batch" })]),
    },
    413: refused("The body is too large."),
    415: refused("The body is not sent as JSON."),
    429: refused("Too many requests are waiting for the node."),
  },
};
