import type { TSchema } from "typebox";

/** What a request may say beside its path, or in it. Its meaning is the description of its schema. */
export interface Parameter {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly required?: boolean;
  readonly schema: TSchema;
  /** A value that most chains have an answer for. */
  readonly example?: string;
}

/** One answer of an operation. */
export interface Answer {
  readonly description: string;
  /** Undefined for what is no JSON. */
  readonly schema?: TSchema;
  readonly type?: string;
}

/** Something that can be asked for over HTTP. Texts are Markdown, as in the documents. */
export interface Operation {
  readonly method: "get" | "post" | "patch";
  /** With its parameters in braces. */
  readonly path: string;
  readonly tag: string;
  readonly summary: string;
  readonly parameters: readonly Parameter[];
  /** The schema of the body, where there is one. */
  readonly body?: TSchema;
  /** JSON without it. */
  readonly bodyType?: string;
  readonly answers: Readonly<Record<number, Answer>>;
}
