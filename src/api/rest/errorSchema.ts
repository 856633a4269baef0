import { always, arrayOf, fields, record, text } from "../openapi/values.ts";

const ErrorSchema = record("Error", {
  message: text(
    "the error message; fixed for each [code](#errors), except `stage_behind`, whose message shows the progress of the stage",
  ),
});

const ParameterErrorSchema = record("Parameter error", {
  message: always("Invalid parameter(s)", "always the same"),
  errors: arrayOf(
    fields("an invalid parameter", {
      title: always("Invalid value", "always the same"),
      source: fields("which parameter", { pointer: text("`/` and the name of the parameter") }),
      detail: text("what was expected"),
    }),
    "the invalid parameters: the name (`source.pointer`) and what was expected (`detail`)",
  ),
});

export const ERROR_SCHEMAS = {
  404: { description: "The item does not exist on this chain.", schema: ErrorSchema },
  413: { description: "The response would exceed a documented limit.", schema: ErrorSchema },
  422: { description: "A parameter is invalid.", schema: ParameterErrorSchema },
  501: { description: "This list is not supported.", schema: ErrorSchema },
  502: { description: "The node refused the call.", schema: ErrorSchema },
  503: {
    description:
      "The data is not available now: a stage is behind or disabled, or the node does not respond. `Retry-After` says when to retry.",
    schema: ErrorSchema,
  },
} as const;

export type ErrorStatus = keyof typeof ERROR_SCHEMAS;
