/**
 * Iterates a statement in keyset pages of at most `count`. `read` returns the rows after a given one; a short page is
 * the last.
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
