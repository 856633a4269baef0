// Runs before the page is shown, so that it never appears in the other theme first. No module: those run later.
(() => {
  const root = document.documentElement;
  root.classList.add("js");
  const chosen = localStorage.getItem("theme");
  if (chosen === "light" || chosen === "dark") root.dataset.theme = chosen;
})();
