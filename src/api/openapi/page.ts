import { escapeHtml } from "../html.ts";
import type { JsonSchema, OpenApiAnswer, OpenApiDocument, OpenApiOperation, OpenApiParameter } from "./document.ts";
import { prose, sentence } from "./prose.ts";
import { STYLE } from "./style.ts";

/**
 * Example values by the path segment before a parameter, or two segments where one is ambiguous, or with the segment
 * after it.
 */
export type Examples = Readonly<Record<string, string>>;

/** Self-contained HTML page without scripts. */
export function renderPage(document: OpenApiDocument, examples: Examples, hasDocuments: boolean): string {
  const { title, version, description } = document.info;
  const name = escapeHtml(title);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${name}: API</title>
<style>${STYLE}</style>
</head>
<body>
<nav aria-label="Contents">${renderIndex(document)}</nav>
<main>
<h1>${name}</h1>
<p>${prose(description)}</p>
<p class="note">Oriel ${escapeHtml(version)}. Machine-readable: <a href="/openapi.json">openapi.json</a>.${hasDocuments ? ' All <a href="/docs">documents</a>.' : ""}</p>
${document.tags.map(({ name: tag }) => renderTag(tag, document, examples)).join("\n")}
<h2 id="records">Records</h2>
${Object.entries(document.components.schemas)
  .map(([key, schema]) => renderRecord(key, schema))
  .join("\n")}
</main>
</body>
</html>
`;
}

interface Placed {
  readonly path: string;
  readonly method: string;
  readonly operation: OpenApiOperation;
}

function operationsOf({ paths }: OpenApiDocument, tag: string): Placed[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, operation]) => operation.tags.includes(tag))
      .map(([method, operation]) => ({ path, method, operation })),
  );
}

function renderIndex(document: OpenApiDocument): string {
  const list = (title: string, items: readonly string[]) =>
    `<h2>${escapeHtml(title)}</h2><ul>${items.map((item) => `<li>${item}</li>`).join("")}</ul>`;
  const tags = document.tags.map(({ name }) =>
    list(
      name,
      operationsOf(document, name).map(
        ({ path, operation }) => `<a href="#${operation.operationId}">${escapeHtml(path.replace("/api/v2", ""))}</a>`,
      ),
    ),
  );
  const records = Object.entries(document.components.schemas).map(([key]) => recordLink(key, document));
  return [...tags, list("Records", records)].join("\n");
}

function recordLink(key: string, { components }: OpenApiDocument): string {
  return `<a href="#${anchor(key)}">${escapeHtml(components.schemas[key]?.title ?? key)}</a>`;
}

const anchor = (key: string) => `record-${key}`;

function renderTag(tag: string, document: OpenApiDocument, examples: Examples): string {
  const operations = operationsOf(document, tag).map((placed) => renderOperation(placed, examples));
  return `<h2>${escapeHtml(tag)}</h2>\n${operations.join("\n")}`;
}

function renderOperation({ path, method, operation }: Placed, examples: Examples): string {
  const { operationId, summary, parameters, requestBody, responses } = operation;
  const { 200: answer, ...failures } = responses;
  const url = method === "get" ? exampleUrl(path, parameters, examples) : undefined;
  const shown = escapeHtml(path).replace(/\{\w+\}/g, (braced) => `<var>${braced}</var>`);
  return `<article id="${operationId}">
<h3><span class="method">${method.toUpperCase()}</span><code>${shown}</code></h3>
<p>${sentence(summary)}</p>
${url === undefined ? "" : `<p class="try"><a href="${escapeHtml(url)}"><code>${escapeHtml(url)}</code></a></p>`}
${parameters.length === 0 ? "" : `<h4>Parameters</h4>\n${renderParameters(parameters)}`}
${requestBody === undefined ? "" : renderContent("Body", "", requestBody.content)}
${renderContent("Answer", answer?.description ?? "", answer?.content)}
${Object.keys(failures).length === 0 ? "" : `<h4>Errors</h4>\n${renderFailures(failures)}`}
</article>`;
}

/** Undefined while there is no value for a parameter. */
function exampleUrl(path: string, parameters: readonly OpenApiParameter[], examples: Examples): string | undefined {
  const braced = /([\w-]+)\/([\w-]+)\/\{\w+\}((?:\/[\w-]+)*)/g;
  const fill = (text: string) =>
    text.replace(braced, (all, first: string, last: string, rest: string) => {
      const value = examples[`${last}${rest}`] ?? examples[`${first}/${last}`] ?? examples[last];
      return value === undefined ? all : `${first}/${last}/${encodeURIComponent(value)}${rest}`;
    });
  // The segment before a second parameter follows the first.
  const filled = fill(fill(path));
  if (filled.includes("{")) return undefined;
  const query = parameters.filter((parameter) => parameter.in === "query" && parameter.required);
  const values = query.map(({ name, example = examples[name] }) => ({ name, value: example }));
  if (values.some(({ value }) => value === undefined)) return undefined;
  const search = values.map(({ name, value = "" }) => `${name}=${encodeURIComponent(value)}`).join("&");
  return search === "" ? filled : `${filled}?${search}`;
}

function renderParameters(parameters: readonly OpenApiParameter[]): string {
  const items = parameters.map((parameter) => {
    const { name, required, description, schema } = parameter;
    const notes = [
      typeOf(schema),
      parameter.in === "query" ? "" : `in the ${parameter.in}`,
      required && parameter.in === "query" ? "required" : "",
      schema.default === undefined ? "" : `default ${escapeHtml(String(schema.default))}`,
    ];
    return field(name, notes.filter((note) => note !== "").join(", "), prose(description));
  });
  return `<dl class="fields">${items.join("")}</dl>`;
}

function renderContent(title: string, description: string, content: OpenApiAnswer["content"]): string {
  const schema = content?.["application/json"]?.schema;
  if (schema === undefined) return `<h4>${title}</h4>\n<p>${prose(description)}</p>`;
  return `<h4>${title}</h4>\n<p>${typeOf(schema)}</p>${nestedFields(schema)}`;
}

function renderFailures(failures: Readonly<Record<string, OpenApiAnswer>>): string {
  const items = Object.entries(failures).map(([status, { description, content }]) => {
    const schema = content?.["application/json"]?.schema;
    return field(status, schema === undefined ? "" : typeOf(schema), prose(description));
  });
  return `<dl class="fields">${items.join("")}</dl>`;
}

function renderRecord(key: string, schema: JsonSchema): string {
  return `<article id="${anchor(key)}">\n<h3>${escapeHtml(schema.title ?? key)}</h3>\n${fieldList(schema)}\n</article>`;
}

function fieldList({ properties = {}, required = [] }: JsonSchema): string {
  const items = Object.entries(properties).map(([name, schema]) => {
    const type = `${typeOf(schema)}${required.includes(name) ? "" : ", optional"}`;
    return field(name, type, prose(meaningOf(schema)) + nestedFields(schema));
  });
  return `<dl class="fields">${items.join("")}</dl>`;
}

/** Description, and the allowed values if it does not list them. */
function meaningOf({ description = "", enum: words, items, anyOf }: JsonSchema): string {
  const choices = words ?? items?.enum ?? anyOf?.find((one) => one.enum !== undefined)?.enum ?? [];
  if (choices.every((word) => description.includes(String(word)))) return description;
  return `${description} (${choices.map((word) => `\`${word}\``).join(", ")})`;
}

function field(name: string, type: string, meaning: string): string {
  return `<div><dt><code>${escapeHtml(name)}</code> <span class="type">${type}</span></dt><dd>${meaning}</dd></div>`;
}

/** Fields of anonymous records anywhere in a schema, for each variant. */
function nestedFields(schema: JsonSchema): string {
  const forms = formsOf(schema);
  if (forms.length < 2) return forms.map(fieldList).join("");
  const label = ({ description }: JsonSchema) =>
    description === undefined ? "" : `<p class="note">${sentence(description)}</p>`;
  return forms.map((form) => label(form) + fieldList(form)).join("");
}

function formsOf(schema: JsonSchema): JsonSchema[] {
  const { $ref, properties, items, anyOf = [] } = schema;
  if ($ref !== undefined) return [];
  if (properties !== undefined) return Object.keys(properties).length === 0 ? [] : [schema];
  const forms = [...anyOf, ...(items ? [items] : [])].flatMap(formsOf);
  return [...new Map(forms.map((form) => [JSON.stringify(form), form])).values()];
}

/** Records are links. */
function typeOf(schema: JsonSchema): string {
  const { $ref, type, items, anyOf, allOf } = schema;
  if ($ref !== undefined) {
    const key = $ref.slice($ref.lastIndexOf("/") + 1);
    return `<a href="#${anchor(key)}">${escapeHtml(key.replace(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`))}</a>`;
  }
  if (allOf !== undefined) {
    const [envelope, { properties } = {}] = allOf;
    const listed = properties?.items?.items;
    return `${typeOf(envelope ?? {})}${listed === undefined ? "" : ` of ${typeOf(listed)}`}`;
  }
  if (anyOf !== undefined) return [...new Set(anyOf.map(typeOf))].join(" or ");
  if (type === "array")
    return items === undefined || Object.keys(items).length === 0 ? "array" : `array of ${typeOf(items)}`;
  return escapeHtml(type === "integer" ? "number" : (type ?? "anything"));
}
