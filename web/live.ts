import { showAges } from "./times.ts";

const PACE = 2000;
const SLOWEST = 30_000;

/** Updates the page while it is visible. An unchanged page costs a response without a body. */
export function followChain(): void {
  let wait = PACE;
  let seen = "";
  const poll = async () => {
    if (!document.hidden) {
      try {
        const answer = await fetch("/live", { cache: "no-cache" });
        if (!answer.ok) throw new Error(String(answer.status));
        const state = await answer.text();
        if (seen === "" || state === seen || (await refresh())) seen = state;
        wait = PACE;
      } catch {
        wait = Math.min(wait * 2, SLOWEST);
      }
    }
    setTimeout(poll, wait);
  };
  setTimeout(poll, 0);
}

/** Puts the parts of the page that changed in the place of the old ones; false if some are in use and wait. */
async function refresh(): Promise<boolean> {
  const answer = await fetch(location.href, { headers: { accept: "text/html" }, cache: "no-cache" });
  if (!answer.ok) return false;
  const next = new DOMParser().parseFromString(await answer.text(), "text/html");
  const parts = document.querySelectorAll<HTMLElement>("[data-live-part]");
  if (parts.length === 0) location.reload();
  let isWhole = true;
  for (const old of parts) {
    const part = next.querySelector(`[data-live-part="${old.dataset.livePart}"]`);
    if (!part || old.contains(document.activeElement)) continue;
    // Rows do not move under the pointer.
    if (old.matches(":hover")) {
      isWhole = false;
      continue;
    }
    showAges(part);
    markNew(old, part);
    old.replaceChildren(...part.childNodes);
  }
  return isWhole;
}

/** Rows that were not there before are shown as such for a moment. */
function markNew(old: Element, part: Element): void {
  const known = new Set([...old.querySelectorAll<HTMLElement>(ROWS)].map(keyOf));
  for (const row of part.querySelectorAll<HTMLElement>(ROWS)) if (!known.has(keyOf(row))) row.classList.add("new");
}

const ROWS = "ol > li[data-key], tbody > tr";

const keyOf = (row: HTMLElement): string | null | undefined =>
  row.dataset.key ?? row.querySelector("a")?.getAttribute("href");
