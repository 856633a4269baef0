import type { Operation, Parameter } from "../openapi/operation.ts";
import { Type } from "../openapi/type.ts";
import { fields, text } from "../openapi/values.ts";
import { ACTIONS } from "./actions.ts";
import { CHAIN_LIST_PATH } from "./chainList.ts";
import { ACTION_FORMS } from "./forms.ts";

const Envelope = fields("what every action answers", {
  status: text("`1` for success, `0` for a failure or an empty list, `2` for a list that is not whole yet"),
  message: text("`OK`, or what is wrong"),
  result: Type.Unknown({ description: "what was asked for; in a failure why it failed, of an empty list `[]`" }),
});

const Response = Type.Object(
  {
    jsonrpc: Type.Literal("2.0", { description: "always `2.0`" }),
    id: Type.Unknown({ description: "identifies the response" }),
    status: Type.Optional(text("`1` for success")),
    message: Type.Optional(text("`OK`")),
    result: Type.Optional(Type.Unknown({ description: "its result" })),
    error: Type.Optional(Type.Unknown({ description: "why it failed" })),
  },
  { description: "a response of JSON-RPC" },
);

const query = (name: string, description: string, example: string, values?: readonly string[]): Parameter => ({
  name,
  in: "query",
  required: true,
  schema: values === undefined ? Type.String({ description }) : Type.Enum([...values], { description }),
  example,
});

/** Paths used by clients of different explorers. */
export const ACTION_PATHS = ["/api", "/api/v1", "/v2/api"] as const;

const Chain = Type.Object(
  {
    chainname: text("what the network is called"),
    chainid: text("its chain id"),
    blockexplorer: text("the web explorer, empty if there is none"),
    apiurl: text("where the actions are"),
    status: Type.Integer({ description: "1: it works" }),
    comment: text("empty"),
  },
  { description: "a network" },
);

const CHAIN_LIST: Operation = {
  method: "get",
  path: CHAIN_LIST_PATH,
  tag: "Module/action",
  summary: "The chains that can be asked: the one of this network",
  parameters: [],
  answers: {
    200: {
      description: "The list, without an envelope.",
      schema: Type.Object(
        {
          comments: text("empty"),
          totalcount: Type.Integer({ description: "how many chains there are" }),
          result: Type.Array(Chain, { description: "the chains" }),
        },
        { description: "the chains" },
      ),
    },
  },
};

/** Parameters and results of each action are at the first path, their meanings in docs/action-api.md. */
const ACTIONS_AT: readonly Operation[] = ACTION_PATHS.map((path) => ({
  method: "get",
  path,
  tag: "Module/action",
  summary: "The module/action API: one path for all actions. POST takes the parameters as a form or as JSON, too",
  parameters: [
    query("module", "a module, in any case", "block", Object.keys(ACTIONS)),
    query("action", "one of its actions, in any case", "eth_block_number"),
  ],
  answers: {
    200: { description: "The answer of the action.", schema: Type.Union([Envelope, Response]) },
    400: { description: "There is no such module or action.", schema: Envelope },
    503: { description: "What is asked for is not indexed yet, or the node does not answer.", schema: Envelope },
  },
  ...(path === ACTION_PATHS[0] && { actions: ACTION_FORMS }),
}));

export const ACTION_OPERATIONS: readonly Operation[] = [...ACTIONS_AT, CHAIN_LIST];
