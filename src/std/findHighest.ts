const BATCH_SIZE = 32;

/**
 * Returns the highest number in (low, high) for which `holds` is true, or `low` if there is none. The predicate must be
 * monotonic. Probes from the top in batches, then bisects the remainder.
 */
export async function findHighest(
  low: number,
  high: number,
  holds: (numbers: readonly number[]) => Promise<readonly boolean[]>,
): Promise<number> {
  let [highest, above, gap] = [low, high, 1];
  while (above - highest > 1) {
    const numbers: number[] = [];
    for (let number = above - 1; number > highest && numbers.length < BATCH_SIZE; number -= gap) numbers.push(number);
    const at = (await holds(numbers)).indexOf(true);
    highest = numbers[at] ?? highest;
    above = (at < 0 ? numbers.at(-1) : numbers[at - 1]) ?? above;
    gap = Math.ceil((above - highest - 1) / BATCH_SIZE);
  }
  return highest;
}
