// Recognises messages by the definitions of a catalog, in the browser: what `xregit match` does, but that of a payload
// only the names of its fields are compared.
// definitions.js, written when the site is built, has the definitions; wire.js reads the messages.
(() => {
  "use strict";

  const { base64, canonical, encode, eventProblems, isMessage, isObject, parsed, plain, printedForms, received, receivedValue, shown, triples, unread, CORE, REQUIRED } = globalThis.xregitWire;
  const MAX_REASONS = 10;
  const MAX_GUESSES = 5;
  const SPARE_TRIES = 1000;
  const has = Object.hasOwn;

  // ---- Constraints: what a definition asks of one property

  // Without a property that is implied, a message has the value that the protocol gives it, which fits.
  const binding = (item) => !item.implied && (item.required || item.now || item.constant !== undefined || item.template !== undefined);
  const tests = (items) => (items ?? []).filter((item) => !item.delivery && (item.implied || binding(item) || !item.any_text));

  // Names of media types compare without case, values of parameters only where that is known of them, in any order.
  // JSON is UTF-8 whether or not a parameter says so (RFC 8259, sections 8.1 and 11).
  const FOLDED = new Set(["charset", "delsp", "format"]);
  function mediaType(text) {
    const written = text.trim(), kind = written.split(";")[0], parameters = new Set(), pattern = /;\s*(?:([^\s;="]+)\s*=\s*("(?:[^"\\]|\\.)*"|[^\s;"]+))?\s*/y;
    let end = pattern.lastIndex = kind.length;
    for (let match = pattern.exec(written); match; match = pattern.exec(written)) {
      end = pattern.lastIndex;
      const name = match[1]?.toLowerCase(), value = match[2]?.startsWith('"') ? match[2].slice(1, -1).replace(/\\(.)/g, "$1") : match[2];
      if (name) parameters.add(`${name}=${FOLDED.has(name) ? value.toLowerCase() : value}`);
    }
    const name = kind.trimEnd().toLowerCase();
    if (name === "application/json" || name.endsWith("+json")) parameters.delete("charset=utf-8");
    return [name, ...[...parameters].sort()].join(";") + written.slice(end);
  }

  function fits(item, value, context, facts) {
    const text = plain(value, facts);
    if (item.template) return item.any_text ? reads(item.template, text, context) : readsType(item, value, context, facts);
    if (item.type === "binary") return fitsBytes(item, value, facts);
    if (item.constant === undefined) return Boolean(item.any_text) || canonical(item.type, value, facts) !== null;
    if (text === item.constant) return true;
    if (item.media) return mediaType(text) === mediaType(item.constant);
    return !item.any_text && canonical(item.type, value, facts) === item.constant;
  }

  // Tells whether a value is of the type and fits a template; bytes are read as their base 64.
  function readsType(item, value, context, facts) {
    const known = canonical(item.type, value, facts) === null ? [] : [plain(value, facts)];
    for (const text of item.type === "binary" ? bytes(item, value, facts) : known) {
      const trial = new Map(context);
      if (!reads(item.template, text, trial)) continue;
      for (const [name, found] of trial) context.set(name, found);
      return true;
    }
    return false;
  }

  function fitsBytes(item, value, facts) {
    const known = bytes(item, value, facts);
    if (item.constant === undefined) return known.length > 0;
    return known.includes(item.constant) || value === item.constant;
  }

  // The base 64 of the bytes that a value may stand for.
  function bytes(item, value, facts) {
    const known = [canonical("binary", value, facts)];
    if (item.in_bytes && typeof value === "string") known.push(base64(encode(value)));
    return known.filter((text) => text !== null);
  }

  function reads(template, text, context) {
    const { prefix, steps } = template.clear || !context.size ? { prefix: "", ...template } : narrowed(template, context);
    if (!text.startsWith(prefix) || !steps.length) return text === prefix;
    let start = prefix.length;
    for (const [name, literal] of steps.slice(0, -1)) {
      const next = start + (text.codePointAt(start) > 0xffff ? 2 : 1);
      const end = literal ? text.indexOf(literal, next) : next;
      if (end < 0 || !holds(template, name, text.slice(start, end), context)) return false;
      start = end + literal.length;
    }
    const [name, literal] = steps.at(-1);
    const end = text.length - literal.length;
    return start < end && text.endsWith(literal) && holds(template, name, text.slice(start, end), context);
  }

  // Tells whether a placeholder may stand for a value, and notes that it does.
  function holds(template, name, value, context) {
    if (!template.alone && (value.includes("/") || (template.encoded && /[?#]/.test(value)))) return false;
    let text = value;
    if (template.encoded) try { text = triples(value); } catch { /* no text: as it is */ }
    if (!context.has(name)) context.set(name, text);
    return context.get(name) === text;
  }

  const written = (template, value) => (template.encoded ? encodeURIComponent(value).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`) : value);

  // Fills the placeholders that are known, as they tell where others end.
  function narrowed(template, context) {
    let prefix = template.prefix ?? "";
    const steps = [];
    for (const [name, literal] of template.steps) {
      const text = context.has(name) ? written(template, context.get(name)) + literal : "";
      if (!context.has(name)) steps.push([name, literal]);
      else if (steps.length) steps[steps.length - 1] = [steps.at(-1)[0], steps.at(-1)[1] + text];
      else prefix += text;
    }
    return { prefix, steps };
  }

  // ---- Matching: the definitions that a message fits, in the tiers in which they are tried

  function prepare(data) {
    const patterns = Object.entries(data.facts.patterns).map(([name, pattern]) => [name, new RegExp(pattern)]);
    const facts = { ...data.facts, ...Object.fromEntries(patterns) };
    const filters = data.definitions.map((definition) => ({ definition, envelope: tests(definition.envelope), options: tests(definition.options) }));
    const plainly = (item) => !item.definition.protocol && !item.definition.enveloped;
    const schemas = data.payloads.flatMap(([required, others, numbers]) => numbers.map((number) => [data.definitions[number], { required, names: new Set([...required, ...others]) }]));
    return {
      facts,
      schemas: new Map(schemas),
      free: filters.filter((item) => !item.definition.protocol && item.definition.enveloped),
      bound: filters.filter((item) => item.definition.protocol),
      payloads: filters.filter(plainly).map((item) => item.definition),
    };
  }

  const eventOnly = (item) => ({ ...item, options: [] });
  const nativeOnly = (item) => ({ ...item, envelope: [] });
  const telling = (item) => !item.definition.enveloped || item.options.some(binding);

  function tiers(catalog, message) {
    if (!message.protocol) return message.event ? [catalog.free, catalog.bound.filter((item) => item.definition.enveloped).map(eventOnly)] : [];
    const own = catalog.bound.filter((item) => item.definition.protocol === message.protocol);
    const mixed = own.some((item) => item.definition.enveloped);
    const native = (items) => items.map(nativeOnly).filter(telling);
    if (message.event) return own.length ? [mixed ? own : native(own), catalog.free] : [catalog.free];
    return [native(message.problems.length && mixed ? own.filter((item) => !item.definition.enveloped) : own)];
  }

  // What the placeholders stand for, null where a constraint fails.
  function satisfied(filter, message, facts) {
    const context = new Map();
    const several = [];
    for (const item of filter.envelope) {
      const value = message.attributes.get(item.key);
      if (value === undefined ? binding(item) : !fits(item, value, context, facts)) return null;
    }
    for (const item of filter.options) {
      const values = message.fields.get(item.key) ?? [];
      if (values.length > 1) several.push([item, values]);
      else if (values.length ? !fits(item, values[0], context, facts) : binding(item)) return null;
    }
    return several.length ? chosen(several, context, facts) : context;
  }

  // Of repeated properties one value each must fit; tries are bounded by the number of values.
  function chosen(several, context, facts) {
    const ordered = several.toSorted((one, other) => one[1].length - other[1].length);
    let tries = SPARE_TRIES + 4 * ordered.reduce((sum, [, values]) => sum + values.length, 0);
    const stack = [[0, 0, context]];
    while (stack.length && tries) {
      const [place, first, known] = stack.pop();
      if (place === ordered.length) return known;
      const [item, values] = ordered[place];
      for (let index = first; index < values.length; index += 1) {
        tries -= 1;
        const trial = new Map(known);
        if (fits(item, values[index], trial, facts)) { stack.push([place, index + 1, known], [place + 1, 0, trial]); break; }
        if (!tries) break;
      }
    }
    return null;
  }

  // What is wrong with the way in which a message carries its event.
  function travelFailure({ mode, format }, message) {
    if (!message.protocol || !message.event) return null;
    if (mode && mode !== message.mode) return { attribute: "envelopeoptions/mode", expected: mode, found: message.mode };
    const media = (text) => mediaType(text).split(";")[0];
    const differs = format && message.mode === "structured" && message.outer && media(message.outer) !== media(format);
    return differs ? { attribute: "envelopeoptions/format", expected: format, found: message.outer } : null;
  }

  function recognised(catalog, message) {
    let hits = [], untested = [];
    for (const tier of message.readable ? tiers(catalog, message) : []) {
      hits = tier.filter((item) => !travelFailure(item.definition, message))
        .map((item) => ({ definition: item.definition, context: satisfied(item, message, catalog.facts) }))
        .filter((hit) => hit.context);
      if (hits.length) break;
    }
    if (hits.length > 1) untested = hits.map((hit) => hit.definition).filter((item) => item.schema);
    if (!hits.length && message.readable) {
      const stated = catalog.payloads.filter((item) => !item.contenttype || mediaType(item.contenttype) === mediaType(message.contenttype));
      untested = stated.filter((item) => item.schema);
      hits = stated.filter((item) => item.contenttype && !item.schema).map((definition) => ({ definition, context: new Map() }));
    }
    // What does not know of the event that a payload holds has a schema for something else than the event's data.
    const inEvent = message.event && message.mode !== "binary";
    for (const hit of hits) hit.missing = inEvent && !hit.definition.enveloped ? [] : missingFields(catalog, hit.definition, message.payload);
    const mapped = hits.length === 1 && !message.event && message.mode === "" ? mappedEvent(hits[0], message, catalog.facts) : null;
    return { hits, mapped, untested, reasons: nearest(catalog, message), problems: message.problems, protocol: message.protocol, names: namesOf(message, catalog.facts) };
  }

  // The fields that a payload must have and has not; values and anything but objects are left to `xregit match`.
  function missingFields(catalog, definition, payload) {
    return isObject(payload) ? (catalog.schemas.get(definition)?.required ?? []).filter((name) => !has(payload, name)) : [];
  }

  // The definitions of which a value may be the payload: those that require no other field, by how many fields they share.
  function guessed(catalog, payload) {
    const members = Object.keys(payload);
    const found = [...catalog.schemas].map(([definition, { names }]) => ({ definition, shared: members.filter((name) => names.has(name)).length, size: names.size }));
    return found.filter(({ definition, shared }) => shared && !missingFields(catalog, definition, payload).length)
      .sort((one, other) => other.shared - one.shared || one.size - other.size || (one.definition.xid < other.definition.xid ? -1 : 1))
      .slice(0, MAX_GUESSES).map(({ definition, shared }) => ({ definition, shared, count: members.length }));
  }

  // The attributes of the event that a definition makes of a message which carries none, null where it says too little.
  function mappedEvent({ definition, context }, message, facts) {
    if (!definition.enveloped) return null;
    const attributes = new Map([["specversion", "1.0"], ["id", "made of the message"]]);
    for (const item of definition.envelope ?? []) {
      if (item.template?.steps.every(([name]) => context.has(name))) {
        const text = item.template.steps.map(([name, literal]) => written(item.template, context.get(name)) + literal);
        attributes.set(item.key, jsonValue(item, (item.template.prefix ?? "") + text.join(""), facts));
      } else if (item.constant !== undefined) attributes.set(item.key, jsonValue(item, item.constant, facts));
    }
    const contenttype = attributes.get("datacontenttype") || message.outer || definition.contenttype;
    if (contenttype && message.body) attributes.set("datacontenttype", contenttype);
    return eventProblems(attributes, facts).length ? null : attributes;
  }

  function jsonValue({ key, type }, text, facts) {
    if (CORE.has(key) || canonical(type, text, facts) === null) return text;
    return type === "boolean" ? text === "true" : type === "integer" ? BigInt(text) : text;
  }

  // ---- Explaining: the definitions that a message's own type, topic, subject, path or key selects, and what fails

  function nearest(catalog, message) {
    const told = message.attributes.size > 0;
    const own = catalog.bound.filter((item) => item.definition.protocol === message.protocol);
    let filters = told ? [...own, ...catalog.free.map(eventOnly)] : own.map(nativeOnly);
    if (!message.protocol) filters = told ? [...catalog.free, ...catalog.bound.filter((item) => item.definition.enveloped).map(eventOnly)] : [];
    return filters.filter((item) => isSelected(item, message, catalog.facts))
      .map((item) => ({ definition: item.definition, failed: failures(item, message, catalog.facts) }))
      .filter((reason) => reason.failed.length)
      .sort((one, other) => one.failed.length - other.failed.length || (one.definition.xid < other.definition.xid ? -1 : 1))
      .slice(0, MAX_REASONS);
  }

  function isSelected(item, message, facts) {
    const tells = ({ constant, template }) => constant !== undefined || (template && !template.alone);
    const by = (key, part) => {
      const compared = item[part].filter((each) => each.key === key && tells(each));
      return compared.length && satisfied({ envelope: [], options: [], [part]: compared }, message, facts);
    };
    const own = message.protocol && has(facts.selectors.protocols, message.protocol) ? facts.selectors.protocols[message.protocol] : [];
    return facts.selectors.envelope.some((key) => by(key, "envelope")) || own.some((key) => by(key, "options"));
  }

  function failures(filter, message, facts) {
    const context = new Map(), found = [];
    const test = (item, values) => {
      if (!values.length) { if (binding(item)) found.push({ attribute: item.attribute, expected: expected(item) }); return; }
      for (const value of values) {
        const trial = new Map(context);
        if (!fits(item, value, trial, facts)) continue;
        for (const [name, text] of trial) context.set(name, text);
        return;
      }
      found.push({ attribute: item.attribute, expected: expected(item, context), found: values.length === 1 ? values[0] : values.map((value) => plain(value, facts)).join(", ") });
    };
    for (const item of filter.envelope) test(item, message.attributes.has(item.key) ? [message.attributes.get(item.key)] : []);
    for (const item of filter.options) test(item, message.fields.get(item.key) ?? []);
    const travel = travelFailure(filter.definition, message);
    if (travel) found.push(travel);
    const stated = new Set(found.map((failure) => failure.attribute));
    const needed = filter.definition.enveloped && message.attributes.size ? REQUIRED : [];
    const missing = needed.filter((name) => !message.attributes.get(name)).map((name) => `envelopemetadata/${name}`);
    return [...missing.filter((name) => !stated.has(name)).map((attribute) => ({ attribute, expected: "any value" })), ...found];
  }

  function expected(item, context = new Map()) {
    const filled = ([name, literal]) => (context.get(name) ?? `{${name}}`) + literal;
    const typed = item.any_text ? "" : ` (${item.type})`;
    if (item.template) return (item.template.prefix ?? "") + item.template.steps.map(filled).join("") + typed;
    return item.constant ?? (item.type === "any" ? "any value" : `any ${item.type}`);
  }

  // ---- The whole: a text to the result of each message in it

  const recognise = (catalog, text) => received(text, catalog.facts).map((message) => recognised(catalog, message));

  const WITHOUT_ENVELOPE = 'It has no "protocol" or "specversion". If it is a payload by itself, "xregit match" says whose schema accepts it.';

  // The results for what people have: messages of any form, what clients print, or a type, topic, path, subject or key.
  function answers(catalog, text) {
    const name = text.trim();
    let value;
    try { value = parsed(text); } catch { return /^[^\s{["]\S*$/.test(name) ? [named(catalog, name)] : recognise(catalog, text); }
    const isPart = (item) => isMessage(item) || printedForms(item, catalog.facts).length;
    return (Array.isArray(value) && value.length && value.every(isPart) ? value : [value]).flatMap((item) => {
      const results = (form) => receivedValue(form, catalog.facts).map((message) => recognised(catalog, message));
      const forms = printedForms(item, catalog.facts).map(results);
      if (forms.length) return forms.find(([first]) => first.hits.length) ?? forms.find(([first]) => first.reasons.length) ?? forms[0];
      if (isMessage(item) || typeof item !== "object" || item === null) return results(item);
      const guesses = isObject(item) ? guessed(catalog, item) : [];
      return unread(guesses.length ? [] : [WITHOUT_ENVELOPE]).map((message) => ({ ...recognised(catalog, message), guesses }));
    });
  }

  const idOf = ({ xid }) => xid.slice(xid.lastIndexOf("/") + 1);

  // What a definition's messages are told by: its constraints on selectors, each with the part that it belongs to.
  function selecting({ definition, envelope, options }, facts) {
    const keys = has(facts.selectors.protocols, definition.protocol ?? "") ? facts.selectors.protocols[definition.protocol] : [];
    const telling = ({ constant, template }) => constant !== undefined || (template && !template.alone);
    return [...envelope.filter((item) => facts.selectors.envelope.includes(item.key)), ...options.filter((item) => keys.includes(item.key))].filter(telling);
  }

  // The definitions that have a text as their id, type, topic, path, subject or key, else the most similar texts.
  function named(catalog, name) {
    const filters = [...catalog.free, ...catalog.bound], hits = [], { facts } = catalog;
    for (const filter of filters) {
      const contexts = selecting(filter, facts).map((item) => [item, new Map()]);
      const hit = contexts.find(([item, context]) => fits(item, name, context, facts));
      if (hit || [filter.definition.xid, idOf(filter.definition)].includes(name)) hits.push({ definition: filter.definition, context: hit?.[1] ?? new Map() });
    }
    return { name, hits, mapped: null, untested: [], reasons: [], problems: [], protocol: "" };
  }

  // The types, topics, paths, subjects, keys and ids most like any of some texts, by the pairs of letters they share.
  function similar(catalog, texts) {
    const known = new Map();
    for (const filter of [...catalog.free, ...catalog.bound]) {
      for (const text of [idOf(filter.definition), ...selecting(filter, catalog.facts).map((item) => expected(item))]) known.set(text, filter.definition);
    }
    const near = [...known].map(([text, definition]) => ({ text, definition, score: Math.max(0, ...texts.map((each) => likeness(each, text))) }));
    return near.filter(({ score }) => score >= 0.6).sort((one, other) => other.score - one.score).slice(0, 3);
  }

  function likeness(one, other) {
    if (5 * Math.min(one.length, other.length) < 2 * Math.max(one.length, other.length)) return 0; // they share too little
    const pairs = (text) => Array.from({ length: Math.max(text.length - 1, 0) }, (_, at) => text.slice(at, at + 2));
    const first = pairs(one), rest = pairs(other), count = first.length + rest.length;
    const shared = first.filter((pair) => { const at = rest.indexOf(pair); if (at >= 0) rest.splice(at, 1); return at >= 0; }).length;
    return count ? (2 * shared) / count : 0;
  }

  // What a message calls itself: the values of its selectors.
  function namesOf(message, facts) {
    const own = has(facts.selectors.protocols, message.protocol) ? facts.selectors.protocols[message.protocol] : [];
    const values = [...facts.selectors.envelope.map((key) => message.attributes.get(key)), ...own.flatMap((key) => message.fields.get(key) ?? [])];
    return values.filter((value) => value !== undefined).map((value) => plain(value, facts));
  }

  globalThis.xregitRecognise = { prepare, recognise, answers };

  // ---- The page: results as text, made anew with each change of what was pasted

  const form = document.getElementById("xr-recognise");
  if (!form || !globalThis.xregitDefinitions) return;
  const [input, summary, details] = ["message", "summary", "details"].map((name) => document.getElementById(`xr-recognise-${name}`));
  const catalog = prepare(globalThis.xregitDefinitions);
  const MAX_MESSAGES = 50;

  function element(tag, content, name = "") {
    const made = document.createElement(tag);
    made.className = name;
    made.append(...[content].flat());
    return made;
  }

  function link(definition) {
    const made = element("a", element("code", definition.xid));
    made.href = `${form.dataset.root}${definition.page ?? `${definition.xid.slice(1)}/`}`;
    return made;
  }

  function table(label, heads, rows) {
    const cells = (row) => row.map((text, index) => { const cell = element("td", text); cell.dataset.label = heads[index]; return cell; });
    const made = element("table", [
      element("thead", element("tr", heads.map((head) => element("th", head)))),
      element("tbody", rows.map((row) => element("tr", cells(row)))),
    ], "xr-table xr-stack");
    made.setAttribute("aria-label", label);
    return made;
  }

  const code = (value) => (value === undefined ? "nothing" : element("code", typeof value === "string" ? value : shown(value)));
  const coded = (pairs) => pairs.map(([name, value]) => [element("code", name), code(value)]);

  function hit({ definition, context, missing = [] }) {
    const parts = [element("p", ["Fits ", link(definition), context.size ? ", where:" : "."])];
    if (context.size) parts.push(table("Placeholders", ["Placeholder", "Value"], coded([...context])));
    if (missing.length) parts.push(element("p", ["Its payload lacks required fields: ", ...missing.flatMap((name, at) => [at ? ", " : "", code(name)]), "."]));
    return parts;
  }

  function reason({ definition, failed }) {
    const rows = failed.map((each) => [element("code", each.attribute), code(each.expected), code(each.found)]);
    return [element("p", ["Does not fit ", link(definition), ":"]), table("What fails", ["Attribute", "Expected", "Found"], rows)];
  }

  const guess = ({ definition, shared, count }) => element("li", [link(definition), `: ${shared} of ${count} field${count === 1 ? "" : "s"} known`]);

  function verdict({ hits, problems, untested, name, guesses = [] }) {
    if (guesses.length) return "It has no envelope, but may be a payload.";
    if (name) return hits.length === 1 ? "One definition has this name." : hits.length ? `${hits.length} definitions have this name.` : "No definition has this name.";
    if (hits.length === 1) return "It fits one definition.";
    if (hits.length) return `It fits ${hits.length} definitions${untested.length ? ", their payload schemas aside" : ""}.`;
    if (problems.length) return "It fits no definition: the message itself is malformed.";
    return untested.length ? "Its payload decides which definition it fits, and is not validated here." : "It fits no definition.";
  }

  // What to look at where not even a definition that comes near can be shown.
  function far({ hits, problems, reasons, untested, protocol, name, names, guesses = [] }) {
    if (hits.length || guesses.length || problems.length || reasons.length || untested.length) return [];
    const near = similar(catalog, name ? [name] : names);
    if (near.length) return [element("p", ["Similar names: ", ...near.flatMap(({ text, definition }, at) => [at ? ", " : "", code(text), " of ", link(definition)]), "."])];
    if (name) return [element("p", "None has a similar name.")];
    const known = [...new Set(catalog.bound.map((item) => item.definition.protocol))].sort();
    if (!protocol || known.includes(protocol)) return [element("p", "No definition has its type, topic, subject or key.")];
    return [element("p", ["No definition here is bound to the protocol ", code(protocol), known.length ? `, but to ${known.join(", ")}.` : "."])];
  }

  function result(found, number, count) {
    const parts = [element("h2", count > 1 ? `Message ${number}: ${verdict(found)}` : verdict(found)), ...far(found)];
    if (found.problems.length) parts.push(element("ul", found.problems.map((problem) => element("li", problem))));
    parts.push(...found.hits.flatMap(hit));
    if (found.guesses?.length) parts.push(element("p", "Going by its field names, it may be the payload of:"), element("ul", found.guesses.map(guess)), element("p", ["Values are not validated here; ", element("code", "xregit match"), " does that."]));
    if (found.mapped) parts.push(element("p", "It is not a CloudEvent; the definition maps it to this one:"), table("The event", ["Attribute", "Value"], coded([...found.mapped])));
    if (found.untested.length) parts.push(element("p", ["The payload decides between these; ", element("code", "xregit match"), " validates it: ", ...found.untested.flatMap((each) => [link(each), " "])]));
    return element("section", [...parts, ...found.reasons.flatMap(reason)], "xr-result");
  }

  // A text is one message, or has one in each line, be it JSON or a name.
  function texts(text) {
    const lines = text.split("\n").filter((line) => line.trim());
    try { JSON.parse(text); return [text]; } catch { return lines.length > 1 && /^\s*(\{.*\}|[^\s{["]\S*)\s*$/.test(lines[0]) ? lines : [text]; }
  }

  function show() {
    const text = input.value.replace(/^\uFEFF/, ""); // some editors begin a file with it
    const found = text.trim() ? texts(text).flatMap((each) => answers(catalog, each)) : [];
    const fitting = found.filter((each) => each.hits.length).length;
    summary.textContent = found.length > 1 ? `${fitting} of ${found.length} messages fit a definition.` : found.map(verdict).join("");
    summary.textContent += found.length > MAX_MESSAGES ? ` The first ${MAX_MESSAGES} are shown.` : "";
    details.replaceChildren(...found.slice(0, MAX_MESSAGES).map((each, index) => result(each, index + 1, found.length)));
  }

  let waiting = 0;
  input.addEventListener("input", () => { clearTimeout(waiting); waiting = setTimeout(show, 150); });
  form.addEventListener("click", ({ target }) => {
    if (target.dataset.message === undefined) return;
    input.value = target.dataset.message;
    show();
  });
  form.hidden = false;
  show();
})();
