export const STYLE = `
:root {
  color-scheme: light dark;
  --paper: #fdfcfa; --ink: #24221e; --quiet: #6b665c; --line: #e4dfd5; --shade: #f4f1ea; --link: #1d5c8f; --mark: #8a4b12;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #16171a; --ink: #dcdad4; --quiet: #98948a; --line: #2c2e33; --shade: #1f2125; --link: #8dbde6; --mark: #dca66b;
  }
}
* { box-sizing: border-box; }
html { scroll-padding-top: 1.5rem; text-size-adjust: 100%; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 1rem/1.6 system-ui, sans-serif; hyphens: manual; }
a { color: var(--link); text-decoration-thickness: 1px; text-underline-offset: .15em; }
code { font: .875em/1.5 ui-monospace, "SF Mono", Menlo, Consolas, monospace; overflow-wrap: anywhere; }
p code, dd > code { background: var(--shade); border-radius: 3px; padding: .1em .3em; }
h1 { font-size: 1.75rem; line-height: 1.2; letter-spacing: -.01em; margin: 0 0 .75rem; }
h2 { font-size: 1.3rem; line-height: 1.3; margin: 3.5rem 0 0; padding-bottom: .4rem; border-bottom: 1px solid var(--line); }
h3 { font-size: 1rem; line-height: 1.5; margin: 2.5rem 0 .25rem; }
h3 code { font-size: .95em; font-weight: 600; }
h4 { font-size: .8rem; font-weight: 600; color: var(--quiet); margin: 1.1rem 0 .3rem; }
p { margin: .4rem 0; }
var { font-style: normal; color: var(--mark); }
nav { padding: 1.5rem; border-bottom: 1px solid var(--line); font-size: .875rem; }
nav h2 { font-size: .8rem; color: var(--quiet); margin: 1.1rem 0 .2rem; padding: 0; border: 0; }
nav ul { list-style: none; margin: 0; padding: 0; columns: 15rem; }
nav li { break-inside: avoid; padding: .1rem 0; line-height: 1.45; }
nav a { color: inherit; text-decoration: none; }
nav a:hover, nav a:focus-visible { color: var(--link); text-decoration: underline; }
main { max-width: 46rem; padding: 2rem 1.5rem 6rem; }
.method { font: 600 .7rem/1 ui-monospace, Menlo, Consolas, monospace; color: var(--quiet); margin-right: .35rem; }
.try { background: var(--shade); border-radius: 5px; padding: .45rem .7rem; margin: .6rem 0; overflow-wrap: anywhere; }
dl { margin: 0; }
dl.fields > div { padding: .4rem 0; border-top: 1px solid var(--line); }
dl.fields > div:first-child { border-top: 0; }
dt { display: flex; flex-wrap: wrap; gap: 0 .6rem; align-items: baseline; }
dt code { font-weight: 600; }
dd { margin: 0; color: var(--ink); font-size: .925rem; }
dd dl.fields { margin: .3rem 0 0 .1rem; padding-left: .9rem; border-left: 2px solid var(--line); }
.type, .note { color: var(--quiet); font-size: .825rem; }
article:target > h3 { color: var(--mark); }
@media (min-width: 64rem) {
  body { display: grid; grid-template-columns: 19rem minmax(0, 1fr); }
  nav { position: sticky; top: 0; height: 100vh; overflow-y: auto; border-bottom: 0; border-right: 1px solid var(--line); }
  nav ul { columns: auto; }
  main { padding: 2.5rem 3rem 8rem; }
}
@media print { nav { display: none; } body { display: block; } }
`;
