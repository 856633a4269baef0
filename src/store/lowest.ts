/** The lowest integer of [low, high) that `holds` is true of, where it is true of all above it; else `high`. */
export async function lowest(low: number, high: number, holds: (at: number) => Promise<boolean>): Promise<number> {
  while (low < high) {
    const middle = low + Math.floor((high - low) / 2);
    if (await holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
