declare const flavour: unique symbol;

/**
 * A type of one flavour. The compiler takes a value of another flavour for an error, and a plain one for what it is used as;
 * at run time they are all the same.
 */
export type Flavour<T, F extends string> = T & { readonly [flavour]?: F };
