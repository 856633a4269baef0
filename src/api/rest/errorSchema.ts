import { always, arrayOf, fields, record, text } from "../openapi/values.ts";

export const ErrorSchema = record("Error", {
  message: text(
    "what went wrong; fixed for each [code](#errors), save that of `stage_behind`, which says how far the stage is",
  ),
});

export const ParameterErrorSchema = record("Parameter error", {
  message: always("Invalid parameter(s)", "always the same"),
  errors: arrayOf(
    fields("a parameter that cannot be read", {
      title: always("Invalid value", "always the same"),
      source: fields("where it stands", { pointer: text("`/` and the name of the parameter") }),
      detail: text("what it should have been"),
    }),
    "which parameter it is (`source.pointer`), and what it should have been (`detail`)",
  ),
});

/** What a path may answer where it cannot answer what was asked, by status. */
export const FAILURES = {
  404: { description: "There is no such thing on this chain.", schema: ErrorSchema },
  413: { description: "The answer would be larger than a stated limit.", schema: ErrorSchema },
  422: { description: "A parameter cannot be read.", schema: ParameterErrorSchema },
  501: { description: "This list is not offered.", schema: ErrorSchema },
  502: { description: "The node refused the call.", schema: ErrorSchema },
  503: {
    description: "What answers this is behind, off or out of reach; `Retry-After` says when to ask again.",
    schema: ErrorSchema,
  },
} as const;

export type Failure = keyof typeof FAILURES;
