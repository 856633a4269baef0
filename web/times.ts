const STEPS = [
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
  ["second", 1],
] as const;

const words = new Intl.RelativeTimeFormat("en", { numeric: "always", style: "narrow" });

/** Says how long ago each moment was; the moment itself is its title. */
export function showAges(where: ParentNode): void {
  for (const element of where.querySelectorAll("time")) {
    const seconds = Math.round((Date.parse(element.dateTime) - Date.now()) / 1000);
    const [unit, size] = STEPS.find(([, each]) => Math.abs(seconds) >= each) ?? STEPS[3];
    element.title ||= element.textContent ?? "";
    const age = words.format(Math.trunc(seconds / size), unit);
    const text = element.closest(".facts dd, .parameters") ? `${element.title} (${age})` : age;
    if (element.textContent !== text) element.textContent = text;
  }
}
