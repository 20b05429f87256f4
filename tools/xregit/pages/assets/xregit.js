// Filters the table below an input by the words typed into it; without script the whole table is there.
(() => {
  "use strict";

  function wire(input) {
    const box = input.closest(".xr-filter");
    const next = box.nextElementSibling;
    const table = next && (next.matches("table") ? next : next.querySelector("table"));
    if (!table) return;
    const rows = Array.from(table.tBodies[0].rows, (row) => [row, row.textContent.toLowerCase()]);
    const output = box.querySelector("output");
    const apply = () => {
      const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
      let shown = 0;
      for (const [row, text] of rows) {
        row.hidden = !words.every((word) => text.includes(word));
        if (!row.hidden) shown += 1;
      }
      output.textContent = words.length ? `${shown} of ${rows.length}` : "";
    };
    input.addEventListener("input", apply);
    box.hidden = false;
    apply();
  }

  document.querySelectorAll("[data-xr-filter]").forEach(wire);
})();

// Lets the keyboard scroll tables of hand-written pages where they are wider than the page: the theme wraps them later.
(() => {
  "use strict";

  const article = document.querySelector("article");
  if (!article) return;
  const sized = new ResizeObserver((entries) => {
    for (const { target } of entries) {
      if (target.scrollWidth > target.clientWidth) target.tabIndex = 0;
      else target.removeAttribute("tabindex");
    }
  });
  const wire = () => article.querySelectorAll(".md-typeset__scrollwrap").forEach((each) => sized.observe(each));
  new MutationObserver(wire).observe(article, { childList: true, subtree: true });
  wire();
})();

// Gives each example, command and source a button that copies its text.
(() => {
  "use strict";

  async function copied(text) {
    if (navigator.clipboard) return navigator.clipboard.writeText(text);
    const area = document.createElement("textarea"); // without TLS there is no clipboard
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }

  function wire(box) {
    const button = document.createElement("button");
    button.className = "xr-copy";
    button.type = "button";
    button.textContent = "Copy";
    button.setAttribute("aria-label", `Copy: ${box.querySelector("pre").getAttribute("aria-label")}`);
    button.addEventListener("click", () =>
      copied(box.querySelector("code").textContent).then(
        () => { button.textContent = "Copied"; setTimeout(() => { button.textContent = "Copy"; }, 1500); },
        () => { button.textContent = "Failed"; },
      ));
    box.append(button);
  }

  document.querySelectorAll(".xr-code").forEach(wire);
})();

// Says of how many results the search shows the best.
(() => {
  "use strict";

  const [list, said] = ["list", "meta"].map((name) => document.querySelector(`.md-search-result__${name}`));
  if (!list || !said) return;

  const tell = () => {
    const fitting = list.querySelector("[data-xr-fitting]");
    const shown = said.textContent.match(/^\d+/);
    if (!fitting || !shown) return;
    const all = Number(fitting.dataset.xrFitting).toLocaleString("en");
    said.textContent = `The ${shown[0]} best of ${all} matching documents`;
  };
  new MutationObserver(tell).observe(list, { childList: true });
})();
