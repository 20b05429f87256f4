// The map: the system of system.js, which is written when the site is built, drawn by Cytoscape.js and laid out by dagre.
// One can search it, focus on one thing and what leads to it and from it, and open domains; the address has what is
// shown. Without this script the page has the picture as it was drawn then, and paper always has.
(() => {
  "use strict";

  const place = document.getElementById("xr-map");
  const { cytoscape, xregitSystem: data } = globalThis;
  if (!place || !cytoscape || !data) return;

  // More than this is collapsed by domain, or cut off: nobody reads it.
  const MAX_SHOWN = 300;
  const MAX_MESSAGES = 100;
  const MAX_HALF = 30; // signs at each end of a title
  const FONT_SIZE = 13;
  const MIN_ZOOM = 0.55;
  const MAX_ZOOM = 1.05;
  const SIZE = { width: 208, height: 32 };
  const KINDS = { group: "Message group", endpoint: "Endpoint", channel: "Channel", message: "Message", domain: "Domain" };
  const root = place.dataset.root;

  const nodes = new Map(data.nodes.map(([key, kind, title, note, page, column, domain]) => [key, {
    key, kind, title, note, page: kind === "channel" ? "" : root + page, column, domain: data.domains[domain],
    text: `${key} ${title} ${note}`.toLowerCase(), to: [], from: [],
  }]));
  const keys = [...nodes.keys()];
  for (const [one, other] of data.edges) {
    nodes.get(keys[one]).to.push(keys[other]);
    nodes.get(keys[other]).from.push(keys[one]);
  }
  const domains = data.domains.slice().sort(new Intl.Collator("en", { numeric: true }).compare);
  const sizes = new Map(domains.map((domain) => [domain, { group: 0, endpoint: 0, channel: 0 }]));
  for (const { domain, kind } of nodes.values()) sizes.get(domain)[kind] += 1;

  const counted = (count, name) => `${count.toLocaleString("en")} ${name}${count === 1 ? "" : "s"}`;
  const titleOf = (domain) => domain || "no domain";

  // ---- What is asked for, in the address

  const state = { focus: "", steps: 0, words: "", groups: true };

  function readAddress() {
    const query = new URLSearchParams(location.search);
    state.focus = query.get("focus") ?? "";
    state.steps = Number(query.get("steps")) || 0;
    state.words = query.get("words") ?? "";
    state.groups = query.get("groups") !== "no";
    if (state.focus && !find(state.focus)) state.focus = "";
  }

  function writeAddress(isStep) {
    const query = new URLSearchParams();
    if (state.focus) query.set("focus", state.focus);
    if (state.steps) query.set("steps", state.steps);
    if (state.words) query.set("words", state.words);
    if (!state.groups) query.set("groups", "no");
    const text = query.toString();
    history[isStep ? "pushState" : "replaceState"](null, "", text ? `?${text}` : location.pathname);
  }

  // Returns a node of the system; that of a domain, or of a message, is made when it is asked for.
  function find(key) {
    if (nodes.has(key)) return nodes.get(key);
    if (key.startsWith("domain/")) {
      const domain = key.slice(7);
      if (!sizes.has(domain)) return undefined;
      const notes = Object.entries(sizes.get(domain)).filter(([, count]) => count).map(([kind, count]) => counted(count, kind));
      return { key, kind: "domain", title: titleOf(domain), note: notes.join(", "), page: "", domain, to: [], from: [] };
    }
    const [, above, id] = key.match(/^(\/[^/]+\/[^/]+)\/messages\/([^/]+)$/) ?? [];
    const group = nodes.get(above);
    if (!group) return undefined;
    return { key, kind: "message", title: id, note: `in ${group.title}`, page: `${group.page}messages/${encodeURIComponent(id)}/`, domain: group.domain, to: [above], from: [] };
  }

  // ---- What is shown: nodes by key, the domains that are one node, and how many were left out

  function scope() {
    const words = state.words.toLowerCase().split(/\s+/).filter(Boolean);
    const focus = state.focus ? find(state.focus) : null;
    if (words.length) return matching(words);
    if (focus && focus.kind !== "domain") return lineage(focus);
    const all = [...nodes.values()].filter((node) => state.groups || node.kind !== "group");
    if (focus) return around(focus, all);
    const closed = all.length > MAX_SHOWN ? new Set(domains) : new Set();
    return { shown: all, closed, left: 0 };
  }

  function matching(words) {
    const found = [...nodes.values()].filter(({ text }) => words.every((word) => text.includes(word)));
    const shown = new Set(found.slice(0, MAX_SHOWN));
    for (const node of [...shown]) for (const key of [...node.to, ...node.from]) if (shown.size < MAX_SHOWN) shown.add(nodes.get(key));
    return { shown: [...shown], closed: new Set(), left: Math.max(0, found.length - MAX_SHOWN), found: new Set(found) };
  }

  // What comes to a thing, and what goes on from it, up to so many steps each way.
  function lineage(focus) {
    const shown = new Map([[focus.key, focus]]);
    let left = 0;
    for (const way of ["to", "from"]) {
      let edge = [focus];
      for (let step = 0; edge.length && (!state.steps || step < state.steps); step += 1) {
        const next = [];
        for (const key of edge.flatMap((node) => node[way])) {
          if (shown.has(key)) continue;
          if (shown.size >= MAX_SHOWN) { left += 1; continue; }
          shown.set(key, nodes.get(key));
          next.push(nodes.get(key));
        }
        edge = next;
      }
    }
    for (const message of messages.get(focus.key) ?? []) shown.set(message.key, message);
    return { shown: [...shown.values()], closed: new Set(), left };
  }

  // A domain with all that is in it, and the domains beside it as one node each.
  function around(focus, all) {
    const inside = all.filter(({ domain }) => domain === focus.domain);
    const near = new Set(inside.flatMap(({ to, from }) => [...to, ...from]).map((key) => nodes.get(key).domain));
    const closed = new Set(domains.filter((domain) => domain !== focus.domain));
    const shown = [...inside.slice(0, MAX_SHOWN), ...all.filter(({ domain }) => closed.has(domain) && near.has(domain))];
    return { shown, closed, left: Math.max(0, inside.length - MAX_SHOWN) };
  }

  // Returns what Cytoscape draws. Nodes of a closed domain are one, and lines between two domains one of a greater width.
  function elements({ shown, closed, found }) {
    const alias = new Map(shown.map((node) => [node.key, closed.has(node.domain) ? `domain/${node.domain}` : node.key]));
    const drawn = new Map();
    for (const node of shown) drawn.set(alias.get(node.key), closed.has(node.domain) ? find(`domain/${node.domain}`) : node);
    const open = new Set([...drawn.values()].filter(({ kind }) => kind !== "domain").map(({ domain }) => domain));
    const boxed = !state.words && (!state.focus || state.focus.startsWith("domain/")) && (open.size > 1 || closed.size > 0);
    const lines = new Map();
    for (const node of shown) {
      for (const key of node.to) {
        const [one, other] = [alias.get(node.key), alias.get(key)];
        if (one && other && one !== other) lines.set(`${one}\n${other}`, (lines.get(`${one}\n${other}`) ?? 0) + 1);
      }
    }
    const items = boxed ? [...open].map((domain) => ({ data: { id: `box/${domain}`, label: titleOf(domain), kind: "box" }, selectable: false, grabbable: false })) : [];
    for (const node of drawn.values()) {
      const label = node.kind === "domain" ? `${node.title}\n${node.note}` : shorten(node.title);
      const item = { data: { id: node.key, label, kind: node.kind }, classes: [node.kind, node.key === state.focus && "focus", found?.has(node) && "found"].filter(Boolean) };
      if (boxed && node.kind !== "domain") item.data.parent = `box/${node.domain}`;
      items.push(item);
    }
    for (const [pair, count] of lines) {
      const [source, target] = pair.split("\n");
      items.push({ data: { id: pair, source, target, width: Math.min(3, 1 + Math.log2(count) / 2), kind: "line" } });
    }
    return items;
  }

  // Titles begin and end tellingly, so that the middle is left out of one that is wider than a box.
  const pen = document.createElement("canvas").getContext("2d");
  function shorten(title) {
    pen.font = `${FONT_SIZE}px ${getComputedStyle(place).fontFamily}`;
    const signs = [...title];
    let half = Math.ceil(signs.length / 2);
    let shorter = title;
    while (half > 1 && pen.measureText(shorter).width > SIZE.width - 16) {
      half = Math.min(half - 1, MAX_HALF);
      shorter = `${signs.slice(0, half).join("")}…${signs.slice(-half).join("")}`;
    }
    return shorter;
  }

  // ---- The picture

  let colour;
  {
    // The theme's colours as Cytoscape reads them, whatever notation they are written in.
    const probe = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
    const element = document.createElement("span");
    place.append(element);
    colour = (value) => {
      element.style.color = value;
      probe.clearRect(0, 0, 1, 1);
      probe.fillStyle = getComputedStyle(element).color;
      probe.fillRect(0, 0, 1, 1);
      const [red, green, blue, alpha] = probe.getImageData(0, 0, 1, 1).data;
      return alpha === 255 ? `rgb(${red},${green},${blue})` : `rgba(${red},${green},${blue},${alpha / 255})`;
    };
  }

  function style() {
    const [paper, ink, muted, accent, soft] = ["--md-default-bg-color", "--md-typeset-color", "--xr-muted", "--xr-accent", "--xr-soft"].map((name) => colour(`var(${name})`));
    const tint = colour("color-mix(in srgb, var(--xr-accent) 12%, var(--md-default-bg-color))");
    const font = getComputedStyle(place).fontFamily;
    return [
      { selector: "node", style: { shape: "round-rectangle", ...SIZE, "background-color": paper, "border-color": muted, "border-width": 1, label: "data(label)", color: ink, "font-family": font, "font-size": FONT_SIZE, "text-valign": "center", "text-wrap": "ellipsis", "text-max-width": SIZE.width - 16 } },
      { selector: "node.group, node.message", style: { "background-color": tint, "border-color": accent } },
      { selector: "node.channel", style: { "background-color": soft, "border-style": "dashed" } },
      { selector: "node.domain", style: { "background-color": tint, "border-color": accent, "border-width": 2, width: 250, height: 54, "text-wrap": "wrap", "text-max-width": 236, "font-size": 12, "line-height": 1.3 } },
      { selector: "node[kind = 'box']", style: { "background-opacity": 0, "border-color": muted, "border-style": "solid", "border-opacity": 0.5, "text-valign": "top", "text-halign": "center", "text-margin-y": -4, "font-size": 15, "font-weight": "bold", padding: 14, "text-wrap": "none", events: "no" } },
      { selector: "edge", style: { width: "data(width)", "line-color": muted, "target-arrow-color": muted, "target-arrow-shape": "vee", "arrow-scale": 0.8, "curve-style": "bezier", "source-endpoint": "90deg", "target-endpoint": "270deg", opacity: 0.8 } },
      { selector: "edge.many", style: { opacity: 0.12 } },
      { selector: "edge.near", style: { "line-color": accent, "target-arrow-color": accent, opacity: 1, "z-index": 9 } },
      { selector: "edge.down", style: { "source-endpoint": "180deg", "target-endpoint": "0deg" } },
      { selector: "edge.aside", style: { "source-endpoint": "outside-to-node", "target-endpoint": "outside-to-node" } },
      { selector: "node.found, node.focus, node:selected", style: { "border-color": accent, "border-width": 3 } },
      { selector: ".faded", style: { opacity: 0.25 } },
    ];
  }

  const canvas = document.createElement("div");
  canvas.className = "xr-canvas";
  canvas.id = "__________cytoscape_stylesheet"; // else Cytoscape adds a style element, which the site's policy refuses
  canvas.setAttribute("role", "img");
  let cy;

  // Each domain is laid out for itself and the results set side by side; a focus, or what fits some words, as one.
  function arrange() {
    // A focus fits a phone from top to bottom.
    const isNarrow = canvas.clientWidth < 600 && Boolean(state.focus || state.words);
    const flow = (part) => {
      // Of domains that nearly all have to do with one another, lines in an order say nothing: one finds names in a grid.
      const many = part.nodes(".domain").length > 0 && part.edges().length > 2 * part.nodes().length;
      if (many) part.edges().addClass("many");
      const alone = many ? part.nodes() : part.nodes().filter((node) => node.edgesWith(part.nodes()).empty());
      const joined = many ? cy.collection() : part.not(alone);
      if (joined.length) joined.layout({ name: "dagre", rankDir: isNarrow ? "TB" : "LR", nodeSep: 12, rankSep: isNarrow ? 40 : 60, edgeSep: 6, fit: false, animate: false, ranker: joined.nodes().length > 150 ? "longest-path" : "network-simplex" }).run();
      // What nothing leads to or from stands in rows below.
      const box = joined.length ? joined.boundingBox() : { x1: 0, y2: 0 };
      if (alone.empty()) return;
      const [width, height] = [alone.outerWidth(), alone.outerHeight()];
      const columns = isNarrow ? 1 : Math.max(2, Math.min(4, Math.floor(canvas.clientWidth / width)));
      alone.positions((node, number) => ({ x: box.x1 + width / 2 + (width + 40) * (number % columns), y: box.y2 + height + (height + 14) * Math.floor(number / columns) }));
    };
    const boxes = cy.nodes("[kind = 'box']");
    const loose = cy.nodes("[kind != 'box']").orphans();
    const blocks = [...boxes.map((box) => box.children()), loose].filter((part) => part.length);
    const width = Math.max(canvas.clientWidth / 0.8, 900);
    let [x, y, row] = [0, 0, 0];
    for (const block of blocks) {
      flow(block.union(block.edgesWith(block)));
      const box = block.boundingBox();
      if (x && x + box.w > width) [x, y, row] = [0, y + row + 80, 0];
      block.shift({ x: x - box.x1, y: y - box.y1 });
      x += box.w + 70;
      row = Math.max(row, box.h);
    }
    if (isNarrow) cy.edges().addClass("down");
    else cy.edges().forEach((edge) => { edge.toggleClass("aside", edge.source().position("x") + 40 > edge.target().position("x")); });
  }

  // Shows all if it can be read; else what one reads first: the focus, or the beginning, as wide as there is room for.
  function fit() {
    const box = cy.elements().boundingBox();
    const zoom = Math.min(MAX_ZOOM, Math.max(MIN_ZOOM, (canvas.clientWidth - 40) / box.w));
    if (!document.fullscreenElement) canvas.style.height = `${Math.max(120, Math.min(box.h * zoom + 40, 0.6 * innerHeight))}px`;
    cy.resize();
    cy.zoom(zoom);
    cy.center();
    const focus = cy.nodes(".focus");
    const isWide = box.w * zoom > canvas.clientWidth;
    const isHigh = box.h * zoom > canvas.clientHeight;
    if (focus.length && (isWide || isHigh)) cy.center(focus);
    const shown = cy.elements().renderedBoundingBox();
    if (isWide && !focus.length) cy.panBy({ x: 20 - shown.x1, y: 0 });
    if (isHigh && !focus.length) cy.panBy({ x: 0, y: 20 - shown.y1 });
  }

  // ---- The page

  function make(name, properties = {}, ...children) {
    const element = Object.assign(document.createElement(name), properties);
    element.append(...children);
    return element;
  }
  const button = (text, action, label = "") => {
    const made = make("button", { type: "button", className: "xr-button", ariaLabel: label || null }, text);
    made.addEventListener("click", action);
    return made;
  };

  const search = make("input", { type: "search", autocomplete: "off", spellcheck: false, placeholder: "Endpoint, channel, group, protocol …" });
  const domain = make("select", {}, make("option", { value: "" }, "all"), ...domains.map((each) => make("option", { value: `domain/${each}` }, titleOf(each))));
  const steps = make("select", {}, ...[[0, "all"], [1, "1"], [2, "2"], [3, "3"]].map(([value, text]) => make("option", { value }, text)));
  const stepsLabel = make("label", {}, "Steps each way", steps);
  const groups = make("input", { type: "checkbox" });
  const whole = button("Whole map", () => go({ focus: "", words: "" }));
  const status = make("output", { className: "xr-count" });
  const facts = make("div", { className: "xr-map-facts" });
  facts.setAttribute("aria-live", "polite");
  const messages = new Map();

  function draw() {
    const current = scope();
    cy.elements().remove();
    cy.add(elements(current));
    arrange();
    fit();
    const focus = state.focus ? find(state.focus) : null;
    const about = focus ? `${KINDS[focus.kind]} ${focus.title}: ` : "";
    const closed = cy.nodes(".domain").length;
    const inside = focus?.kind === "domain" ? current.shown.filter((node) => node.domain === focus.domain) : current.shown;
    const others = closed ? `, ${inside === current.shown ? "in" : "and"} ${counted(closed, inside === current.shown ? "domain" : "other domain")}` : "";
    const left = current.left ? `; ${current.left.toLocaleString("en")} more are not shown` : "";
    status.textContent = `${about}${counted(inside.length, "part")}${focus ? "" : " of the system"}${others}${left}`;
    canvas.setAttribute("aria-label", `Picture of the system. ${status.textContent}. The list below says the same.`);
    search.value = state.words;
    steps.value = String(state.steps);
    stepsLabel.hidden = !focus || focus.kind === "domain";
    domain.value = focus?.kind === "domain" ? state.focus : "";
    groups.checked = state.groups;
    whole.disabled = !state.focus && !state.words;
    show(focus);
  }

  function go(change, isStep = true) {
    Object.assign(state, change);
    writeAddress(isStep);
    draw();
  }

  // Says what a node is, where it leads, and what one can do with it.
  function show(node) {
    cy.elements().removeClass("faded");
    if (!node) {
      facts.replaceChildren(make("p", {}, "Click a box for details; double-click it to focus on it."));
      return;
    }
    const drawn = cy.getElementById(node.key);
    const others = (way) => (node.kind === "domain" ? drawn[way === "to" ? "outgoers" : "incomers"]("node").map((each) => each.id()) : node[way]);
    cy.edges().removeClass("near");
    drawn.connectedEdges(".many").addClass("near");
    if (drawn.length && node.key !== state.focus) cy.elements().not(drawn.closedNeighborhood()).not("[kind = 'box']").addClass("faded");
    const head = make("p", {}, make("small", {}, KINDS[node.kind]), " ", node.page ? make("a", { href: node.page }, node.title) : make("strong", {}, node.title));
    if (node.note) head.append(" ", make("small", {}, node.note));
    const actions = make("p", { className: "xr-actions" });
    if (node.kind === "domain") actions.append(button("Open this domain", () => go({ focus: node.key, words: "" })));
    else if (node.key !== state.focus) actions.append(button("Focus on this", () => go({ focus: node.key, words: "" })));
    if (node.kind === "group" && !messages.has(node.key)) actions.append(button("Show its messages", () => showMessages(node)));
    const ways = [["From", others("from")], ["To", others("to")]].filter(([, ends]) => ends.length).map(([title, ends]) => {
      const links = ends.slice(0, 8).map((key) => button(find(key).title, () => choose(find(key))));
      const more = ends.length > 8 ? [` and ${(ends.length - 8).toLocaleString("en")} more`] : [];
      return make("p", { className: "xr-actions" }, make("small", {}, title), ...links, ...more);
    });
    facts.replaceChildren(head, ...ways, actions);
  }

  function choose(node) {
    cy.elements().unselect();
    const drawn = cy.getElementById(node.key);
    if (!drawn.length) return go({ focus: node.key, words: "" });
    drawn.select();
    show(node);
    return undefined;
  }

  // The messages are in the file of the page that lists them all, which is read when one asks for them.
  function showMessages(group) {
    const add = () => {
      const all = globalThis.xregitMessages;
      const number = all.groups.findIndex(([, page]) => root + page === group.page);
      const rows = all.messages.filter((row) => row[2] === number).slice(0, MAX_MESSAGES);
      messages.set(group.key, rows.map(([id, name, , , , , , , , , page]) => ({
        ...find(`${group.key}/messages/${id}`), title: name || id, page: root + (page || `${group.page.slice(root.length)}messages/${id}/`),
      })));
      go({ focus: group.key, words: "" });
    };
    if (globalThis.xregitMessages) add();
    else document.head.append(Object.assign(document.createElement("script"), { src: `${root}all-messages/messages.js`, onload: add }));
  }

  function save() {
    const address = URL.createObjectURL(cy.png({ full: true, scale: 2, maxWidth: 8000, maxHeight: 8000, output: "blob", bg: colour("var(--md-default-bg-color)") }));
    make("a", { href: address, download: "map.png" }).click();
    setTimeout(() => URL.revokeObjectURL(address), 60_000);
  }

  // ---- Events

  const zoom = (factor) => cy.zoom({ level: cy.zoom() * factor, renderedPosition: { x: canvas.clientWidth / 2, y: canvas.clientHeight / 2 } });
  const frame = make("div", { className: "xr-map-frame" }, canvas, facts);
  const tools = make("div", { className: "xr-map-tools", role: "group", ariaLabel: "View" },
    button("+", () => zoom(1.3), "Zoom in"), button("−", () => zoom(1 / 1.3), "Zoom out"), button("Fit", () => cy.fit(undefined, 20), "Fit all into view"),
    button("Full screen", () => (document.fullscreenElement ? document.exitFullscreen() : frame.requestFullscreen())), button("Save as PNG", save));
  const controls = make("form", { className: "xr-controls" }, make("label", { className: "xr-search" }, "Find", search));
  if (domains.length > 1) controls.append(make("label", {}, "Domain", domain));
  controls.append(stepsLabel, make("label", { className: "xr-check" }, groups, "Message groups"), whole);
  const legend = make("p", { className: "xr-legend" }, ...["group", "endpoint", "channel"].map((kind) => make("span", { className: `xr-key-${kind}` }, KINDS[kind])));
  place.prepend(controls, make("div", { className: "xr-status" }, status, tools), frame, legend);
  place.classList.add("xr-live");

  cy = cytoscape({ container: canvas, style: style(), minZoom: 0.05, maxZoom: 3, userZoomingEnabled: false, boxSelectionEnabled: false, autoungrabify: true, hideEdgesOnViewport: data.nodes.length > 1000 });
  // A wheel turned on the way down the page should scroll that: it zooms once one has clicked the map.
  canvas.addEventListener("pointerdown", () => cy.userZoomingEnabled(true));
  document.addEventListener("pointerdown", ({ target }) => { if (!canvas.contains(target)) cy.userZoomingEnabled(false); });
  cy.on("tap", ({ target }) => { if (target === cy) { cy.elements().unselect(); show(state.focus ? find(state.focus) : null); } });
  cy.on("tap", "node", ({ target }) => show(find(target.id()) ?? [...messages.values()].flat().find(({ key }) => key === target.id())));
  cy.on("dbltap", "node", ({ target }) => go({ focus: target.id(), words: "" }));
  cy.on("mouseover", "node", ({ target }) => { canvas.style.cursor = "pointer"; target.connectedEdges().addClass("near"); });
  cy.on("mouseout", "node", () => { canvas.style.cursor = ""; cy.edges().removeClass("near"); });

  let typed = 0;
  search.addEventListener("input", () => { clearTimeout(typed); typed = setTimeout(() => go({ words: search.value.trim() }, false), 150); });
  controls.addEventListener("submit", (event) => {
    event.preventDefault();
    clearTimeout(typed);
    state.words = search.value.trim();
    const { found } = scope();
    const wanted = state.words.toLowerCase();
    const best = [...found ?? []].find(({ key, title }) => title.toLowerCase() === wanted || key.toLowerCase().endsWith(`/${wanted}`)) ?? [...found ?? []][0];
    if (best) go({ focus: best.key, words: "" });
  });
  domain.addEventListener("change", () => go({ focus: domain.value, words: "" }));
  steps.addEventListener("change", () => go({ steps: Number(steps.value) }));
  groups.addEventListener("change", () => go({ groups: groups.checked }));
  addEventListener("popstate", () => { readAddress(); draw(); });
  new ResizeObserver(() => cy.resize()).observe(canvas);
  new MutationObserver(() => cy.style(style())).observe(document.body, { attributeFilter: ["data-md-color-scheme"] });

  readAddress();
  draw();
})();
