/** What one of several nodes shows of its chain. */
export interface ChainView {
  readonly head: number;
  /** The hash of a block at or below the head; undefined where that is not known. */
  hashAt(number: number): string | undefined;
}

/** The newest block of the chain that was followed before. */
export interface Anchor {
  readonly number: number;
  readonly hash: string;
}

/** Whether two nodes are known to be on one branch, as far as both go. */
export function isOneBranch(one: ChainView, other: ChainView): boolean {
  const height = Math.min(one.head, other.head);
  const hash = one.hashAt(height);
  return hash !== undefined && hash === other.hashAt(height);
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
 * The node to follow: of the branch that most of them are on; of branches that as many are on, that which was followed
 * before, or else that of the node that was; and of those the highest. One that is not on a branch with most others may be
 * alone with a block that nobody keeps.
 */
export function chooseView<V extends ChainView>(views: readonly V[], before: Followed<V>): V | undefined {
  // One that another goes on from is behind: it speaks for every branch above it, and is none itself.
  const isTip = (view: V) => !views.some((other) => other.head > view.head && isOneBranch(other, view));
  const ranked = views.filter(isTip).map((view, place) => {
    const supporters = views.filter((other) => isOneBranch(view, other)).length;
    const { anchor } = before;
    const isContinued = anchor === undefined || continues(view, anchor);
    const hasAnchor = isContinued && view.head >= (anchor?.number ?? 0);
    const continuity = Number(isContinued) + Number(hasAnchor);
    return { view, rank: [supporters, continuity, Number(view === before.view), view.head, -place] };
  });
  return ranked.sort((one, other) => compareRanks(other.rank, one.rank))[0]?.view;
}

function compareRanks(one: readonly number[], other: readonly number[]): number {
  const at = one.findIndex((value, place) => value !== other[place]);
  return at < 0 ? 0 : one[at]! - other[at]!;
}
