/**
 * All rows of a statement, at most `count` at a time. `read` answers the first of those that come after a row, or the
 * first of all; a page that is not full is the last.
 */
export async function* keysetPages<R>(
  count: number,
  read: (last: R | undefined, count: number) => Promise<R[]>,
): AsyncGenerator<R[]> {
  let last: R | undefined;
  do {
    const rows = await read(last, count);
    if (rows.length > 0) yield rows;
    last = rows.length < count ? undefined : rows.at(-1);
  } while (last !== undefined);
}
