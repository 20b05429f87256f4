// Filters the table, list of fields or sections below an input by the words typed into it; without script all is there.
(() => {
  "use strict";

  const FOLDED = ":scope > details > summary";

  // The parts that are shown or not; of a field with others inside, only its own line is looked at.
  function filtered(next) {
    if (next.matches(".xr-fields")) return next.querySelectorAll("li");
    if (next.matches(".xr-sections")) return next.children;
    const table = next.matches("table") ? next : next.querySelector("table");
    return table ? [...table.rows].filter((row) => row.cells[0]?.matches("td")) : []; // of each domain's part
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

// Lets the field in the middle of a page open the search.
(() => {
  "use strict";

  const button = document.querySelector(".xr-find button");
  const field = document.querySelector(".md-search__input");
  if (!button || !field) return;
  button.addEventListener("click", () => {
    const toggle = document.getElementById("__search");
    if (!toggle.checked) toggle.click(); // which a narrow window needs
    field.focus();
  });
  button.hidden = false;
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

// Says where else to look, as long as the search has no results.
(() => {
  "use strict";

  const list = document.querySelector(".md-search-result__list");
  if (!list) return;
  const links = [...document.querySelectorAll(".xr-nav > ul > li > a")];
  const ways = [["/all-messages/", "filter all messages"], ["/recognise/", "have a message recognised"]].flatMap(([end, text]) =>
    links.filter((each) => each.pathname.endsWith(end)).slice(0, 1)
      .map(({ href }) => Object.assign(document.createElement("a"), { href, textContent: text })));
  if (!ways.length) return;
  const hint = document.createElement("p");
  hint.className = "xr-elsewhere";
  hint.append("You can also ", ...ways.flatMap((way, at) => (at ? [" or ", way] : [way])), ".");
  list.after(hint);
})();

// Shows the catalog as a tree in the navigation: loads the parts on the way to this page, and others when they are opened.
(() => {
  "use strict";

  const nav = document.querySelector(".xr-nav");
  if (!nav) return;
  const base = nav.dataset.base.replace(/\/?$/, "/"); // the page of what is not found has "/"
  const BREAK = /(?<=[._-])|(?<=[a-z])(?=[A-Z])/; // where a line of a long name may end
  const FEW = 15; // what has no more below it is open on pages that are not in the tree
  const below = new WeakMap(); // item -> its entries, or the number of the part that has them, and the tree
  const link = (item) => item.querySelector(":scope > a");

  const load = async (tree, part) => (await fetch(`${base}assets/tree/${tree}-${part}.json`)).json();

  function fold(item, tree, entries) {
    below.set(item, [tree, entries]);
    const button = document.createElement("button");
    button.type = "button";
    button.setAttribute("aria-expanded", "false");
    const label = item.querySelector(":scope > a, :scope > span");
    if (label.matches("span")) button.append(label);
    else button.setAttribute("aria-label", `What is in ${label.textContent}`);
    button.addEventListener("click", () => turn(item, button.getAttribute("aria-expanded") !== "true"));
    item.prepend(button);
  }

  async function turn(item, open) {
    if (!item.querySelector(":scope > ul")) {
      const [tree, entries] = below.get(item);
      const list = document.createElement("ul");
      const found = typeof entries === "number" ? await load(tree, entries) : entries;
      list.append(...found.map((entry) => made(tree, entry)));
      item.append(list);
    }
    item.querySelector(":scope > ul").hidden = !open;
    item.querySelector(":scope > button").setAttribute("aria-expanded", String(open));
  }

  function made(tree, [title, address, note, deprecated, entries]) {
    const item = document.createElement("li");
    const label = document.createElement(address ? "a" : "span");
    for (const part of title.split(BREAK)) label.append(part, document.createElement("wbr"));
    if (address) label.href = base + address;
    if (note) label.title = note;
    if (deprecated) label.className = "xr-old";
    item.append(label);
    if (entries) fold(item, tree, entries);
    return item;
  }

  async function lead(item) {
    await turn(item, true);
    if (!nav.dataset.place && item.querySelector(":scope > ul").children.length > FEW) await turn(item, false);
    for (const number of nav.dataset.place?.split(".") ?? []) {
      const items = item.querySelector(":scope > ul").children;
      item = items[Math.min(number, items.length - 1)]; // the last of very many leads to all
      item.classList.add("xr-here");
      if (below.has(item)) await turn(item, true);
      else break;
    }
    if (!nav.dataset.place) return;
    if (link(item)) link(item).setAttribute("aria-current", link(item).pathname === location.pathname ? "page" : "true");
    const box = nav.closest(".md-sidebar__scrollwrap");
    if (!box) return;
    const sized = new ResizeObserver(() => {
      if (box.scrollHeight <= box.clientHeight) return; // the theme gives it its height, perhaps later than this
      box.scrollTop += item.getBoundingClientRect().top - box.getBoundingClientRect().top - box.clientHeight / 3;
      sized.disconnect();
    });
    sized.observe(box);
  }

  nav.querySelectorAll("[data-tree]").forEach((item) => fold(item, item.dataset.tree, 0));
  const here = nav.querySelector("[data-tree].xr-here") ?? nav.querySelector("[data-tree]");
  // From a disk nothing can be loaded: the lists that the first level leads to have all.
  if (here) lead(here).catch(() => nav.querySelectorAll("[data-tree] > button").forEach((button) => button.remove()));
})();

// Colours code, where a browser can do so without changing the page (CSS Custom Highlight API).
(() => {
  "use strict";

  if (!globalThis.CSS?.highlights) return;
  const LONG = 100_000;
  const WORDS = `as async await break case catch class const continue def default defer do elif else enum except export
    extends finally for from func function if implements import in interface let message new oneof optional package
    private public raise repeated required return rpc service static string struct switch syntax throw throws try type var
    void while with yield`.split(/\s+/).join("|");
  const string = String.raw`"(?:\\.|[^"\\\n])*"`;
  const literal = String.raw`(?<![\w.-])(?:true|false|null|None|nil|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)(?![\w.-])`;
  const code = { string: String.raw`${string}|'(?:\\.|[^'\\\n])*'`, literal, keyword: String.raw`\b(?:${WORDS})\b` };
  const hash = String.raw`(?:^|(?<=\s))#.*`;
  const json = { key: String.raw`${string}(?=\s*:)`, string, literal };
  const hashed = { comment: hash, ...code };
  const slashed = { comment: String.raw`//.*|/\*[^]*?\*/`, ...code };
  const LANGUAGES = {
    json,
    yaml: { comment: hash, key: String.raw`^[ -]*[\w.$/-]+(?=:(?:\s|$))`, string, literal },
    xml: { comment: "<!--[^]*?-->", key: String.raw`</?[\w:.-]+|/?>`, string },
    python: hashed, sh: hashed,
    protobuf: slashed, javascript: slashed, typescript: slashed, java: slashed, go: slashed, csharp: slashed,
  };
  const highlights = {};
  for (const name of ["comment", "key", "keyword", "literal", "string"]) {
    highlights[name] = new Highlight();
    CSS.highlights.set(`xr-${name}`, highlights[name]);
  }

  function colour(block) {
    const text = block.textContent;
    const language = block.className.match(/language-(\w+)/)?.[1];
    const tokens = LANGUAGES[language] ?? (!language && /^\s*[{[]/.test(text) ? json : null);
    if (!tokens || text.length > LONG) return;
    const nodes = []; // each text with where it begins
    const walker = document.createTreeWalker(block, NodeFilter.SHOW_TEXT);
    for (let start = 0; walker.nextNode(); start += walker.currentNode.length) nodes.push([start, walker.currentNode]);
    const names = Object.keys(tokens);
    const pattern = new RegExp(names.map((name) => `(?<${name}>${tokens[name]})`).join("|"), "gm");
    for (const match of text.matchAll(pattern)) {
      const end = match.index + match[0].length;
      const [first, startContainer] = nodes.findLast(([start]) => start <= match.index);
      const [last, endContainer] = nodes.findLast(([start]) => start < end);
      const range = { startContainer, startOffset: match.index - first, endContainer, endOffset: end - last };
      highlights[names.find((name) => match.groups[name] !== undefined)].add(new StaticRange(range));
    }
  }

  const idle = globalThis.requestIdleCallback ?? setTimeout;
  document.querySelectorAll(".xr-code code").forEach((block) => idle(() => colour(block)));
})();
