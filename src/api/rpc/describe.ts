import type { Operation } from "../openapi/operation.ts";
import { Type } from "../openapi/type.ts";
import { arrayOf, fields, text } from "../openapi/values.ts";

const version = Type.Literal("2.0", { description: "always `2.0`" });
const id = Type.Unknown({ description: "identifies the response" });

const Call = Type.Object(
  {
    jsonrpc: version,
    id: Type.Optional(id),
    method: text("its name, such as `eth_blockNumber`"),
    params: Type.Optional(arrayOf(Type.Unknown(), "its parameters")),
  },
  { description: "a call" },
);

const Result = fields("a result", { jsonrpc: version, id, result: Type.Unknown({ description: "its result" }) });

const Refusal = fields("an error response", {
  jsonrpc: version,
  id,
  error: Type.Object(
    {
      code: Type.Integer({ description: "a code of JSON-RPC or of Ethereum's nodes" }),
      message: text("what went wrong"),
      data: Type.Optional(Type.Unknown({ description: "additional data, such as revert data" })),
    },
    { description: "the error" },
  ),
});

const refused = (description: string) => ({ description, schema: Refusal });

export const EXPLORER_PATHS = ["/api/eth-rpc", "/api/v1/eth-rpc"] as const;

/** One operation per path; methods are documented separately. */
export const RPC_OPERATIONS: readonly Operation[] = ["/rpc", ...EXPLORER_PATHS].map((path) => ({
  method: "post",
  path,
  tag: "JSON-RPC",
  summary: "JSON-RPC 2.0: one call, or several in an array",
  parameters: [],
  body: Type.Union([Call, Type.Array(Call, { description: "a batch" })]),
  answers: {
    200: {
      description: "The response to the call, or an array of responses to a batch.",
      schema: Type.Union([
        Result,
        Refusal,
        Type.Array(Type.Union([Result, Refusal]), { description: "the responses to a batch" }),
      ]),
    },
    413: refused("The body is too large."),
    415: refused("The body is not sent as JSON."),
    429: refused("Too many requests are queued."),
  },
}));
