export interface RankedList<T> {
  fromRank(rank: number, limit: number): Promise<readonly T[]>;
  after(item: T, limit: number): Promise<readonly T[]>;
}

export interface ItemOrder<T> {
  key(item: T): string;
  /** Strict order. */
  isBefore(item: T, other: T): boolean;
}

export function frontedList<T>(list: RankedList<T>, front: readonly T[], order: ItemOrder<T>): RankedList<T> {
  const places = new Map(front.map((item, at) => [order.key(item), at]));

  const behind = async (first: readonly T[], limit: number): Promise<T[]> => {
    const found: T[] = [];
    for (let some = first; some.length > 0 && found.length < limit; ) {
      found.push(...some.filter((item) => !places.has(order.key(item))));
      const last = some.at(-1);
      some = last === undefined || some.length < limit ? [] : await list.after(last, limit);
    }
    return found.slice(0, limit);
  };

  /** Binary search for the rank in the whole list; each step is a read. */
  const wholeRank = async (rank: number): Promise<number> => {
    let [low, high] = [rank, rank + front.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      const [item] = await list.fromRank(middle, 1);
      const passed = item === undefined ? 0 : front.filter((one) => !order.isBefore(item, one)).length;
      if (item === undefined || middle - passed >= rank) high = middle;
      else low = middle + 1;
    }
    return low;
  };

  const fill = async (own: readonly T[], limit: number): Promise<T[]> => {
    if (own.length >= limit) return own.slice(0, limit);
    const size = limit - own.length;
    return [...own, ...(await behind(await list.fromRank(0, size), size))];
  };

  return {
    fromRank: async (rank, limit) => {
      if (rank < front.length) return fill(front.slice(rank), limit);
      return behind(await list.fromRank(await wholeRank(rank - front.length), limit), limit);
    },
    after: async (item, limit) => {
      const place = places.get(order.key(item));
      return place === undefined ? behind(await list.after(item, limit), limit) : fill(front.slice(place + 1), limit);
    },
  };
}
