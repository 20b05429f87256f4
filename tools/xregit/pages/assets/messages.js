// The table of all messages: filtered by words and facets, sorted, its state in the address. messages.js beside the page,
// written when the site is built, has the messages; without this script the page has them as a list in parts.
(() => {
  "use strict";

  const form = document.getElementById("xr-messages");
  const data = globalThis.xregitMessages;
  if (!form || !data) return;

  const PAGE = 60;
  const MAX_OPTIONS = 300;
  const FEW_OPTIONS = 12;
  const root = form.dataset.root;
  const collator = new Intl.Collator("en", { numeric: true, sensitivity: "base" });

  const rows = data.messages.map(([id, name, group, envelope, protocol, wire, changed, removal, owners, labels, page]) => {
    const [groupId, groupPage, domain, uses] = data.groups[group];
    return {
      id, name, wire, changed, removal, groupId, groupPage: root + groupPage,
      page: root + (page || `${groupPage}messages/${id}/`),
      text: `${id} ${name} ${groupId} ${wire}`.toLowerCase(),
      domain: [data.domains[domain]], group: [groupId], envelope: [data.envelopes[envelope]], protocol: [data.protocols[protocol]],
      owner: owners.map((each) => data.owners[each]), label: labels.map((each) => data.labels[each]), used: uses.map((each) => data.uses[each]),
    };
  });
  // A facet of which all messages have the same value, or none has one, tells them not apart.
  const FACETS = [["domain", "Domain"], ["group", "Group"], ["protocol", "Protocol"], ["envelope", "Envelope"], ["owner", "Owner"], ["label", "Label"], ["used", "Used on"]]
    .filter(([key]) => new Set(rows.map((row) => row[key].join("\n"))).size > 1);
  const COLUMNS = [["id", "Message"], ["group", "Group"], ["wire", "On the wire"], ["changed", "Changed"]]
    .filter(([key]) => key !== "changed" || rows.some((row) => row.changed));
  const ORDERS = {
    id: (one, other) => collator.compare(one.id, other.id),
    group: (one, other) => collator.compare(one.groupId, other.groupId),
    wire: (one, other) => collator.compare(one.protocol[0] || one.envelope[0], other.protocol[0] || other.envelope[0]) || collator.compare(one.wire, other.wire),
    changed: (one, other) => (one.changed < other.changed ? -1 : Number(one.changed > other.changed)),
    removal: (one, other) => collator.compare(one.removal, other.removal),
  };
  rows.sort((one, other) => ORDERS.id(one, other) || ORDERS.group(one, other));

  // ---- What is asked for, in the address

  // Not "q", which the theme takes for what one searches in all of the site.
  const state = { words: "", since: "", deprecated: "", sort: "id", chosen: new Map(FACETS.map(([key]) => [key, new Set()])) };

  function readAddress() {
    const query = new URLSearchParams(location.search);
    for (const key of ["words", "since", "deprecated"]) state[key] = query.get(key) ?? "";
    const sort = query.get("sort") ?? "id";
    state.sort = Object.hasOwn(ORDERS, sort.replace("-", "")) ? sort : "id";
    for (const [key] of FACETS) state.chosen.set(key, new Set(query.getAll(key)));
  }

  function writeAddress() {
    const query = new URLSearchParams();
    for (const key of ["words", "since", "deprecated"]) if (state[key]) query.set(key, state[key]);
    for (const [key, chosen] of state.chosen) for (const value of chosen) query.append(key, value);
    if (state.sort !== "id") query.set("sort", state.sort);
    const text = query.toString();
    history.replaceState(null, "", text ? `?${text}` : location.pathname);
  }

  // ---- The rows that fit, and how many would with each value of a facet

  let fitting = [];
  let counts = new Map();

  function select() {
    const words = state.words.toLowerCase().split(/\s+/).filter(Boolean);
    const asked = FACETS.filter(([key]) => state.chosen.get(key).size);
    counts = new Map(FACETS.map(([key]) => [key, new Map()]));
    fitting = [];
    for (const row of rows) {
      if (state.since && !(row.changed >= state.since)) continue;
      if (state.deprecated && Boolean(row.removal) !== (state.deprecated !== "no")) continue;
      if (!words.every((word) => row.text.includes(word))) continue;
      const failing = asked.filter(([key]) => !row[key].some((value) => state.chosen.get(key).has(value)));
      if (!failing.length) fitting.push(row);
      // A facet counts the rows that fit all others: choosing a second value adds rows.
      if (failing.length < 2) for (const [key] of failing.length ? failing : FACETS) count(counts.get(key), row[key]);
    }
    const order = ORDERS[state.sort.replace("-", "")];
    const sign = state.sort.startsWith("-") ? -1 : 1;
    fitting.sort((one, other) => sign * order(one, other)); // rows that are equal stay in the order of their ids
  }

  function count(values, found) {
    for (const value of found) values.set(value, (values.get(value) ?? 0) + 1);
  }

  // ---- The page

  function make(name, properties = {}, ...children) {
    const { data: dataset, attributes, ...rest } = properties;
    const element = Object.assign(document.createElement(name), rest);
    for (const [key, value] of Object.entries(attributes ?? {})) element.setAttribute(key, value);
    Object.assign(element.dataset, dataset ?? {});
    element.append(...children);
    return element;
  }

  const search = make("input", { type: "search", autocomplete: "off", spellcheck: false, placeholder: "Id, name, topic …" });
  const since = make("input", { type: "date" });
  const deprecated = make("select", {}, ...[["", "any"], ["yes", "only"], ["no", "none"]].map(([value, text]) => make("option", { value }, text)));
  const status = make("output", { className: "xr-count" });
  const chips = make("span", { className: "xr-chips" });
  const body = make("tbody");
  const more = make("button", { type: "button", className: "xr-button" });
  const clear = make("button", { type: "button", className: "xr-button", data: { drop: "" } }, "Clear all filters");
  const none = make("p", { className: "xr-none" }, "No messages match these filters. ", clear);
  const heads = COLUMNS.map(([key, title]) => {
    const button = make("button", { type: "button", data: { sort: key } }, title);
    return make("th", { scope: "col" }, button);
  });

  const panels = new Map(FACETS.map(([key, title]) => {
    const filter = make("input", { type: "search", placeholder: `Find ${title.toLowerCase()}`, autocomplete: "off", attributes: { "aria-label": `Find ${title.toLowerCase()}` } });
    const options = make("div", { className: "xr-options", role: "group", ariaLabel: title });
    const panel = make("details", { className: "xr-facet", name: "xr-facet" }, make("summary", {}, title), make("div", {}, filter, options));
    panel.addEventListener("toggle", () => { if (panel.open) drawOptions(key); });
    filter.addEventListener("input", () => drawOptions(key));
    return [key, { panel, filter, options }];
  }));

  function drawOptions(key) {
    const { filter, options } = panels.get(key);
    const chosen = state.chosen.get(key);
    const values = [...new Set([...chosen, ...counts.get(key).keys()])];
    filter.hidden = values.length <= FEW_OPTIONS;
    const wanted = filter.hidden ? "" : filter.value.toLowerCase();
    const shown = values.filter((value) => value.toLowerCase().includes(wanted));
    shown.sort((one, other) => chosen.has(other) - chosen.has(one) || (counts.get(key).get(other) ?? 0) - (counts.get(key).get(one) ?? 0) || collator.compare(one, other));
    const focused = options.contains(document.activeElement) ? document.activeElement.value : null;
    options.replaceChildren(...shown.slice(0, MAX_OPTIONS).map((value) => {
      const box = make("input", { type: "checkbox", value, checked: chosen.has(value), data: { facet: key } });
      return make("label", {}, box, make("span", {}, value || "none"), make("small", {}, (counts.get(key).get(value) ?? 0).toLocaleString("en")));
    }));
    if (shown.length > MAX_OPTIONS) options.append(make("p", {}, `${(shown.length - MAX_OPTIONS).toLocaleString("en")} more: type part of the name`));
    if (focused !== null) [...options.querySelectorAll("input")].find((each) => each.value === focused)?.focus();
  }

  function drawChips() {
    const all = [...state.chosen].flatMap(([key, chosen]) => [...chosen].map((value) => [key, value, `${FACETS.find(([each]) => each === key)[1]}: ${value || "none"}`]));
    if (state.deprecated) all.push(["deprecated", "", state.deprecated === "no" ? "Not deprecated" : "Deprecated"]);
    if (state.since) all.push(["since", "", `Changed since ${state.since}`]);
    if (state.words) all.push(["words", "", `“${state.words}”`]);
    chips.replaceChildren(...all.map(([key, value, text]) => make("button", { type: "button", data: { drop: key, value }, ariaLabel: `Remove ${text}` }, text, make("span", { ariaHidden: "true" }, " ×"))));
    if (all.length > 1) chips.append(make("button", { type: "button", data: { drop: "" } }, "Clear all"));
  }

  function drawRow(row) {
    const title = make("a", { href: row.page }, make("code", {}, ...breakable(row.id)));
    const name = make("td", { className: "xr-name" }, title);
    if (row.removal) name.append(" ", make("span", { className: "xr-badge xr-warn" }, row.removal === "yes" ? "deprecated" : `removal ${row.removal}`));
    if (row.name) name.append(make("br"), row.name);
    const wire = make("td", { className: "xr-value" });
    if (row.protocol[0] || row.envelope[0]) wire.append(make("span", { className: "xr-badge" }, row.protocol[0] || row.envelope[0]), " ");
    if (row.wire) {
      const parts = row.wire.split(/(\{\w[^{}]*\})/).flatMap((part, number) => (number % 2 ? [make("var", { className: "xr-var" }, part)] : breakable(part)));
      wire.append(make("code", {}, ...parts));
    }
    const cells = [name, make("td", { data: { label: "in" } }, make("a", { href: row.groupPage }, ...breakable(row.groupId))), wire];
    if (COLUMNS.length > 3) cells.push(make("td", { className: "xr-day", data: { label: "Changed" } }, row.changed));
    return make("tr", {}, ...cells);
  }

  // A line may end after the dots and slashes of a long id, and at its capitals.
  const breakable = (text) => text.split(/(?<=[./])|(?<=[a-z]{3})(?=[A-Z][a-z]{3})/).flatMap((part, number) => (number ? [make("wbr"), part] : [part]));

  function drawMore() {
    const start = body.rows.length;
    body.append(...fitting.slice(start, start + PAGE).map(drawRow));
    const left = fitting.length - body.rows.length;
    more.hidden = left <= 0;
    none.hidden = fitting.length > 0;
    more.textContent = `Show more (${left.toLocaleString("en")} left)`;
  }

  function draw() {
    select();
    body.replaceChildren();
    drawMore();
    drawChips();
    const all = rows.length.toLocaleString("en");
    status.textContent = fitting.length === rows.length ? `${all} messages` : `${fitting.length.toLocaleString("en")} of ${all} messages`;
    for (const [key, { panel }] of panels) if (panel.open) drawOptions(key);
    heads.forEach((head, number) => {
      const key = COLUMNS[number][0];
      head.ariaSort = state.sort === key ? "ascending" : state.sort === `-${key}` ? "descending" : "none";
    });
    search.value = state.words;
    since.value = state.since;
    deprecated.value = state.deprecated;
  }

  function change() {
    writeAddress();
    draw();
  }

  // ---- Events

  form.addEventListener("submit", (event) => event.preventDefault());
  search.addEventListener("input", () => { state.words = search.value; change(); });
  since.addEventListener("change", () => { state.since = since.value; change(); });
  deprecated.addEventListener("change", () => { state.deprecated = deprecated.value; change(); });
  form.addEventListener("change", ({ target }) => {
    const { facet } = target.dataset;
    if (!facet) return;
    const chosen = state.chosen.get(facet);
    if (target.checked) chosen.add(target.value);
    else chosen.delete(target.value);
    change();
  });
  form.addEventListener("click", ({ target }) => {
    const button = target.closest("button");
    if (!button) return;
    const { drop, value, sort } = button.dataset;
    if (sort) {
      // What changed last is what one looks for.
      const [first, second] = sort === "changed" ? [`-${sort}`, sort] : [sort, `-${sort}`];
      state.sort = state.sort === first ? second : first;
    } else if (drop === "") {
      for (const chosen of state.chosen.values()) chosen.clear();
      Object.assign(state, { words: "", since: "", deprecated: "" });
    } else if (state.chosen.has(drop)) state.chosen.get(drop).delete(value);
    else if (drop) state[drop] = "";
    else return;
    change();
    if (drop !== undefined) search.focus();
  });
  more.addEventListener("click", drawMore);
  document.addEventListener("click", ({ target }) => {
    for (const { panel } of panels.values()) if (!panel.contains(target)) panel.open = false;
  });
  form.addEventListener("keydown", ({ key, target }) => {
    const panel = key === "Escape" && target.closest("details");
    if (!panel) return;
    panel.open = false;
    panel.querySelector("summary").focus();
  });
  addEventListener("popstate", () => { readAddress(); draw(); });
  if (globalThis.IntersectionObserver) {
    new IntersectionObserver((entries) => { if (entries.some((each) => each.isIntersecting)) drawMore(); }, { rootMargin: "600px" }).observe(more);
  }

  const controls = [make("label", { className: "xr-search" }, "Search", search), ...[...panels.values()].map(({ panel }) => panel)];
  if (rows.some((row) => row.removal)) controls.push(make("label", {}, "Deprecated", deprecated));
  if (COLUMNS.length > 3) controls.push(make("label", {}, "Changed since", since));
  form.append(
    make("div", { className: "xr-controls" }, ...controls),
    make("p", { className: "xr-status" }, status, chips),
    make("div", { className: "xr-scroll" }, make("table", { className: "xr-table xr-stack xr-sorted", ariaLabel: "All messages" }, make("thead", {}, make("tr", {}, ...heads)), body)),
    none,
    make("p", {}, more),
  );
  readAddress();
  draw();
  form.hidden = false;
  document.getElementById("xr-messages-list").hidden = true;
})();
