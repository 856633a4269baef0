import { Type } from "../openapi/type.ts";
import { arrayOf, count, fields, orNull, record, text } from "../openapi/values.ts";

export const ListSchema = record("List", {
  items: arrayOf(Type.Unknown(), "the records of this page"),
  page: count("this page"),
  page_size: count("items on a page"),
  total_pages: orNull(
    count("number of pages, 0 for an empty list; null in a [filtered](#filters) list without a total"),
  ),
  total_count: orNull(count("number of items in the list; null as above")),
  next_page_params: orNull(
    fields("the query parameters of the next page: `page`, `page_size` and `anchor`; null on the last page", {
      page: count("the next page"),
      page_size: count("the size of this page"),
      anchor: text("the cursor that keeps the pages consistent"),
    }),
  ),
  block_number: orNull(count("the indexed block that the list reflects; null while nothing is indexed")),
  since_block: orNull(count("the first indexed block, from which the list starts; null while nothing is indexed")),
});
