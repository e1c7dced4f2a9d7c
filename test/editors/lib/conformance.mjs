// Checks every message that a server sent against the meta model of the Language
// Server Protocol, and what the protocol says in words about requests, progress
// and ranges. As a program: node conformance.mjs RECORD...
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const model = JSON.parse(readFileSync(new URL('lsp-3.17.json', import.meta.url), 'utf8'));
const named = list => new Map(list.map(entry => [entry.name, entry]));
const ofMethod = list => new Map(list.map(entry => [entry.method, entry]));
const structures = named(model.structures), enumerations = named(model.enumerations), aliases = named(model.typeAliases);
const requests = ofMethod(model.requests), notifications = ofMethod(model.notifications);

const base = name => ({ kind: 'base', name });
const property = (name, type, optional = false) => ({ name, type: base(type), optional });
/** What catchlens adds to the protocol, in the meta model's terms. */
notifications.set('catchlens/status', {
  messageDirection: 'serverToClient',
  params: { kind: 'literal', value: { properties: [
    property('trusted', 'boolean'), property('activity', 'string'), property('catches', 'uinteger'), property('links', 'uinteger'),
    property('tests', 'uinteger'), property('problems', 'uinteger'), property('callGraph', 'string'), property('jdk', 'string'), property('unconfined', 'string', true),
  ] } },
});

notifications.set('catchlens/catchesChanged', { messageDirection: 'serverToClient', params: { kind: 'literal', value: { properties: [] } } });
const catchOfList = [
  property('id', 'string'), property('uri', 'DocumentUri'), property('version', 'integer', true), { name: 'range', type: { kind: 'reference', name: 'Range' } },
  property('file', 'string'), property('method', 'string'), { name: 'exceptions', type: { kind: 'array', element: base('string') } },
  ...['kind', 'group', 'verdict', 'title'].map(n => property(n, 'string')), ...['tested', 'failures', 'unpredicted'].map(n => property(n, 'uinteger')),
  ...['look', 'stale', 'running', 'runnable'].map(n => property(n, 'boolean')),
];
requests.set('catchlens/catches', {
  messageDirection: 'clientToServer',
  result: { kind: 'literal', value: { properties: [
    property('analysed', 'boolean'), { name: 'catches', type: { kind: 'array', element: { kind: 'literal', value: { properties: catchOfList } } } },
  ] } },
});

for (const name of ['coverageChanged', 'testsChanged', 'callChainsChanged']) {
  const params = { kind: 'literal', value: { properties: [] } };
  notifications.set(`catchlens/${name}`, { messageDirection: 'serverToClient', params });
}
const literal = (...properties) => ({ kind: 'literal', value: { properties } }), listOf = (name, element, optional) => ({ name, type: { kind: 'array', element }, ...optional ? { optional } : {} });
const answers = (method, ...properties) => requests.set(method, { messageDirection: 'clientToServer', result: literal(...properties) });
const range = { name: 'range', type: { kind: 'reference', name: 'Range' } }, covering = listOf('tests', literal(property('test', 'string'), property('module', 'string'), property('stale', 'boolean')));
const countOf = name => ({ name, type: literal(property('covered', 'uinteger'), property('total', 'uinteger')) });
const anything = { kind: 'reference', name: 'LSPAny' }; // a row has rows of its kind in it
answers('catchlens/callChains', ...['pending', 'ran'].map(n => property(n, 'boolean')),
  ...['class', 'method', 'title'].map(n => property(n, 'string')), listOf('notes', base('string')),
  ...['length', 'all', 'tested'].map(n => property(n, 'uinteger')), listOf('rows', anything));
answers('catchlens/coverage', property('known', 'boolean'), property('version', 'integer', true), covering, listOf('lines', literal(
  property('line', 'uinteger'), property('state', 'string'), property('tests', 'uinteger'), property('left', 'uinteger', true),
  listOf('branches', literal(range, listOf('ways', literal(property('label', 'string'), property('taken', 'boolean')))), true),
)));
answers('catchlens/coverageFiles', property('known', 'boolean'), covering, listOf('files', literal(
  property('uri', 'DocumentUri'), countOf('lines'), countOf('branches'), countOf('methods'), listOf('tests', base('uinteger')),
)));
answers('catchlens/tests', property('analysed', 'boolean'), listOf('tests', literal(
  property('test', 'string'), property('class', 'string'), property('module', 'string'), property('uri', 'DocumentUri', true), property('line', 'uinteger'), property('stale', 'boolean'),
  { name: 'run', optional: true, type: literal(property('outcome', 'string'), property('message', 'string', true), property('stack', 'string', true), property('durationMs', 'decimal'),
    property('at', 'decimal'), property('uri', 'DocumentUri', true), property('line', 'uinteger')) },
)));

/** Properties of a structure with those it takes from others; the nearest declaration of a name holds. */
function propertiesOf(structure) {
  const all = new Map();
  for (const parent of [...structure.extends ?? [], ...structure.mixins ?? []]) {
    for (const [name, p] of propertiesOf(structures.get(parent.name))) all.set(name, p);
  }
  for (const p of structure.properties) all.set(p.name, p);
  return all;
}

const isObject = v => v !== null && typeof v === 'object' && !Array.isArray(v);
const isInteger = v => Number.isInteger(v) && v >= -(2 ** 31) && v < 2 ** 31;
const bases = {
  string: v => typeof v === 'string',
  boolean: v => typeof v === 'boolean',
  null: v => v === null,
  integer: isInteger,
  uinteger: v => isInteger(v) && v >= 0,
  decimal: v => typeof v === 'number',
  RegExp: v => typeof v === 'string',
  URI: v => typeof v === 'string' && /^[a-z][a-z\d+.-]*:/i.test(v),
  DocumentUri: v => typeof v === 'string' && /^[a-z][a-z\d+.-]*:/i.test(v),
};

/** All the ways in which a value is not of a type, each with where. */
function misfits(value, type, where) {
  switch (type.kind) {
    case 'base':
      return bases[type.name](value) ? [] : [`${where}: ${show(value)} is no ${type.name}`];
    case 'stringLiteral': case 'integerLiteral': case 'booleanLiteral':
      return value === type.value ? [] : [`${where}: ${show(value)} is not ${show(type.value)}`];
    case 'array':
      return Array.isArray(value) ? value.flatMap((v, i) => misfits(v, type.element, `${where}[${i}]`)) : [`${where}: ${show(value)} is no array`];
    case 'tuple':
      return Array.isArray(value) && value.length === type.items.length
        ? value.flatMap((v, i) => misfits(v, type.items[i], `${where}[${i}]`)) : [`${where}: ${show(value)} is not a list of ${type.items.length}`];
    case 'map':
      return isObject(value) ? Object.entries(value).flatMap(([k, v]) => misfits(v, type.value, `${where}.${k}`)) : [`${where}: ${show(value)} is no object`];
    case 'literal':
      return members(value, new Map(type.value.properties.map(p => [p.name, p])), where);
    case 'and':
      return members(value, new Map(type.items.flatMap(t => [...propertiesOf(structures.get(t.name))])), where);
    case 'or': {
      const tries = type.items.map(t => misfits(value, t, where));
      return tries.reduce((best, t) => t.length < best.length ? t : best);
    }
    case 'reference':
      return reference(value, type.name, where);
    default:
      throw new Error(`the meta model has a kind of type that is not known here: ${type.kind}`);
  }
}

function reference(value, name, where) {
  if (name === 'LSPAny') return [];
  if (name === 'LSPObject') return isObject(value) ? [] : [`${where}: ${show(value)} is no object`];
  if (name === 'LSPArray') return Array.isArray(value) ? [] : [`${where}: ${show(value)} is no array`];
  if (aliases.has(name)) return misfits(value, aliases.get(name).type, where);
  if (enumerations.has(name)) {
    const e = enumerations.get(name), wrong = misfits(value, e.type, where);
    if (wrong.length > 0 || e.supportsCustomValues || e.values.some(v => v.value === value)) return wrong;
    return [`${where}: ${show(value)} is not among the values of ${name}`];
  }
  const wrong = members(value, propertiesOf(structures.get(name)), where);
  if (name === 'Range' && wrong.length === 0 && after(value.start, value.end)) wrong.push(`${where}: the range ends before it starts`);
  return wrong;
}

const after = (a, b) => a.line > b.line || (a.line === b.line && a.character > b.character);

function members(value, known, where) {
  if (!isObject(value)) return [`${where}: ${show(value)} is no object`];
  const wrong = [];
  for (const [name, p] of known) {
    if (name in value) wrong.push(...misfits(value[name], p.type, `${where}.${name}`));
    else if (!p.optional) wrong.push(`${where}.${name} is missing`);
  }
  for (const name of Object.keys(value)) if (!known.has(name)) wrong.push(`${where}.${name} is not in the protocol`);
  return wrong;
}

function show(value) {
  const text = JSON.stringify(value) ?? 'undefined';
  return text.length > 60 ? `${text.slice(0, 59)}…` : text;
}

/** Follows one connection from its first message to its last. */
class Connection {
  problems = [];
  messages = 0; // of the server
  methods = new Map(); // what the server sent -> how often
  #asked = new Map(); // the client's requests without an answer: id -> method
  #asking = new Set(); // ids of the server's requests without an answer
  #progress = new Map(); // token -> state of what the server reports
  #ending = false;

  take({ from, message }, line) {
    if (from === 'client') this.#client(message);
    else this.#server(message, line);
  }

  #client(m) {
    if (m.method === 'shutdown' || m.method === 'exit') this.#ending = true;
    if (m.method === undefined) this.#asking.delete(m.id);
    else if ('id' in m) {
      this.#asked.set(m.id, m.method);
      if (m.params?.workDoneToken !== undefined) this.#progress.set(m.params.workDoneToken, 'created');
    }
  }

  #server(m, line) {
    this.messages++;
    const name = m.method ?? `answer to ${this.#asked.get(m.id)}`;
    this.methods.set(name, (this.methods.get(name) ?? 0) + 1);
    const say = text => this.problems.push(`line ${line}, ${name}: ${text}`);
    if (m.jsonrpc !== '2.0') say('no "jsonrpc": "2.0"');
    for (const key of Object.keys(m)) if (!['jsonrpc', 'id', 'method', 'params', 'result', 'error'].includes(key)) say(`unknown member ${key}`);
    if (m.method === undefined) this.#answer(m, say);
    else this.#call(m, say);
  }

  #call(m, say) {
    if ('id' in m) {
      if (this.#asking.has(m.id)) say(`two requests with the id ${m.id} at a time`);
      this.#asking.add(m.id);
    }
    const rule = ('id' in m ? requests : notifications).get(m.method);
    if (rule === undefined) {
      if (!m.method.startsWith('$/')) say('not in the protocol');
      return;
    }
    if (rule.messageDirection === 'clientToServer') say('only a client may send this');
    if (rule.params !== undefined) misfits(m.params, rule.params, 'params').forEach(say);
    else if (m.params !== undefined && m.params !== null) say('takes no params');
    if (m.method === 'window/workDoneProgress/create') this.#progress.set(m.params.token, 'created');
    if (m.method === '$/progress') this.#report(m.params, say);
  }

  #report({ token, value }, say) {
    const kinds = { begin: 'WorkDoneProgressBegin', report: 'WorkDoneProgressReport', end: 'WorkDoneProgressEnd' };
    if (!Object.hasOwn(kinds, value?.kind)) return;
    misfits(value, { kind: 'reference', name: kinds[value.kind] }, 'params.value').forEach(say);
    const state = this.#progress.get(token);
    if (value.kind === 'begin' ? state !== 'created' : !Number.isInteger(state)) say(`${value.kind} of token ${token}, which is ${state ?? 'unknown'}`);
    if (value.percentage !== undefined && (value.percentage > 100 || value.percentage < state)) say(`percentage ${value.percentage} after ${state}`);
    this.#progress.set(token, value.kind === 'end' ? 'ended' : value.percentage ?? (Number.isInteger(state) ? state : 0));
  }

  #answer(m, say) {
    if (!this.#asked.has(m.id)) return say(`answers ${show(m.id)}, which is not asked`);
    const rule = requests.get(this.#asked.get(m.id));
    this.#asked.delete(m.id);
    if (('result' in m) === ('error' in m)) return say('must have exactly one of result and error');
    if ('error' in m) {
      if (!isInteger(m.error?.code) || typeof m.error?.message !== 'string') say(`malformed error ${show(m.error)}`);
    } else if (rule !== undefined) {
      misfits(m.result, rule.result, 'result').forEach(say);
    }
    return undefined;
  }

  /** What is wrong once nothing more comes. Requests cut off by a shutdown may stay without an answer. */
  close() {
    if (!this.#ending) for (const [id, method] of this.#asked) this.problems.push(`${method} (${show(id)}) was never answered`);
  }
}

/** Reads one record. */
export function read(file) {
  return readFileSync(file, 'utf8').split('\n').filter(line => line !== '').map(line => JSON.parse(line));
}

/** The records of a folder, oldest first. */
export function records(folder) {
  return readdirSync(folder).filter(f => f.endsWith('.jsonl')).sort().map(f => join(folder, f));
}

/** Checks one record: its problems, and how many messages the server sent by method. */
export function check(entries) {
  const connection = new Connection();
  entries.forEach((entry, i) => connection.take(entry, i + 1));
  connection.close();
  return { problems: connection.problems, messages: connection.messages, methods: connection.methods };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const file of process.argv.slice(2)) {
    const { problems, messages } = check(read(file));
    console.log(`${file}: ${messages} messages of the server, ${problems.length} problems`);
    for (const p of problems) console.log(`  ${p}`);
    if (problems.length > 0) process.exitCode = 1;
  }
}
