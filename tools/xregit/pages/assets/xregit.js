// Filters the table below an input by the words typed into it; without script the whole table is there.
(() => {
  "use strict";

  function wire(input) {
    const box = input.closest(".xr-filter");
    const table = box.nextElementSibling && box.nextElementSibling.querySelector("table");
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
