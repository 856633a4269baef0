import type { TSchema } from "typebox";

/** A path or query parameter, described by its schema. */
export interface Parameter {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly required?: boolean;
  readonly schema: TSchema;
  /** A value that exists on most chains. */
  readonly example?: string;
}

export interface Answer {
  readonly description: string;
  /** Undefined for non-JSON responses. */
  readonly schema?: TSchema;
  readonly type?: string;
}

/** An action of one path that serves many: the names of its parameters and its result. */
export interface ActionForm {
  readonly required: readonly string[];
  readonly optional: readonly string[];
  readonly result: TSchema;
}

/** Actions by module. */
export type ActionForms = Readonly<Record<string, Readonly<Record<string, ActionForm>>>>;

/** An HTTP operation. Texts are Markdown. */
export interface Operation {
  readonly method: "get" | "post" | "patch";
  /** Parameters in braces. */
  readonly path: string;
  readonly tag: string;
  readonly summary: string;
  readonly parameters: readonly Parameter[];
  /** Schema of the request body. */
  readonly body?: TSchema;
  /** Defaults to JSON. */
  readonly bodyType?: string;
  readonly answers: Readonly<Record<number, Answer>>;
  readonly actions?: ActionForms;
}
