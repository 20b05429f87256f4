// Answers the theme's search box in the place of its own worker, from the files that search_index.py describes.
(() => {
  "use strict";

  // The kinds of messages that the theme and its worker exchange.
  const [SETUP, READY, QUERY, RESULT] = [0, 1, 2, 3];
  // What a word counts in a title or key, in a name, in text; an equal title or key, and one that begins like it.
  const WEIGHTS = [8, 4, 1];
  const [EQUAL, BEGUN, PREFIX] = [100, 20, 0.5];
  // What another form of the word counts, such as its plural.
  const FORM = 0.75;
  // How many results are shown, and how many blocks are read for the beginning of a word.
  const [SHOWN, BLOCKS] = [50, 6];
  // How long a word is at least that may be mistyped, and how many of its first letters are not.
  const [TYPED, SURE] = [5, 2];

  // Words of a question that say nothing of what is looked for.
  const FILLERS = new Set((
    "a all an and are as at by can carries carry contain contains do does every everything find for from has have how i "
    + "in instead is it its me my of on or show that the their this to what when where which who whose with"
  ).split(" "));

  const home = new URL("../../../search/", self.location.href);
  const index = fetch(new URL("index.json", home), { cache: "no-cache" }).then((answer) => answer.json());
  const files = new Map();
  let newest = 0;

  // A file of the index; whoever asks while it is on its way waits for the same answer.
  function read(name) {
    const loaded = async ({ version }) => (await fetch(new URL(`${name}.json?${version}`, home))).json();
    if (!files.has(name)) files.set(name, index.then(loaded));
    return files.get(name);
  }

  const wordsOf = (text) => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) || [];

  // A word without its English ending, if something is left: of bag and bags, battery and batteries, charged and charging.
  function stemOf(word) {
    const stem = word.replace(/(?:ies|ing|ed|es|s|e|y)$/u, "");
    return stem.length < 3 ? word : stem;
  }

  // The words that are looked for, each once: those that tell something, if there are any.
  function asks(question) {
    const words = [...new Set(wordsOf(question))];
    const telling = words.filter((word) => !FILLERS.has(word));
    return telling.length ? telling : words;
  }

  // The number of the block in which a word stands, if any has it.
  function place(first, word) {
    let [low, high] = [0, first.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (first[middle] <= word) low = middle + 1;
      else high = middle;
    }
    return Math.max(0, low - 1);
  }

  // The words that begin so, each with the steps to its entries.
  async function beginning(prefix) {
    const { first } = await index;
    const from = place(first, prefix);
    let to = from + 1;
    while (to < first.length && to < from + BLOCKS && first[to].startsWith(prefix)) to += 1;
    const numbers = Array.from({ length: Math.min(to, first.length) - from }, (_, each) => from + each);
    const blocks = await Promise.all(numbers.map((number) => read(`words/${number}`)));
    return blocks.flat().filter(([word]) => word.startsWith(prefix));
  }

  // Whether a letter is missing or too many in one of two texts, another one, or has changed places with the next.
  function nearly(one, other) {
    let at = 0;
    while (at < one.length && one[at] === other[at]) at += 1;
    const [rest, others] = [one.slice(at), other.slice(at)];
    const swapped = rest[0] === others[1] && rest[1] === others[0] && rest.slice(2) === others.slice(2);
    return swapped || [[1, 1], [1, 0], [0, 1]].some(([left, right]) => rest.slice(left) === others.slice(right));
  }

  // The words that begin nearly so, with the same letters first, and the beginning of the first one.
  async function mistyped(word) {
    if (word.length < TYPED) return [[], word];
    const begin = (other) => [0, 1, -1].map((more) => other.slice(0, word.length + more)).find((part) => nearly(word, part));
    const found = (await beginning(word.slice(0, SURE))).filter(([other]) => begin(other));
    return [found, found.length ? begin(found[0][0]) : word];
  }

  // As beginning, with what the words begin with: the word, or its stem where they are other forms of it. Where nothing
  // is like it, all that begins with its stem, and if nothing does either, with a letter mistyped.
  async function like(word) {
    const stem = stemOf(word);
    if (stem === word) {
      const found = await beginning(word);
      return found.length ? [found, word] : mistyped(word);
    }
    const [begun, akin] = await Promise.all([word, stem].map(beginning));
    const found = [...begun, ...akin.filter(([other]) => !other.startsWith(word) && stemOf(other) === stem)];
    if (found.length) return [found, word];
    return akin.length ? [akin, stem] : mistyped(word);
  }

  // What each entry has of a word, by the entry's number.
  function weigh(found, word, size) {
    const weights = new Float32Array(size);
    const stem = stemOf(word);
    for (const [other, ...lists] of found) {
      const share = other === word ? 1 : stemOf(other) === stem ? FORM : PREFIX;
      lists.forEach((steps, kind) => {
        const weight = WEIGHTS[kind] * share;
        let number = 0;
        for (const step of steps) {
          number += step;
          if (weights[number] < weight) weights[number] = weight;
        }
      });
    }
    return weights;
  }

  // The best entries, as number and score: those with most of the words, of these the ones that have them in keys.
  function best(weighed, wholes, titles, size) {
    const [counts, scores] = [new Uint8Array(size), new Float32Array(size)];
    for (const weights of weighed) {
      weights.forEach((weight, number) => {
        counts[number] += weight > 0;
        scores[number] += weight;
      });
    }
    for (const [other, ...lists] of wholes) {
      lists.forEach((steps, kind) => {
        const score = weighed.length * WEIGHTS[0] + (titles.includes(other) ? EQUAL : BEGUN) - kind;
        let number = 0;
        for (const step of steps) {
          number += step;
          if (scores[number] < score) scores[number] = score;
        }
      });
    }
    const most = counts.reduce((one, other) => Math.max(one, other), 0);
    const numbers = [];
    counts.forEach((count, number) => { if (count && count === most) numbers.push(number); });
    return numbers.sort((one, other) => scores[other] - scores[one] || one - other).map((each) => [each, scores[each]]);
  }

  const SPECIAL = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
  const escaped = (text) => text.replace(/[&<>"]/g, (each) => SPECIAL[each]);

  // The text as HTML, with the words marked that begin as one of those asked for, or are another form of it.
  function marked(text, asked) {
    const parts = text.split(/([\p{L}\p{N}]+)/u);
    const like = (part, word) => part.startsWith(word) || stemOf(part) === stemOf(word);
    const hit = (part) => asked.some((word) => like(part.toLowerCase(), word));
    return parts.map((part, at) => (at % 2 && hit(part) ? `<mark>${escaped(part)}</mark>` : escaped(part))).join("");
  }

  async function item([number, score], asked, terms) {
    const { shelf } = await index;
    const [location, title, text, keys, names] = (await read(`entries/${Math.floor(number / shelf)}`))[number % shelf];
    const named = names.filter((name) => marked(name, asked).includes("<mark>"));
    const lines = [text, named.length ? `has ${named.join(", ")}` : ""].filter(Boolean)
      .map((line) => `<p class="xr-teaser">${marked(line, asked)}</p>`);
    const found = { location, title: marked(title, asked), text: lines.join(""), score, terms };
    return [keys.length ? { ...found, tags: keys.map((key) => marked(key, asked)) } : found];
  }

  async function answer(question) {
    const words = asks(question);
    if (!words.length) return { items: [] };
    const { entries } = await index;
    const titles = [...new Set([wordsOf(question), words].map((each) => `=${each.join(" ")}`))];
    const reading = [titles.map(beginning), words.map(like)].map((each) => Promise.all(each));
    const [wholes, likely] = await Promise.all(reading);
    const [found, asked] = [0, 1].map((part) => likely.map((each) => each[part]));
    const weighed = found.map((each, at) => weigh(each, asked[at], entries));
    const fitting = best(weighed, wholes.flat(), titles, entries);
    const numbers = fitting.slice(0, SHOWN);
    const has = ([number], at) => weighed[at][number] > 0;
    const items = numbers.map((each) =>
      item(each, asked, Object.fromEntries(asked.map((word, at) => [word, has(each, at)]))));
    const last = found.at(-1).find(([word]) => word.startsWith(asked.at(-1)));
    const shown = await Promise.all(items);
    // The theme counts what it is given; xregit.js says of how many these are the best.
    if (fitting.length > SHOWN) shown[0][0].text += `<span data-xr-fitting="${fitting.length}" hidden></span>`;
    return { items: shown, suggest: last ? [last[0]] : [] };
  }

  async function reply({ type, data }) {
    if (type === SETUP) {
      await index;
      self.postMessage({ type: READY });
    } else if (type === QUERY) {
      newest += 1;
      const own = newest;
      const result = await answer(data);
      if (own === newest) self.postMessage({ type: RESULT, data: result });
    }
  }

  self.addEventListener("message", (event) => reply(event.data));
})();
