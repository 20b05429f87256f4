// Filters the table, list of fields or sections below an input by the words typed into it; without script all is there.
(() => {
  "use strict";

  const FOLDED = ":scope > details > summary";

  // The parts that are shown or not; of a field with others inside, only its own line is looked at.
  function filtered(next) {
    if (next.matches(".xr-fields")) return next.querySelectorAll("li");
    if (next.matches(".xr-sections")) return next.children;
    const table = next.matches("table") ? next : next.querySelector("table");
    return table ? table.tBodies[0].rows : [];
  }

  const around = (row) => row.parentElement.closest(".xr-fields li");

  function reveal(row) {
    row.hidden = false;
    row.querySelector("details").open = true;
  }

  function wire(input) {
    const box = input.closest(".xr-filter");
    const next = box.nextElementSibling;
    const found = next ? filtered(next) : [];
    if (!found.length) return;
    const rows = Array.from(found, (row) => [row, (row.matches("li") && row.querySelector(FOLDED) || row).textContent.toLowerCase()]);
    const folds = Array.from(next.querySelectorAll(".xr-fields details"), (fold) => [fold, fold.open]);
    const output = box.querySelector("output");
    const apply = () => {
      const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
      const whole = new Set(); // of fields that fit, what is inside is shown too
      let shown = 0;
      folds.forEach(([fold, open]) => { fold.open = open; });
      for (const [row, text] of rows) {
        const fits = words.every((word) => text.includes(word));
        const above = around(row);
        row.hidden = !fits && !whole.has(above);
        if (!row.hidden) whole.add(row);
        if (!fits) continue;
        shown += 1;
        if (words.length) for (let each = above; each; each = around(each)) reveal(each);
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
