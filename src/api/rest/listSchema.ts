import { Type } from "typebox";
import { arrayOf, count, fields, orNull, record, text } from "../openapi/values.ts";

export const ListSchema = record("List", {
  items: arrayOf(Type.Unknown(), "the records of this page"),
  page: count("this page"),
  page_size: count("the size that was used"),
  total_pages: count("pages of this size, 0 for an empty list"),
  total_count: count("items of the whole list"),
  next_page_params: orNull(
    fields("the query of the next page: `page`, `page_size` and `anchor`; null on the last one", {
      page: count("the next page"),
      page_size: count("the size of this page"),
      anchor: text("what holds the walk to the list as it is"),
    }),
  ),
  block_number: orNull(count("the indexed block the list is true at; null while nothing is indexed")),
  since_block: orNull(count("the first indexed block, where the list begins; null while nothing is indexed")),
});
