interface Suggestion {
  readonly path: string;
  readonly kind: string;
  readonly text: string;
  readonly note: string;
}

const TIMEOUT = 150;

/** Shows results while typing; the arrow keys move through them. */
export function suggest(): void {
  const input = document.querySelector<HTMLInputElement>("#search-input");
  const list = document.querySelector<HTMLUListElement>("#suggestions");
  if (!input || !list) return;
  input.setAttribute("role", "combobox");
  input.setAttribute("aria-controls", list.id);
  const close = () => {
    list.hidden = true;
    input.setAttribute("aria-expanded", "false");
    input.removeAttribute("aria-activedescendant");
  };
  close();
  let timer = 0;
  let last = "";
  input.addEventListener("input", () => {
    clearTimeout(timer);
    timer = window.setTimeout(async () => {
      const asked = input.value.trim();
      last = asked;
      const found = asked === "" ? [] : await find(asked);
      if (last !== asked) return;
      list.replaceChildren(...found.map(render));
      list.hidden = found.length === 0;
      input.setAttribute("aria-expanded", String(found.length > 0));
    }, TIMEOUT);
  });
  input.addEventListener("keydown", (event) => {
    if (event.key === "Escape") close();
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      move(input, list, event.key === "ArrowDown" ? 1 : -1);
    }
    const chosen = list.querySelector<HTMLAnchorElement>("[aria-selected=true] a");
    if (event.key === "Enter" && !list.hidden && chosen) {
      event.preventDefault();
      chosen.click();
    }
  });
  input.addEventListener("blur", () => setTimeout(close, TIMEOUT));
}

async function find(asked: string): Promise<readonly Suggestion[]> {
  try {
    const answer = await fetch(`/suggest?${new URLSearchParams({ q: asked })}`);
    return answer.ok ? await answer.json() : [];
  } catch {
    return [];
  }
}

function render({ path, kind, text, note }: Suggestion, at: number): HTMLLIElement {
  const row = document.createElement("li");
  row.id = `suggestion-${at}`;
  row.setAttribute("role", "option");
  row.setAttribute("aria-selected", "false");
  const link = document.createElement("a");
  link.href = path;
  link.tabIndex = -1;
  for (const [name, content] of [
    ["kind", kind],
    ["text", text],
    ["note", note],
  ] as const) {
    const part = document.createElement(name === "text" ? "bdi" : "span");
    part.className = name;
    part.textContent = content;
    link.append(part, " ");
  }
  row.append(link);
  return row;
}

function move(input: HTMLInputElement, list: HTMLUListElement, step: number): void {
  const rows = [...list.children];
  if (rows.length === 0) return;
  const now = rows.findIndex((row) => row.getAttribute("aria-selected") === "true");
  const next = (now + step + rows.length + (now < 0 && step < 0 ? 1 : 0)) % rows.length;
  for (const [at, row] of rows.entries()) row.setAttribute("aria-selected", String(at === next));
  input.setAttribute("aria-activedescendant", rows[next]!.id);
  rows[next]!.scrollIntoView({ block: "nearest" });
}
