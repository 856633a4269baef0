import type { DocumentNode, FragmentDefinitionNode, SelectionSetNode } from "graphql";
import { GraphQLError, Kind } from "graphql";
import { MAX_DEPTH, MAX_ROOTS, MAX_SELECTED } from "./limits.ts";

interface Size {
  /** Fields, and names of fragments. */
  readonly fields: number;
  readonly depth: number;
  readonly roots: number;
}

const NOTHING: Size = { fields: 0, depth: 0, roots: 0 };

/** Before a query is validated, which takes longer the more fields it has. */
export function checkSize({ definitions }: DocumentNode): GraphQLError | undefined {
  const fragments = new Map(
    definitions.flatMap((one) => (one.kind === Kind.FRAGMENT_DEFINITION ? [[one.name.value, one] as const] : [])),
  );
  const measure = measureFor(fragments);
  const sizes = definitions.map((one) => ("selectionSet" in one ? measure(one.selectionSet) : NOTHING));
  const fields = sizes.reduce((sum, size) => sum + size.fields, 0);
  if (fields > MAX_SELECTED) return refuse(`selects more than ${MAX_SELECTED} fields`);
  if (sizes.some(({ roots }) => roots > MAX_ROOTS)) return refuse(`has more than ${MAX_ROOTS} fields at its root`);
  const isIntrospection = definitions.some((one) => one.kind === Kind.OPERATION_DEFINITION && asksSchema(one));
  const isDeep = sizes.some(({ depth }) => depth > MAX_DEPTH);
  return isDeep && !isIntrospection ? refuse(`is more than ${MAX_DEPTH} selections deep`) : undefined;
}

const refuse = (reason: string) => new GraphQLError(`the query ${reason}`);

/** Its depth is bounded by a rule of its own. */
function asksSchema({ selectionSet: { selections } }: { readonly selectionSet: SelectionSetNode }): boolean {
  return selections.every((one) => one.kind === Kind.FIELD && one.name.value.startsWith("__"));
}

/** Measures selections with fragments in the place of their names. */
export function measureFor(fragments: ReadonlyMap<string, FragmentDefinitionNode>): (set: SelectionSetNode) => Size {
  const known = new Map<string, Size>();
  const measure = (set: SelectionSetNode): Size => {
    let [fields, depth, roots] = [0, 0, 0];
    for (const selection of set.selections) {
      if (selection.kind === Kind.FIELD) {
        const inner = selection.selectionSet === undefined ? NOTHING : measure(selection.selectionSet);
        fields += 1 + inner.fields;
        depth = Math.max(depth, 1 + inner.depth);
        roots++;
        continue;
      }
      const isInline = selection.kind === Kind.INLINE_FRAGMENT;
      const inner = isInline ? measure(selection.selectionSet) : measureFragment(selection.name.value);
      fields += 1 + inner.fields;
      depth = Math.max(depth, inner.depth);
      roots += inner.roots;
    }
    return { fields, depth, roots };
  };
  /** Each is measured once. One that contains itself has no end. */
  const measureFragment = (name: string): Size => {
    const size = known.get(name);
    const fragment = fragments.get(name);
    if (size !== undefined || fragment === undefined) return size ?? NOTHING;
    known.set(name, ENDLESS);
    const found = measure(fragment.selectionSet);
    known.set(name, found);
    return found;
  };
  return measure;
}

const ENDLESS: Size = { fields: Number.POSITIVE_INFINITY, depth: 0, roots: 0 };
