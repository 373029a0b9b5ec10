/** Who may import whom (ARCHITECTURE.md, folders), and that nothing goes in circles. */
import { type Import, importsOf, packageOf } from './imports.ts'
import { isTest, lineAt, type Rule, type TidyFile, type Tree, type Violation } from './tree.ts'

/**
 * Room of src to the rooms that it may import beside itself. A room is a folder of src, or one of
 * the rooms that all dialects have (`dialect/hub`: its side in the hub); `dialects` are the
 * contracts beside the dialects' folders, `dialect` is a protocol, `dialects/NAME` that of one. A
 * path with an ending is a file.
 */
export const IMPORT_TABLE: Readonly<Record<string, readonly string[]>> = {
  time: [],
  model: [],
  wire: ['time/task.ts'],
  arena: [],
  peers: ['time'],
  disk: [],
  shm: ['time', 'model'],
  exposition: ['model', 'wire', 'dialects/export-rules.ts'],
  history: ['time', 'model', 'wire', 'arena', 'disk'],
  dialects: ['time', 'model', 'wire', 'arena', 'dialect'],
  dialect: [
    ...['time', 'model', 'wire', 'arena', 'peers', 'disk', 'shm', 'exposition', 'dialects'],
  ],
  // Payloads, sessions and intervals are spelled and typed by the dialect (decision 0013).
  // The socket for the tools of .NET is that of its dialect, and pushes are those of OTLP.
  instrument: [
    ...['time', 'model', 'wire', 'peers', 'shm', 'exposition', 'dialects'],
    ...['dialects/eventcounters', 'dialects/nettrace', 'dialects/opentelemetry'],
  ],
  // Of wire, the hub knows only the shape of the errors that dialects report.
  hub: [
    ...['time', 'model', 'arena', 'peers', 'shm', 'history', 'instrument', 'dialects', 'dialect'],
    'exposition',
    'dialect/hub',
    'wire/decode-error.ts',
  ],
  'dialect/hub': [
    ...['time', 'model', 'wire', 'arena', 'peers', 'shm', 'dialects', 'dialect', 'dialect/api'],
    'hub',
  ],
  // what its routes answer, as types
  'dialect/api': ['model', 'dialect', 'http/api.ts'],
  http: ['time', 'model', 'wire', 'exposition', 'peers', 'history', 'hub', 'dialects'],
  'dialect/http': [
    ...['time', 'model', 'wire', 'exposition', 'peers', 'dialects', 'dialect', 'hub'],
    ...['dialect/hub', 'http', 'dialect/api'],
  ],
  // What page and terminal have in common: numbers as text, series as a hub tells them.
  viewer: ['model', 'http/api.ts'],
  web: ['model', 'viewer', 'http/api.ts', 'dialect/view'],
  'dialect/view': ['model', 'viewer', 'web', 'http/api.ts', 'dialect/api'],
  terminal: ['time', 'model', 'viewer', 'dialects', 'http/api.ts'],
  cli: [
    ...['time', 'model', 'arena', 'disk', 'exposition', 'history', 'dialects', 'guest', 'registry'],
    'hub',
    ...['http/api.ts', 'terminal'],
  ],
  'dialect/cli': [
    ...['time', 'model', 'wire', 'shm', 'instrument', 'dialects', 'dialect', 'hub'],
    ...['dialect/hub', 'viewer', 'terminal'],
  ],
  'dialect/demo': ['time', 'model', 'wire', 'shm', 'instrument', 'dialects', 'dialect'],
  guest: [
    ...['hub', 'http', 'dialects', 'dialect', 'dialect/hub', 'dialect/http', 'dialect/cli'],
    'dialect/demo',
  ],
  registry: ['dialects', 'guest'],
  // What the shared suites need of a dialect: they may look at everything, and use test/.
  'dialect/test': [
    ...['time', 'model', 'wire', 'arena', 'shm', 'exposition', 'instrument', 'dialects'],
    'registry',
    ...['dialect', 'hub', 'dialect/hub', 'http', 'dialect/http', 'terminal', 'cli', 'dialect/cli'],
    ...['dialect/demo', 'viewer', 'web', 'dialect/view', 'dialect/api', 'disk'],
  ],
}

/** Rooms that a dialect's folder may have beside its protocol. */
const ROOMS: ReadonlySet<string> = new Set(['hub', 'http', 'view', 'cli', 'demo', 'test'])

/** Room of a path below src; undefined for a file that stands in src itself, and for all others. */
export function roomOf(path: string): string | undefined {
  const [top, folder, dialect, inside] = path.split('/')
  if (top !== 'src' || folder === undefined || dialect === undefined) return undefined
  if (folder !== 'dialects') return folder
  if (inside === undefined) return roomOfFile(dialect)
  if (inside === 'guest.ts') return 'guest'
  if (path.endsWith('/http/api.ts')) return 'dialect/api'
  return ROOMS.has(inside) ? `dialect/${inside}` : 'dialect'
}

/** The registry stands above all dialects, the contracts beside it below them. */
function roomOfFile(name: string): string {
  if (name === 'index.ts' || name === 'registry.ts') return 'registry'
  return name === 'guest.ts' ? 'guest' : 'dialects'
}

/** Taken as types only: nothing of the server's code may reach a viewer. */
const TYPES_ONLY = new Set(['http/api.ts', 'dialect/api'])

export const importTable: Rule = {
  title: 'folders of src import only what the import table allows',
  check: (tree) => sources(tree).flatMap((file) => importsOf(file).flatMap(checkTable)),
}

function checkTable(entry: Import): Violation[] {
  const room = roomOf(entry.from)
  if (entry.target === undefined || room === undefined) return []
  const allowed = IMPORT_TABLE[room]
  if (allowed === undefined) {
    return [violation(entry, `folder src/${room} is not in the import table: add it there`)]
  }
  const inside = entry.target.startsWith('src/') ? entry.target.slice('src/'.length) : undefined
  if (inside === undefined) return leavesSource(entry)
  const other = roomOf(entry.target)
  if (other === room || isShared(inside, room)) return []
  if (isTest(entry.from) && other === 'registry') return []
  if (other === 'dialect/test' && isTest(entry.from)) return []
  const row = allowed.find((each) => inside === each || other === each || isOf(entry, each))
  if (row === undefined) {
    const list = allowed.length === 0 ? 'nothing' : allowed.join(', ')
    return [violation(entry, `src/${room} may import ${list}, not ${inside}`)]
  }
  if (TYPES_ONLY.has(row) && !entry.isType) {
    return [violation(entry, `take ${row} with \`import type\`: a viewer shares no server code`)]
  }
  return []
}

/** Whether a row names the protocol of one dialect, `dialects/NAME`, and the import takes it. */
function isOf({ target }: Import, row: string): boolean {
  return row === `dialects/${dialectOf(target!)}` && roomOf(target!) === 'dialect'
}

/** A file directly in src (`version.ts`) is everybody's but the pure folders'. */
function isShared(inside: string, room: string): boolean {
  return !inside.includes('/') && room !== 'model' && room !== 'wire'
}

/** Tests may use test/; `package.json` is the one file outside src that code reads. */
function leavesSource(entry: Import): Violation[] {
  if (isTest(entry.from) && entry.target!.startsWith('test/')) return []
  if (entry.target === 'package.json') return []
  return [violation(entry, `src imports ${entry.target} outside src: move it or turn it round`)]
}

export const acyclicFolders: Rule = {
  title: 'the rooms of src depend on each other without a cycle',
  check(tree) {
    const edges = new Map<string, Map<string, Import>>()
    for (const file of sources(tree).filter(({ path }) => !isTest(path))) {
      for (const entry of importsOf(file)) {
        const from = roomOf(file.path)
        const to = entry.target === undefined ? undefined : roomOf(entry.target)
        if (from === undefined || to === undefined || from === to) continue
        if (TYPES_ONLY.has(entry.target!.slice('src/'.length))) continue
        const known = edges.get(from) ?? new Map<string, Import>()
        if (!known.has(to)) known.set(to, entry)
        edges.set(from, known)
      }
    }
    return cycles(edges, 'folders import each other in a circle')
  },
}

export const acyclicFiles: Rule = {
  title: 'no file imports itself by way of others, types included',
  check(tree) {
    const edges = new Map<string, Map<string, Import>>()
    for (const file of tree.under('', '.ts', '.tsx')) {
      const targets = new Map<string, Import>()
      for (const entry of importsOf(file)) {
        if (entry.target !== undefined && tree.read(entry.target) !== undefined) {
          targets.set(entry.target, entry)
        }
      }
      edges.set(file.path, targets)
    }
    return cycles(edges, 'files import each other in a circle')
  },
}

export const dialectIsolation: Rule = {
  title: 'a dialect never imports another dialect, nor the registry',
  check: (tree) =>
    tree.under('src/dialects', '.ts', '.tsx').flatMap((file) => {
      const own = dialectOf(file.path)
      if (own === undefined) return []
      return importsOf(file).flatMap((entry) => {
        if (entry.target === 'src/dialects/index.ts' && !isTest(file.path)) {
          return [violation(entry, 'a dialect imports the registry: the registry imports it')]
        }
        const other = entry.target === undefined ? undefined : dialectOf(entry.target)
        if (other === undefined || other === own) return []
        const message = `dialect ${own} imports dialect ${other}: share through wire or model`
        return [violation(entry, message)]
      })
    }),
}

/** Folders whose users get no dependency with them. */
const LIBRARY = new Set([
  ...['time', 'model', 'wire', 'arena', 'shm', 'exposition', 'instrument', 'dialects', 'dialect'],
])

/** Packages of the hub, which the build bundles (docs/decisions/0002 says what each is for). */
const HUB_PACKAGES = new Set([
  '@hono/node-server',
  '@preact/signals-core',
  'commander',
  'hono',
  'hyparquet',
  'hyparquet-writer',
  'pbf',
  'wabt',
  'yaml',
  'zod',
])

export const packages: Rule = {
  title: 'library folders import no package, others what is bundled; nobody installs another one',
  check(tree) {
    const text = tree.read('package.json') ?? '{}'
    const { dependencies = {}, devDependencies = {} } = JSON.parse(text) as Manifest
    const message = 'list packages under "devDependencies": the build bundles them'
    const line = lineAt(text, text.indexOf('"dependencies"'))
    const isInstalled = Object.keys(dependencies).length > 0
    const imported = sources(tree)
      .filter(({ path }) => !isTest(path))
      .flatMap((file) => importsOf(file).flatMap((entry) => checkPackage(entry, devDependencies)))
    return [...(isInstalled ? [{ path: 'package.json', line, message }] : []), ...imported]
  },
}

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
}

function checkPackage(entry: Import, listed: Readonly<Record<string, string>>): Violation[] {
  if (entry.target !== undefined || entry.specifier.startsWith('node:')) return []
  const folder = roomOf(entry.from) ?? ''
  const name = packageOf(entry.specifier)
  if (LIBRARY.has(folder)) {
    return [violation(entry, `src/${folder} is a library part without dependencies, not ${name}`)]
  }
  const isOfPage = folder === 'web' || folder === 'dialect/view'
  if (listed[name] !== undefined && (isOfPage || HUB_PACKAGES.has(name))) return []
  return [violation(entry, `${name} is no package of the hub: add it to package.json and here`)]
}

export const purity: Rule = {
  title: 'model, wire and every spec.ts, codec, map.ts reach no Node module, but a codec.ts zlib',
  check: (tree) => {
    const pure = tree.files.filter(({ path }) => isPure(path) && !isTest(path))
    const seen = new Set<string>()
    const found: Violation[] = []
    const visit = (file: TidyFile, root: string): void => {
      if (seen.has(file.path)) return
      seen.add(file.path)
      for (const entry of importsOf(file)) {
        if (entry.specifier.startsWith('node:') && !isUnpacking(entry)) {
          const reason = file.path === root ? 'this file is pure' : `pure ${root} reaches it`
          found.push(violation(entry, `no ${entry.specifier} here, because ${reason}`))
        }
        const text = entry.target === undefined ? undefined : tree.read(entry.target)
        if (text !== undefined) visit(fileOf(tree, entry.target!), root)
      }
    }
    for (const file of pure) visit(file, file.path)
    return found
  },
}

function isPure(path: string): boolean {
  if (!path.endsWith('.ts')) return false
  if (path.startsWith('src/model/') || path.startsWith('src/wire/')) return true
  return /^src\/dialects\/[^/]+\/(?:(?:spec|codec|map)\.ts$|codec\/)/.test(path)
}

/** Bodies that are packed: a codec.ts may hand zlib's synchronous calls to its stages. */
function isUnpacking({ from, specifier }: Import): boolean {
  return specifier === 'node:zlib' && /^src\/dialects\/[^/]+\/codec\.ts$/.test(from)
}

function fileOf(tree: Tree, path: string): TidyFile {
  return tree.files.find((file) => file.path === path)!
}

function sources(tree: Tree): readonly TidyFile[] {
  return tree.under('src', '.ts', '.tsx')
}

function dialectOf(path: string): string | undefined {
  return /^src\/dialects\/([^/]+)\//.exec(path)?.[1]
}

function violation(entry: Import, message: string): Violation {
  return { path: entry.from, line: entry.line, message }
}

/** One violation per cycle, at the import that closes it. */
function cycles(edges: ReadonlyMap<string, ReadonlyMap<string, Import>>, what: string) {
  const found: Violation[] = []
  const done = new Set<string>()
  const trail: string[] = []
  const visit = (node: string): void => {
    trail.push(node)
    for (const [next, entry] of edges.get(node) ?? []) {
      const at = trail.indexOf(next)
      if (at !== -1) {
        const circle = [...trail.slice(at), next].join(' > ')
        found.push(violation(entry, `${what}: ${circle}; move what both need into a third`))
      } else if (!done.has(next)) visit(next)
    }
    trail.pop()
    done.add(node)
  }
  for (const node of edges.keys()) if (!done.has(node)) visit(node)
  return found
}
