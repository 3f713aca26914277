'use strict';
// Filters, folds and selects on the page. Nothing is made of text: elements are found, shown, hidden and marked.
(() => {
  const byId = (id) => document.getElementById(id);
  const all = (selector, within = document) => Array.from(within.querySelectorAll(selector));
  const main = byId('transcript');
  const input = byId('filter');
  const found = byId('found');

  // The language of transcope's filters, as far as the page has the answers.

  // What a result does not say of itself its call does.
  const callOf = (item) => (item.dataset.call === undefined ? null : byId(item.dataset.call));
  const said = (item, name) => item.dataset[name] ?? callOf(item)?.dataset[name];
  const isSet = (values, value) => values !== undefined && values.split(' ').includes(value);
  const flag = (word) => (item) => isSet(item.dataset.flags, word);
  const ROLES = { developer: 'system', human: 'user', model: 'assistant', gpt: 'assistant', function: 'tool' };
  const ROLE_NAMES = ['user', 'assistant', 'tool', 'system'];
  const KINDS = ['call', 'result', 'text', 'reasoning', 'envelope'];
  const PARTS = ['compaction', 'subagent', 'turn'];
  const PROPERTIES = ['problem', 'error', 'warning', 'hint', 'result', 'note'];

  // Letters of a word, each with whether it was quoted.
  const textOf = (letters) => letters.map((letter) => letter.c).join('');
  const isPlain = (letters) => letters.every((letter) => !letter.quoted);

  function tokens(expression) {
    const list = [];
    const chars = Array.from(expression);
    let at = 0;
    while (at < chars.length) {
      const c = chars[at];
      if (/\s/.test(c)) {
        at += 1;
      } else if ('()!'.includes(c)) {
        list.push({ sign: c });
        at += 1;
      } else if (c === '/') {
        throw new Error('/regex/ is for the command line: transcope export --filter');
      } else {
        const letters = [];
        while (at < chars.length && !/[\s()]/.test(chars[at])) {
          if (chars[at] !== '"') {
            letters.push({ c: chars[at], quoted: false });
            at += 1;
            continue;
          }
          for (at += 1; chars[at] !== '"'; at += 1) {
            if (at >= chars.length) throw new Error('unclosed quotation mark');
            if (chars[at] === '\\' && ['"', '\\'].includes(chars[at + 1])) at += 1;
            letters.push({ c: chars[at], quoted: true });
          }
          at += 1;
        }
        list.push({ letters });
      }
    }
    return list;
  }

  // A whole name, in which a star that is not quoted stands for anything.
  function namePattern(letters, flags) {
    const part = ({ c, quoted }) => (c === '*' && !quoted ? '.*' : c.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'));
    const pattern = new RegExp(`^(?:${letters.map(part).join('')})$`, `su${flags}`);
    return (name) => pattern.test(name);
  }

  function choice(name, value, words) {
    const word = words.find((known) => known === textOf(value).toLowerCase());
    if (word === undefined) throw new Error(`unknown ${name}: write one of ${words.join(', ')}`);
    return word;
  }

  // Milliseconds, or nothing where it is not a duration.
  function duration(word) {
    if (!/^(?:\d+(?:\.\d+)?(?:ms|s|m|h))+$/.test(word)) return undefined;
    const units = { ms: 1, s: 1e3, m: 6e4, h: 36e5 };
    const parts = Array.from(word.matchAll(/([\d.]+)(ms|s|m|h)/g));
    return parts.reduce((sum, [, number, unit]) => sum + Number(number) * units[unit], 0);
  }

  function turnTerm(word) {
    if (word.toLowerCase() === 'last') return flag('turn:last');
    const [, first, range, last] = /^(\d*)(\.\.)?(\d*)$/.exec(word) ?? [];
    const from = Number(first || (range && last && 1));
    const to = range === undefined ? from : Number(last || Infinity);
    if (!(from > 0 && from <= to)) throw new Error('not a turn: write turn:3, turn:2..5 or turn:last');
    return (item) => Number(said(item, 'turn')) >= from && Number(said(item, 'turn')) <= to;
  }

  // A date or a time, in UTC unless it names a zone, or a duration from the first time in the file.
  function timeTerm(name, word) {
    const after = duration(word);
    const [, time, zone] = /^\d{4}-\d\d-\d\d([T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(Z|[+-]\d\d:\d\d)?)?$/i.exec(word) ?? [];
    const isLocal = time !== undefined && zone === undefined;
    const moment = Date.parse(word.replace(' ', 'T') + (isLocal ? 'Z' : ''));
    const limit = after === undefined ? moment : Number(main.dataset.start) + after;
    if (after === undefined && (Number.isNaN(moment) || !/^\d{4}-\d\d-\d\d/.test(word))) {
      throw new Error(`not a time: write ${name}:2026-01-31, ${name}:2026-01-31T10:00 or ${name}:5m`);
    }
    return (item) => {
      const at = Number(said(item, 'time'));
      return name === 'after' ? at >= limit : at < limit;
    };
  }

  const COMPARE = {
    '>': (one, other) => one > other,
    '>=': (one, other) => one >= other,
    '=': (one, other) => one === other,
    '<=': (one, other) => one <= other,
    '<': (one, other) => one < other,
  };

  function tookTerm(operator, word) {
    const limit = duration(word);
    if (limit === undefined) throw new Error('not a duration: write took>10s, took<500ms or took>=1m');
    return (item) => COMPARE[operator](Number(said(item, 'took')), limit);
  }

  function namedTerm(name, value) {
    switch (name) {
      case 'tool': {
        const matches = namePattern(value, 'i');
        return (item) => said(item, 'tool') !== undefined && matches(said(item, 'tool'));
      }
      case 'id': {
        const matches = namePattern(value, '');
        return (item) => [item, callOf(item)].some((of) => of?.dataset.id?.split('\n').some(matches));
      }
      case 'code': {
        const matches = namePattern(value, 'i');
        return (item) => item.dataset.code !== undefined && item.dataset.code.split(' ').some(matches);
      }
      case 'dialect': {
        const dialect = textOf(value).toLowerCase();
        return (item) => said(item, 'dialect') === dialect;
      }
      case 'role': {
        const word = textOf(value).toLowerCase();
        const role = choice('role', [{ c: ROLES[word] ?? word }], ROLE_NAMES);
        return (item) => isSet(item.dataset.role, role);
      }
      case 'is': {
        const kind = choice('kind of item', value, [...KINDS, ...PARTS]);
        return PARTS.includes(kind) ? flag(`is:${kind}`) : (item) => item.dataset.is === kind;
      }
      case 'turn':
        return turnTerm(textOf(value));
      case 'after':
      case 'before':
        return timeTerm(name, textOf(value));
      case 'agent': {
        const matches = namePattern(value, 'i');
        return (item) => said(item, 'agent')?.split('\n').some(matches) ?? false;
      }
      case 'has':
        return flag(`has:${choice('property', value, PROPERTIES)}`);
      case 'arg':
        throw new Error('arg: is for the command line: transcope export --filter');
      default:
        throw new Error(`unknown term "${name}:"; to look for a text with a colon, quote it`);
    }
  }

  const texts = new Map();

  // The text of an item: of a call, the raw one.
  function textOfItem(item) {
    if (!texts.has(item)) {
      const place = item.querySelector('.raw') ?? item.querySelector('pre') ?? item;
      texts.set(item, place.textContent);
    }
    return texts.get(item);
  }

  // Words in lower case are found in any case. What is true of a call is true of its result.
  function textTerm(words) {
    const isAnyCase = words === words.toLowerCase();
    const holds = (item) => {
      const text = textOfItem(item);
      return (isAnyCase ? text.toLowerCase() : text).includes(words);
    };
    return (item) => holds(item) || (callOf(item) !== null && holds(callOf(item)));
  }

  function term(letters) {
    const word = textOf(letters);
    if (isPlain(letters)) {
      if (['failed', 'rejected', 'skipped', 'open'].includes(word)) return flag(word);
      const [, operator, limit] = /^took([<>]=?|=)(.*)$/i.exec(word) ?? [];
      if (operator !== undefined) return tookTerm(operator, limit);
      if (/^dep[<>=]/i.test(word)) throw new Error('dep is for the command line: transcope export --filter');
    }
    const colon = letters.findIndex(({ c, quoted }) => c === ':' && !quoted);
    if (colon >= 0 && isPlain(letters.slice(0, colon))) {
      const name = textOf(letters.slice(0, colon)).toLowerCase();
      const value = letters.slice(colon + 1);
      if (value.length === 0) throw new Error(`${name}: without a value`);
      return namedTerm(name, value);
    }
    return textTerm(word);
  }

  // "not" binds tightest, then "and", which may be left out, then "or".
  function parse(expression) {
    const list = tokens(expression);
    let at = 0;
    let depth = 0;
    const isKeyword = (word) => {
      const letters = list[at]?.letters;
      return letters !== undefined && isPlain(letters) && textOf(letters).toLowerCase() === word;
    };
    const take = (word) => isKeyword(word) && ((at += 1), true);
    const either = () => {
      const parts = [every()];
      while (take('or')) parts.push(every());
      return (item) => parts.some((part) => part(item));
    };
    const every = () => {
      const parts = [one()];
      while (take('and') || (at < list.length && list[at].sign !== ')' && !isKeyword('or'))) parts.push(one());
      return (item) => parts.every((part) => part(item));
    };
    const one = () => {
      let isNot = false;
      while (list[at]?.sign === '!' || isKeyword('not')) {
        isNot = !isNot;
        at += 1;
      }
      const inner = operand();
      return isNot ? (item) => !inner(item) : inner;
    };
    const operand = () => {
      const token = list[at];
      if (token === undefined || token.sign === ')' || isKeyword('and') || isKeyword('or')) {
        throw new Error('a term is missing, such as failed or tool:Bash');
      }
      at += 1;
      if (token.sign !== '(') return term(token.letters);
      depth += 1;
      if (depth > 50) throw new Error('too many parentheses');
      const inner = either();
      if (list[at]?.sign !== ')') throw new Error('unclosed parenthesis');
      at += 1;
      depth -= 1;
      return inner;
    };
    const whole = either();
    if (at < list.length) throw new Error('closing parenthesis without an opening one');
    return whole;
  }

  // Filter

  // Looked up when they are asked for first: a long session is to be shown at once.
  const once = (make) => {
    let made;
    return () => (made ??= make());
  };
  const targetOf = (entry) => entry.firstElementChild.getAttribute('href').slice(1);
  const items = once(() => all('[data-is]', main));
  const entries = once(() => new Map(all('.entries li').map((entry) => [targetOf(entry), entry])));

  // A call that contains a match is shown with its heading, although it does not match itself.
  function show(matches) {
    const around = new Set();
    for (const item of items()) {
      item.hidden = matches !== null && !matches(item);
      if (item.hidden) continue;
      for (let at = item.parentElement; at !== main && !around.has(at); at = at.parentElement) around.add(at);
    }
    let calls = 0;
    for (const item of items()) {
      const isAround = item.hidden && around.has(item);
      item.toggleAttribute('data-around', isAround);
      calls += item.dataset.is === 'call' && !item.hidden ? 1 : 0;
      const entry = item.dataset.is === 'call' ? entries().get(item.id) : undefined;
      if (entry !== undefined) entry.hidden = item.hidden;
      if (isAround) {
        item.hidden = false;
        item.open = true;
      }
    }
    for (const group of all('.message, .agent, .turn', main)) {
      group.hidden = matches !== null && !around.has(group);
      if (matches !== null && group.classList.contains('agent')) group.open = true;
      const entry = entries().get(group.id);
      if (entry !== undefined) entry.hidden = group.hidden;
    }
    for (const problem of all('main > .problem, .message > .problem, .turn > .problem')) problem.hidden = matches !== null;
    for (const entry of all('.findings li')) {
      const target = byId(targetOf(entry));
      entry.hidden = target === null ? matches !== null : target.closest('[hidden]') !== null;
    }
    return calls;
  }

  function filter() {
    const expression = input.value.trim();
    input.removeAttribute('aria-invalid');
    try {
      const total = items().filter((item) => item.dataset.is === 'call').length;
      const calls = show(expression === '' ? null : parse(expression));
      found.textContent = expression === '' ? '' : `${calls} of ${total} ${total === 1 ? 'call' : 'calls'}`;
    } catch (fault) {
      input.setAttribute('aria-invalid', 'true');
      found.textContent = fault.message;
    }
  }

  let soon = 0;
  input.addEventListener('input', () => {
    clearTimeout(soon);
    soon = setTimeout(filter, 100);
  });

  // Folds

  const folds = 'details.call, details.result, details.aside, details.agent';

  function fold(isOpen) {
    const around = document.activeElement?.closest(folds) ?? null;
    all(folds, main).forEach((details) => (details.open = isOpen));
    // What has the focus would be hidden, and the focus lost.
    if (!isOpen && around !== null) go(around.querySelector('summary'));
  }

  byId('fold').addEventListener('click', () => fold(false));
  byId('unfold').addEventListener('click', () => fold(true));

  function reveal(element) {
    for (let at = element.closest('details'); at !== null; at = at.parentElement.closest('details')) at.open = true;
  }

  // Selection: a value of a call and its bytes in the raw text.

  const place = (words) => history.replaceState(null, '', `#${words}`);
  const depthOf = (key) => Number(key.className.replace(/\D/g, ''));

  // A node and those below it.
  function nodesOf(item, node) {
    const nodes = [node];
    const keys = all('dt[data-n]', item);
    const from = keys.findIndex((key) => key.dataset.n === node);
    for (let at = from + 1; from >= 0 && at < keys.length && depthOf(keys[at]) > depthOf(keys[from]); at += 1) {
      nodes.push(keys[at].dataset.n);
    }
    return nodes;
  }

  function choose(item, node) {
    all('.chosen', main).forEach((element) => element.classList.remove('chosen'));
    all(`dl [data-n="${node}"]`, item).forEach((value) => value.classList.add('chosen'));
    for (const below of nodesOf(item, node)) {
      all(`.raw [data-n="${below}"]`, item).forEach((piece) => piece.classList.add('chosen'));
    }
    place(`${item.id}-${node}`);
  }

  main.addEventListener('click', (event) => {
    const part = event.target.closest('[data-n]');
    if (part === null || !getSelection().isCollapsed || event.target.closest('a') !== null) return;
    const item = part.closest('[data-is]');
    choose(item, part.dataset.n);
    const other = item.querySelector(part.closest('dl') === null ? 'dl .chosen' : '.raw .chosen');
    if (other !== null) other.scrollIntoView({ block: 'nearest' });
  });

  // Where the address leads to.
  function visit() {
    const [, id, node] = /^#([imp]\d+)(?:-(\d+))?$/.exec(location.hash) ?? [];
    const target = id === undefined ? null : byId(id);
    if (target === null) return;
    reveal(target);
    if (node === undefined) return;
    choose(target, node);
    target.scrollIntoView({ block: 'nearest' });
  }
  addEventListener('hashchange', visit);

  // Keys

  const stops = once(() => all('summary, .text, dt[data-n], .problem', main));
  const problems = once(() => all('.problem, details.failed > summary', main));
  const calls = once(() => all('.call > summary', main));

  // What has to be open for an element to be seen.
  const around = (element) => (element.localName === 'summary' ? element.parentElement.parentElement : element);

  function isShown(element) {
    return element.closest('[hidden]') === null && around(element).closest('details:not([open])') === null;
  }

  // Where the keys are: what has the focus, or what is at the top of the window.
  function here() {
    const active = document.activeElement;
    if (active !== null && main.contains(active) && active !== main) return active;
    return stops().find((stop) => isShown(stop) && stop.getBoundingClientRect().bottom > 0) ?? null;
  }

  function go(target) {
    if (target.localName !== 'summary') target.tabIndex = -1;
    target.focus();
    target.scrollIntoView({ block: 'nearest' });
    const item = target.closest('[id]');
    if (target.dataset.n === undefined) place(item.id);
    else choose(item, target.dataset.n);
  }

  // The next of some elements, which are in the order of the page, or the previous one.
  function step(list, isForward) {
    const from = here();
    if (from === null) return;
    const hasFocus = document.activeElement === from;
    const side = isForward ? Node.DOCUMENT_POSITION_FOLLOWING : Node.DOCUMENT_POSITION_PRECEDING;
    const isBeyond = (element) =>
      element === from ? !hasFocus && isForward : (from.compareDocumentPosition(element) & side) !== 0;
    const isMeant = (element) =>
      element.closest('[hidden]') === null && isBeyond(element) && (list !== stops || isShown(element));
    const next = isForward ? list().find(isMeant) : list().findLast(isMeant);
    if (next === undefined) return;
    if (list !== stops) reveal(around(next));
    go(next);
  }

  const KEYS = {
    j: () => step(stops, true),
    k: () => step(stops, false),
    e: () => step(problems, true),
    E: () => step(problems, false),
    c: () => step(calls, true),
    C: () => step(calls, false),
    '-': () => fold(false),
    '+': () => fold(true),
    '=': () => fold(true),
    '&': () => input.focus(),
  };

  addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.key === 'Enter' && event.target === input) {
      filter();
    } else if (event.key === 'Escape' && (event.target === input || input.value !== '')) {
      input.value = '';
      filter();
      input.blur();
    } else if (event.target.localName !== 'input' && Object.hasOwn(KEYS, event.key)) {
      event.preventDefault();
      KEYS[event.key]();
    }
  });

  document.querySelector('.tools').hidden = false;
  visit();
})();
