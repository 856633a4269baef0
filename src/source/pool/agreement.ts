export interface ChainView {
  readonly head: number;
  hashAt(number: number): string | undefined;
  /** Whether the node has linked its head to a block of another node, or there is no other. */
  readonly isShown: boolean;
}

export interface Anchor {
  readonly number: number;
  readonly hash: string;
}

/** Blocks behind the others. */
export const MAX_LAG = 5;

/** Whether two nodes agree up to their lower head; undefined if unknown. */
export function compareBranches(one: ChainView, other: ChainView): boolean | undefined {
  const height = Math.min(one.head, other.head);
  const [hash, theirs] = [one.hashAt(height), other.hashAt(height)];
  return hash === undefined || theirs === undefined ? undefined : hash === theirs;
}

export function isOneBranch(one: ChainView, other: ChainView): boolean {
  return compareBranches(one, other) === true;
}

/** Whether a node may be on the followed branch: a lower head does not contradict it. */
export function continues(view: ChainView, { number, hash }: Anchor): boolean {
  return view.head < number || view.hashAt(number) === hash;
}

interface Followed<V> {
  readonly anchor: Anchor | undefined;
  readonly view: V | undefined;
}

/**
 * Chooses the node to follow among the believed heads: the branch with most nodes, then the branch followed before,
 * then the node followed before, then the highest head. A minority node may be alone with a block that will be dropped.
 */
export function chooseView<V extends ChainView>(
  views: readonly V[],
  before: Followed<V>,
  total = views.length,
): V | undefined {
  const believed = believedViews(views, total);
  // A node that another extends counts for every branch above it and is no tip itself.
  const isTip = (view: V) => !believed.some((other) => other.head > view.head && isOneBranch(other, view));
  const ranked = believed.filter(isTip).map((view, place) => {
    const supporters = views.filter((other) => isOneBranch(view, other)).length;
    const { anchor } = before;
    const isContinued = anchor === undefined || continues(view, anchor);
    const hasAnchor = isContinued && view.head >= (anchor?.number ?? 0);
    const continuity = Number(isContinued) + Number(hasAnchor);
    return { view, rank: [supporters, continuity, Number(view === before.view), view.head, -place] };
  });
  return ranked.sort((one, other) => compareRanks(other.rank, one.rank))[0]?.view;
}

/**
 * Heads that may be the chain's: a majority has the block, or no majority lacks it and its node has linked it to a
 * block of another. Nodes far behind do not count as lacking it.
 */
export function believedViews<V extends ChainView>(views: readonly V[], total: number): readonly V[] {
  const isMajority = (count: number) => count * 2 > total;
  const heads = views.map(({ head }) => head).sort((one, other) => other - one);
  const common = heads[Math.min(Math.floor(total / 2), heads.length - 1)] ?? 0;
  const voters = views.filter(({ head }) => head >= common - MAX_LAG);
  return views.filter((view) => {
    const has = views.filter((other) => other === view || hasBlock(other, view) === true).length;
    const lacks = voters.filter((other) => other !== view && hasBlock(other, view) === false).length;
    return isMajority(has) || (!isMajority(lacks) && view.isShown);
  });
}

/** Undefined if unknown. */
function hasBlock(one: ChainView, other: ChainView): boolean | undefined {
  return one.head < other.head ? false : compareBranches(one, other);
}

function compareRanks(one: readonly number[], other: readonly number[]): number {
  const at = one.findIndex((value, place) => value !== other[place]);
  return at < 0 ? 0 : one[at]! - other[at]!;
}
