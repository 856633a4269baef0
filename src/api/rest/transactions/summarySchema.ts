import { always, anything, arrayOf, as, fields, record, text } from "../../openapi/values.ts";

export const SentenceSchema = fields("a sentence", {
  summary_template: text("the sentence, with the names of variables in braces; `{native}` is the symbol of the coin"),
  summary_template_variables: anything(
    "each variable by its name: its `type`, which is `address`, `token`, `currency`, `method` or `string`, and its `value`, which is an [address](#address), a [token](#token) or a text; a `currency` is an amount in whole units",
  ),
});

export const SummarySchema = record("Transaction summary", {
  success: always(true, "always true"),
  data: as(
    fields("what it did", {
      summaries: arrayOf(SentenceSchema, "one sentence, with `summary_template` and `summary_template_variables`"),
    }),
    "what it did: `summaries`",
  ),
});
