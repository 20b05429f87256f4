// Reads messages in their JSON shape, as `xregit match` does: the values by key, and the CloudEvents that they carry.
// What the specifications say of each protocol comes with the definitions; recognise.js holds the one against the other.
(() => {
  "use strict";

  const REQUIRED = ["id", "source", "specversion", "type"];
  // Attributes that may be left out, and are not empty where they are there.
  const OPTIONAL = ["datacontenttype", "dataschema", "subject"];
  const TEXTS = new Set([...REQUIRED, ...OPTIONAL]);
  const CORE = new Set([...TEXTS, "time"]);
  const DATA = new Set(["data", "data_base64"]);
  const has = Object.hasOwn;
  const shown = (value) => {
    const text = value instanceof Uint8Array ? base64(value) : typeof value === "string" ? value : json(value);
    return JSON.stringify(text.length > 120 ? `${text.slice(0, 119)}…` : text);
  };

  // ---- JSON: whole numbers become BigInt, so that they stay what they are and apart from fractions

  function parsed(text) {
    return JSON.parse(text, (key, value, context) => {
      if (!wellFormed(key) || (typeof value === "string" && !wellFormed(value))) throw new SyntaxError("half a character");
      if (typeof value !== "number") return value;
      if (!Number.isFinite(value)) throw new SyntaxError("a number that is too large");
      const source = context?.source ?? String(value);
      return /^-?[0-9]+$/.test(source) ? BigInt(source) : value;
    });
  }

  const wellFormed = (text) => text.isWellFormed?.() ?? true;
  const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Uint8Array);
  const isBytes = (value) => isObject(value) && Object.keys(value).join() === "base64";

  function json(value) {
    if (typeof value === "bigint") return String(value);
    if (Array.isArray(value)) return `[${value.map(json).join()}]`;
    if (!isObject(value)) return JSON.stringify(value);
    return `{${Object.keys(value).sort().map((name) => `${JSON.stringify(name)}:${json(value[name])}`).join()}}`;
  }

  // ---- Types: a value to the canonical text of its type; what is none throws

  const LONG_MIN = -(2n ** 63n), ULONG_MAX = 2n ** 64n - 1n, INTEGER = /^-?(?:0|[1-9][0-9]{0,19})$/;
  const NUMBER = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/;
  const UUID = /^[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$/;
  const decode = (bytes) => new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  const encode = (text) => new TextEncoder().encode(text);
  const base64 = (bytes) => btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));

  function due(fits, what, text) {
    if (!fits) throw new TypeError(`must be ${what}`);
    return text;
  }

  function whole(value, low) {
    const number = typeof value === "string" && INTEGER.test(value) ? BigInt(value) : value;
    return due(typeof number === "bigint" && low <= number && number <= ULONG_MAX, "a whole number of 64 bits", String(number));
  }

  function number(value) {
    let found = value;
    if (typeof value === "string" && value.length <= 400 && NUMBER.test(value)) found = INTEGER.test(value) ? BigInt(value) : Number(value);
    if (typeof found === "bigint" && LONG_MIN <= found && found <= ULONG_MAX) return String(found);
    due(typeof found === "bigint" || typeof found === "number", "a number");
    found = Number(found);
    due(Number.isFinite(found), "a number that fits 64 bits");
    if (Number.isInteger(found) && Math.abs(found) < 2 ** 53) return String(BigInt(found));
    const [digits, exponent] = found.toExponential().split("e"); // as Python writes it
    if (exponent >= -4 && exponent < 16) return Number.isInteger(found) ? `${found}.0` : String(found);
    return `${digits}e${exponent[0]}${exponent.slice(1).padStart(2, "0")}`;
  }

  function string(value) {
    if (typeof value === "string") return value;
    if (value instanceof Uint8Array) return decode(value);
    if (typeof value === "boolean") return String(value);
    return number(due(typeof value === "bigint" || typeof value === "number", "a text", value));
  }

  function isTime(text, facts) {
    if (typeof text !== "string" || !facts.timestamp.test(text)) return false;
    const [year, month, day] = text.slice(0, 10).split("-").map(Number);
    return day <= new Date(Date.UTC(2000 + (year % 400), month, 0)).getUTCDate();
  }

  function bytesOf(text, facts) {
    due(typeof text === "string" && facts.binary.test(text), "bytes in base 64");
    return Uint8Array.from(atob(text), (sign) => sign.charCodeAt(0));
  }

  const WRITTEN = {
    any: (value) => (typeof value === "object" && !(value instanceof Uint8Array) ? json(value) : string(value)),
    binary: (value, facts) => base64(value instanceof Uint8Array ? value : bytesOf(value, facts)),
    boolean: (value) => due([true, false, "true", "false"].includes(value), "true or false", String(value)),
    duration: (value, facts) => due(typeof value === "string" && facts.duration.test(value), "a duration", value),
    integer: (value) => whole(value, LONG_MIN),
    number,
    symbol: (value) => due(/^[A-Za-z0-9_]*$/.test(string(value)), "letters, digits and underscores", string(value)),
    timestamp: (value, facts) => due(isTime(value, facts), "a time", String(value).toUpperCase()),
    ulong: (value) => whole(value, 0n),
    uri: (value, facts) => due(facts.uri.test(string(value)), "a URI", string(value)),
    uuid: (value) => due(typeof value === "string" && UUID.test(value), "a UUID", String(value).toLowerCase()),
  };
  const toText = (kind, value, facts) => (has(WRITTEN, kind) ? WRITTEN[kind] : string)(value, facts);

  function canonical(kind, value, facts) {
    try { return toText(kind, value, facts); } catch { return null; }
  }

  function plain(value, facts) {
    return canonical("any", value, facts) ?? (value instanceof Uint8Array ? base64(value) : "");
  }

  // ---- Reading: the JSON shape of a message to its values by key, such as "headers/content-type"

  function protocolName(text, facts) {
    const named = (spelling) => facts.names.find((name) => name[0] === spelling.toLowerCase());
    if (named(text)) return named(text)[1];
    const family = text.includes("/") && named(text.split("/")[0]);
    if (!family) return text;
    return family[2] || family[1].includes("/") ? (family[2] ? family[1] : text) : `${family[1]}/${text.slice(text.indexOf("/") + 1)}`;
  }

  function readWire(value, facts) {
    const problems = [];
    const wire = { protocol: "", fields: new Map(), problems };
    if (!isObject(value)) problems.push("A message must be a JSON object.");
    else if (!has(value, "protocol") && (value.specversion ?? null) === null) problems.push('A message has "protocol", or "specversion" if it is a CloudEvent; this has neither.');
    else if (!has(value, "protocol")) wire.attributes = readEvent(value, facts, problems);
    else if (typeof value.protocol !== "string" || !value.protocol || [...value.protocol].length > 128) problems.push('"protocol" must be the name of a protocol.');
    else {
      wire.protocol = protocolName(value.protocol, facts);
      wire.body = readBody(value, facts, problems);
      readFields(value, wire, facts);
    }
    return wire;
  }

  function readBody(value, facts, problems) {
    if (has(value, "body") && has(value, "body_base64")) problems.push('A message has "body" or "body_base64", not both.');
    else if (has(value, "body")) return typeof value.body === "string" ? { text: value.body } : { json: value.body };
    else if (has(value, "body_base64")) {
      try { return { bytes: bytesOf(value.body_base64, facts) }; } catch (error) { problems.push(`"body_base64" ${error.message}.`); }
    }
    return undefined;
  }

  function readFields(value, wire, facts) {
    const known = has(facts.wire, wire.protocol) ? facts.wire[wire.protocol] : null;
    const reading = new Reading(facts, known?.forbidden, wire.problems);
    const seen = new Set();
    for (const [key, item] of Object.entries(value)) {
      if (item === null || ["protocol", "body", "body_base64"].includes(key)) continue;
      const name = known && has(known.aliases, key) ? known.aliases[key] : key;
      if (!known) reading.unknown(key, item, wire.fields);
      else if (!has(known.fields, name)) wire.problems.push(`A message of ${wire.protocol} has no ${shown(key)}. It may have ${Object.keys(known.fields).join(", ")}.`);
      else if (seen.has(name)) wire.problems.push(`"${name}" and ${shown(key)} are the same; leave one out.`);
      else reading.field(known.fields[name], name, item, wire.fields);
      seen.add(name);
    }
    for (const [name, twin] of Object.entries(known?.twins ?? {})) {
      if (seen.has(name) && seen.has(twin)) wire.problems.push(`A message of ${wire.protocol} has "${twin}" or "${name}", not both.`);
      else if (!wire.problems.length) addTwin(wire.fields, name, twin);
    }
  }

  // Gives bytes that are text as that, and text as the base 64 of its bytes: definitions may state either.
  function addTwin(fields, name, twin) {
    if (fields.has(name)) {
      const bytes = fields.get(name)[0];
      fields.set(name, [base64(bytes)]);
      try { fields.set(twin, [decode(bytes)]); } catch { /* no text */ }
    } else if (fields.has(twin)) fields.set(name, [base64(encode(fields.get(twin)[0]))]);
  }

  class Reading {
    constructor(facts, forbidden, problems) {
      Object.assign(this, { facts, problems, forbidden: forbidden ? new RegExp(forbidden) : null });
    }

    tried(label, read) {
      try { return read(); } catch (error) { this.problems.push(`${shown(label)} ${error.message}.`); return ""; }
    }

    unknown(key, value, fields) {
      const named = Array.isArray(value) && value.length && value.every((item) => isObject(item) && Object.keys(item).sort().join() === "name,value");
      if (named) for (const item of value) fields.set(`${key}/${plain(item.name, this.facts)}`, [this.anything(key, item.value)]);
      else this.deep(key, this.anything(key, value), fields);
    }

    deep(path, value, fields) {
      if (!isObject(value)) fields.set(path, [value]);
      else for (const [name, item] of Object.entries(value)) this.deep(`${path}/${name}`, item, fields);
    }

    field(field, name, value, fields) {
      if (field.kind === "one") {
        fields.set(name, [field.twin ? this.tried(name, () => bytesOf(value, this.facts)) : this.single(field.value ?? {}, name, value)]);
        return;
      }
      if (field.attributes && !isObject(value)) this.problems.push(`"${name}" must be an object.`);
      else for (const [part, item] of this.named(field, name, value)) this.part(field, name, part, item, fields);
    }

    // Gives the names of a list or map with their values.
    named(field, label, value) {
      if (isObject(value)) return Object.entries(value).flatMap(([name, item]) => (Array.isArray(item) && !this.isFree(field) ? item : [item]).map((each) => [name, each]));
      if (!Array.isArray(value)) this.problems.push(`"${label}" must be a list of names with values.`);
      return (Array.isArray(value) ? value : []).flatMap((item, index) => {
        if (isObject(item) && typeof item.name === "string" && has(item, "value")) return [[item.name, item.value]];
        this.problems.push(`Item ${index + 1} of "${label}" must have "name", a text, and "value".`);
        return [];
      });
    }

    isFree(field) { return field.kind === "map" && !field.repeated; }

    part(field, section, name, value, fields) {
      const label = `${section}/${name}`, key = field.folded ? `${section}/${name.toLowerCase()}` : label;
      const add = (item) => fields.set(key, [...(fields.get(key) ?? []), item]);
      if (field.kind === "pairs" && (!name || !new RegExp(field.names ?? "").test(name))) this.problems.push(`${shown(name)} can be no name in "${section}".`);
      else if (value === null) return; // as if it were not there
      else if (field.kind === "pairs") { this.text("name", name); add(this.text(label, value)); }
      else if (field.repeated) { this.text("name", name); add(this.textOrBytes(label, value)); }
      else if (fields.has(key)) this.problems.push(`"${section}" has ${shown(name)} twice.`);
      else if (!field.attributes) add(this.anything(label, value));
      else if (has(field.attributes, name)) add(this.single(field.attributes[name], label, value));
      else this.problems.push(`"${section}" has no ${shown(name)}. It may have ${Object.keys(field.attributes).join(", ")}.`);
    }

    single(model, label, value) {
      if (model.typed) return this.tried(label, () => this.typed(model, toText(model.typed, value, this.facts)));
      if (typeof value === "bigint" && model.ulong) return this.anything(label, value);
      return model.binary ? this.textOrBytes(label, value) : this.text(label, value);
    }

    typed(model, text) {
      due(!model.enum || model.enum.includes(text), (model.enum ?? []).join(" or "));
      if (model.within) due(BigInt(text) >= model.within[0] && BigInt(text) <= model.within[1], `from ${model.within.join(" to ")}`);
      return model.typed === "boolean" ? text === "true" : model.typed === "integer" ? BigInt(text) : text;
    }

    text(label, value) {
      const text = this.tried(label, () => string(value));
      if (this.forbidden?.test(text)) this.problems.push(`${shown(label)} has characters that its protocol can't carry.`);
      return text;
    }

    textOrBytes(label, value) {
      return isBytes(value) ? this.tried(label, () => bytesOf(value.base64, this.facts)) : this.text(label, value);
    }

    anything(label, value, depth = 0) {
      if (typeof value === "string" || isBytes(value)) return this.textOrBytes(label, value);
      if (typeof value === "bigint") this.tried(label, () => whole(value, LONG_MIN));
      if (typeof value !== "object" || value === null) return value;
      if (depth >= 50) this.problems.push(`${shown(label)} must be a JSON value, nested at most 50 times.`);
      else if (Array.isArray(value)) return value.map((item) => this.anything(label, item, depth + 1));
      else return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, this.anything(label, item, depth + 1)]));
      return null;
    }
  }

  // ---- CloudEvents: what a message carries, and why that is no valid event

  // The data of events in JSON, by their attributes.
  const eventData = new WeakMap();

  function readEvent(value, facts, problems) {
    const attributes = new Map();
    if (!isObject(value)) { problems.push("A CloudEvent must be a JSON object."); return attributes; }
    for (const [name, item] of Object.entries(value)) {
      if (item === null || DATA.has(name)) continue;
      if (!["string", "bigint", "boolean"].includes(typeof item)) problems.push(`The attribute ${shown(name)} must be a text, a whole number, true or false.`);
      attributes.set(name, item);
    }
    eventData.set(attributes, value.data);
    const coded = value.data_base64 ?? null;
    if (coded !== null && (value.data ?? null) !== null) problems.push('An event has "data" or "data_base64", not both.');
    else if (coded !== null && canonical("binary", coded, facts) === null) problems.push('"data_base64" must be bytes in base 64.');
    return attributes;
  }

  function eventProblems(attributes, facts) {
    const problems = REQUIRED.filter((name) => [undefined, ""].includes(attributes.get(name))).map((name) => `The attribute "${name}" is missing or empty.`);
    for (const name of OPTIONAL.filter((name) => attributes.get(name) === "")) problems.push(`The attribute "${name}" is empty; it has a text, or is not there.`);
    const version = attributes.get("specversion") ?? "1.0";
    if (version !== "1.0") problems.push(`"specversion" must be "1.0", but is ${shown(version)}.`);
    for (const [name, value] of attributes) {
      if (DATA.has(name)) problems.push(`No attribute may be called "${name}".`);
      else if (!/^[a-z0-9]+$/.test(name)) problems.push(`An attribute's name must be of lower-case letters and digits, but is ${shown(name)}.`);
      if (typeof value === "string") {
        if (/[\p{Cc}\p{Noncharacter_Code_Point}]/u.test(value)) problems.push(`"${name}" has control characters or noncharacters, which no attribute may have.`);
      } else if (TEXTS.has(name)) problems.push(`"${name}" must be a text, but is ${shown(value)}.`);
      else if (typeof value === "bigint" && BigInt.asIntN(32, value) !== value) problems.push(`"${name}" must be a whole number of 32 bits, but is ${shown(value)}.`);
    }
    if (attributes.has("time") && !isTime(attributes.get("time"), facts)) problems.push(`"time" must be a time such as 2026-05-22T10:30:00Z, but is ${shown(attributes.get("time"))}.`);
    return problems;
  }

  const NOTHING = { mode: "", events: [], problems: [] };

  function carried(wire, facts) {
    if (!wire.protocol) return { mode: "structured", events: [wire.attributes], problems: eventProblems(wire.attributes, facts) };
    const known = has(facts.carriers, wire.protocol) ? facts.carriers[wire.protocol] : null;
    if (!known) return NOTHING;
    const contenttype = mediaOf(known, wire);
    const media = contenttype.slice(0, 200).split(";")[0].trim().toLowerCase();
    if (media.startsWith("application/cloudevents")) {
      const mode = { "": "structured", "+json": "structured", "-batch+json": "batch" }[media.slice("application/cloudevents".length)];
      if (!known.modes.includes(mode)) return { ...NOTHING, mode: "unknown-format" };
      return structured(wire.body, mode, facts);
    }
    const found = known.attributes ? binary(known, wire, contenttype, facts) : NOTHING;
    return known.implied && found === NOTHING && !contenttype ? implied(wire.body, facts) : found;
  }

  function mediaOf(known, wire) {
    for (const [key, values] of known.contenttype ? wire.fields : []) {
      const text = (key === known.contenttype || key.toLowerCase() === known.contenttype) && values.find((value) => typeof value === "string");
      if (typeof text === "string") return text;
    }
    return "";
  }

  function bodyValue(body) {
    return body && has(body, "json") ? body.json : parsed(body?.bytes ? decode(body.bytes) : body?.text ?? "");
  }

  function structured(body, mode, facts) {
    const problems = [], events = [];
    let value;
    try { value = bodyValue(body); } catch { return { mode, events, problems: ["The payload is no CloudEvent in JSON."] }; }
    if (mode === "batch" && !Array.isArray(value)) problems.push("A batch of CloudEvents must be a JSON array.");
    else for (const item of mode === "batch" ? value : [value]) {
      const faults = [];
      const event = readEvent(item, facts, faults);
      if (!faults.length) { events.push(event); faults.push(...eventProblems(event, facts)); }
      problems.push(...faults);
    }
    return { mode, events, problems };
  }

  // Reads a payload that may be an event or anything else: one without "specversion" is no attempt at an event.
  function implied(body, facts) {
    try {
      const value = bodyValue(body);
      return isObject(value) && has(value, "specversion") ? structured(body, "structured", facts) : NOTHING;
    } catch { return NOTHING; }
  }

  function binary(known, wire, contenttype, facts) {
    const problems = [], attributes = new Map();
    for (const [key, values] of wire.fields) {
      const name = key.startsWith(`${known.attributes}/`) ? attributeName(known, key.slice(known.attributes.length + 1)) : "";
      for (const value of name ? values : []) {
        if (attributes.has(name)) problems.push(`The attribute ${shown(name)} stands twice.`);
        else try { attributes.set(name, attributeValue(known, name, value)); } catch (error) { problems.push(`${shown(key)} ${error.message}.`); }
      }
    }
    if (!attributes.has("specversion")) return NOTHING;
    const missing = REQUIRED.filter((name) => !attributes.has(name));
    if (missing.length) return { ...NOTHING, problems: missing.map((name) => `The attribute "${name}" is missing.`) };
    const other = attributes.get("datacontenttype") ?? contenttype;
    if (contenttype && String(other).toLowerCase() !== contenttype.toLowerCase()) problems.push(`"datacontenttype" is ${shown(other)}, but the content type of the message is ${shown(contenttype)}.`);
    if (contenttype) attributes.set("datacontenttype", contenttype);
    return { mode: "binary", events: [attributes], problems: [...problems, ...eventProblems(attributes, facts)] };
  }

  function attributeName(known, key) {
    const name = known.anycase ? key.toLowerCase() : key;
    const prefix = known.prefixes.find((each) => name.startsWith(each));
    if (prefix === undefined) return "";
    return prefix || (/^[a-z0-9]+$/.test(name) && !DATA.has(name)) ? name.slice(prefix.length) : "";
  }

  function attributeValue(known, name, value) {
    if (known.native && name === "time" && typeof value === "bigint") return moment(value);
    if (typeof value === "string") return known.percent ? unquoted(value) : value;
    if (known.native && (typeof value === "boolean" || typeof value === "bigint")) return name === "time" ? String(value) : value;
    return value instanceof Uint8Array && known.native && name !== "time" ? base64(value) : string(value);
  }

  // A time, which AMQP has as milliseconds since 1970.
  function moment(value) {
    const date = new Date(Number(value));
    due(date.getUTCFullYear() >= 1 && date.getUTCFullYear() <= 9999, "a time of the years 1 to 9999");
    return date.toISOString().replace(".000Z", "Z").replace(/(\.[0-9]{3})Z/, "$1000Z");
  }

  const ENCODED = /(?:%[0-9A-Fa-f]{2})+/g;
  const triples = (text) => text.replace(ENCODED, (run) => decode(Uint8Array.from(run.slice(1).split("%"), (pair) => parseInt(pair, 16))));

  function unquoted(value) {
    return triples(value.replace(/"((?:[^"\\]|\\.)*)(.?)/gs, (all, inner, end) => (end === '"' ? inner.replace(/\\(.)/gs, "$1") : all)));
  }

  // ---- Messages as clients of brokers print them in a shell, such as `kcat -J`

  // Tells whether a value looks like a message or an event, and not like the payload of one.
  const isMessage = (value) => isObject(value) && (has(value, "protocol") || has(value, "specversion") || ["id", "source", "type"].every((name) => has(value, name)));

  // The messages that a client's print may stand for, one for each protocol.
  function printedForms(value, facts) {
    if (!isObject(value) || isMessage(value)) return [];
    const known = Object.entries(facts.printed).filter(([, { signs }]) => signs.every((name) => has(value, name)));
    return known.map(([protocol, { fields, body }]) => {
      const form = { protocol };
      for (const [path, name] of Object.entries(fields)) {
        const item = path.split("/").reduce((inner, part) => (isObject(inner) && has(inner, part) ? inner[part] : null), value);
        if (item !== null) form[name] = printedField(facts.wire[protocol].fields[name], item);
      }
      return value[body] === null ? form : { ...form, body: value[body] };
    });
  }

  function printedField(field, value) {
    if (field.kind === "one") return field.value?.binary && typeof value === "string" ? { base64: base64(encode(value)) } : value;
    let entries = [];
    if (isObject(value)) entries = Object.entries(value);
    else if (Array.isArray(value) && value.every(isObject)) entries = value.flatMap(Object.entries);
    else if (Array.isArray(value)) entries = value.flatMap((name, at) => (at % 2 || at + 1 === value.length ? [] : [[String(name), value[at + 1]]]));
    entries = entries.filter(([, item]) => item !== null);
    if (field.kind !== "map") return entries.map(([name, item]) => ({ name, value: item }));
    const named = {};
    for (const [name, item] of entries) named[name] = [...(has(named, name) ? named[name] : []), item];
    return named;
  }

  // ---- The whole: a text to what was received, one message or one for each event of a batch

  // The JSON value that a message carries, undefined where it carries none.
  function payloadOf(wire, event) {
    if (eventData.has(event)) return eventData.get(event);
    try { return bodyValue(wire.body); } catch { return undefined; }
  }

  const unread = (problems) => [{ readable: false, attributes: new Map(), fields: new Map(), protocol: "", mode: "", problems, contenttype: "" }];

  function received(text, facts) {
    let value;
    try { value = parsed(text); } catch (error) { return unread([`The message is not JSON: ${error.message}.`]); }
    return receivedValue(value, facts);
  }

  function receivedValue(value, facts) {
    const wire = readWire(value, facts);
    if (wire.problems.length) return unread(wire.problems);
    const found = carried(wire, facts);
    const several = found.mode === "batch" && !found.problems.length && found.events.length;
    const known = has(facts.carriers, wire.protocol) ? facts.carriers[wire.protocol] : null;
    const first = known?.contenttype ? wire.fields.get(known.contenttype) : undefined;
    const outer = first ? plain(first[0], facts) : "";
    return (several ? found.events : [found.events[0]]).map((event) => {
      const valid = event !== undefined && !found.problems.length;
      const contenttype = valid ? String(event.get("datacontenttype") ?? "") : outer;
      return { ...wire, readable: true, mode: found.mode, problems: found.problems, event: valid, attributes: event ?? new Map(), payload: found.problems.length ? undefined : payloadOf(wire, event), outer, contenttype };
    });
  }

  globalThis.xregitWire = { base64, canonical, encode, eventProblems, isMessage, isObject, parsed, plain, printedForms, received, receivedValue, shown, unread, triples, CORE, REQUIRED };
})();
