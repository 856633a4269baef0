/** What one of several nodes shows of its chain. */
export interface ChainView {
  readonly head: number;
  /** The hash of a block at or below the head; undefined where that is not known. */
  hashAt(number: number): string | undefined;
  /** Whether its node has shown how its head stands on a block that another has, or nobody else can be asked. */
  readonly isShown: boolean;
}

/** The newest block of the chain that was followed before. */
export interface Anchor {
  readonly number: number;
  readonly hash: string;
}

/** Blocks behind the others at which a node counts as behind. */
export const MAX_LAG = 5;

/** Whether two nodes are on one branch as far as both go; undefined where that is not known. */
export function compareBranches(one: ChainView, other: ChainView): boolean | undefined {
  const height = Math.min(one.head, other.head);
  const [hash, theirs] = [one.hashAt(height), other.hashAt(height)];
  return hash === undefined || theirs === undefined ? undefined : hash === theirs;
}

/** Whether two nodes are known to be on one branch, as far as both go. */
export function isOneBranch(one: ChainView, other: ChainView): boolean {
  return compareBranches(one, other) === true;
}

/** Whether a node may be on the branch that was followed before: one that is lower contradicts nothing. */
export function continues(view: ChainView, { number, hash }: Anchor): boolean {
  return view.head < number || view.hashAt(number) === hash;
}

/** What was followed before: the newest block of it, and the node that showed it. */
export interface Followed<V> {
  readonly anchor: Anchor | undefined;
  readonly view: V | undefined;
}

/**
 * The node to follow, of those whose heads are believed: of the branch that most of them are on; of branches that as many
 * are on, that which was followed before, or else that of the node that was; and of those the highest. One that is not on
 * a branch with most others may be alone with a block that nobody keeps.
 */
export function chooseView<V extends ChainView>(
  views: readonly V[],
  before: Followed<V>,
  total = views.length,
): V | undefined {
  const believed = believedViews(views, total);
  // One that another goes on from is behind: it speaks for every branch above it, and is none itself.
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
 * Those whose newest block may be the head of the chain: a majority of all nodes has it; or no majority lacks it, and its
 * node has shown how it stands on a block of another. Who is far behind the majority does not count as lacking it.
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

/** Whether a node has the newest block of another; undefined where that is not known. */
function hasBlock(one: ChainView, other: ChainView): boolean | undefined {
  return one.head < other.head ? false : compareBranches(one, other);
}

function compareRanks(one: readonly number[], other: readonly number[]): number {
  const at = one.findIndex((value, place) => value !== other[place]);
  return at < 0 ? 0 : one[at]! - other[at]!;
}
