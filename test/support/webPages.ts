import assert from "node:assert/strict";

const ENTITIES: Readonly<Record<string, string>> = { lt: "<", gt: ">", quot: '"', "#39": "'", amp: "&" };

export function shownText(markup: string): string {
  return markup.replace(/<[^>]*>/g, "").replace(/&(lt|gt|quot|#39|amp);/g, (_, name: string) => ENTITIES[name]!);
}

/** The text of the first element of a page that has an id. */
export function textOf(page: string, id: string): string {
  const found = new RegExp(`<(\\w+)[^>]* id="${id}"[^>]*>([\\s\\S]*?)</\\1>`).exec(page);
  assert.ok(found, `the page has #${id}`);
  return shownText(found[2]!);
}

export async function getPage(url: string, status = 200): Promise<string> {
  const response = await fetch(url, { headers: { accept: "text/html" } });
  const page = await response.text();
  assert.equal(response.status, status, `${url} ${page.slice(0, 2000)}`);
  assert.match(response.headers.get("content-type")!, /^text\/html/);
  assert.match(response.headers.get("content-security-policy")!, /script-src 'self'; style-src 'self';/);
  assert.doesNotMatch(page, / style="| on\w+="|<script(?! [^>]*src=)/i, "nothing inline");
  return page;
}
