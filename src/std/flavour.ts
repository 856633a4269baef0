declare const flavour: unique symbol;

/** A nominal type: a value of another flavour is a compile error, a plain value is accepted. No cost at run time. */
export type Flavour<T, F extends string> = T & { readonly [flavour]?: F };
