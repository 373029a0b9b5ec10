/**
 * Small trees with one fault each, and where the rule must find it; trees with an empty `at` are
 * clean, and show what a rule must not object to.
 */
import * as documents from './document-rules.ts'
import * as imports from './import-rules.ts'
import * as shapes from './shape-rules.ts'
import type { Rule } from './tree.ts'
import * as words from './word-rules.ts'

export interface Fault {
  readonly rule: Rule
  readonly fault: string
  readonly files: Readonly<Record<string, string>>
  /** `path:line` of every violation, in order. */
  readonly at: readonly string[]
}

const DEPENDENCIES = '{"dependencies":{"zod":"1"},"devDependencies":{"uplot":"1"}}'
const long = (count: number, text: string): string => text.repeat(count)

const IMPORT_FAULTS: readonly Fault[] = [
  {
    rule: imports.importTable,
    fault: 'model imports wire, on the second line',
    files: { 'src/model/a.ts': "import { b } from './b.ts'\nimport { c } from '../wire/c.ts'\n" },
    at: ['src/model/a.ts:2'],
  },
  {
    rule: imports.importTable,
    fault: 'a re-export, a type, a dynamic import and a worker entry count as imports',
    files: {
      'src/shm/a.ts': "export * from '../hub/x.ts'\n",
      'src/shm/b.ts': "import type {\n  X,\n} from '../hub/x.ts'\n",
      'src/shm/c.ts': "\nconst x = await import('../hub/x.ts')\n",
      'src/shm/d.ts': "const x = new URL('../hub/worker.ts', import.meta.url)\n",
    },
    at: ['src/shm/a.ts:1', 'src/shm/b.ts:1', 'src/shm/c.ts:2', 'src/shm/d.ts:1'],
  },
  {
    rule: imports.importTable,
    fault: 'the page takes code, not types, from the API; or more of http than the API',
    files: {
      'src/web/a.ts': "import { parse } from '../http/api.ts'\n",
      'src/web/b.ts': "import type { Route } from '../http/route.ts'\n",
    },
    at: ['src/web/a.ts:1', 'src/web/b.ts:1'],
  },
  {
    rule: imports.importTable,
    fault: 'a folder that the table does not know, and code that reaches into test',
    files: {
      'src/extra/a.ts': "import { x } from '../model/x.ts'\n",
      'src/hub/a.ts': "import { x } from '../../test/support/x.ts'\n",
    },
    at: ['src/extra/a.ts:1', 'src/hub/a.ts:1'],
  },
  {
    rule: imports.importTable,
    fault: 'instruments that take another dialect than the one they speak',
    files: {
      'src/instrument/a.ts': "import { x } from '../dialects/eventcounters/x.ts'\n",
      'src/instrument/b.ts': "import { x } from '../dialects/scope/x.ts'\n",
      'src/instrument/c.ts': "import { x } from '../time/system-clock.ts'\n",
      'src/instrument/d.ts': "import { x } from '../dialects/index.ts'\n",
    },
    at: ['src/instrument/b.ts:1', 'src/instrument/d.ts:1'],
  },
  {
    rule: imports.importTable,
    fault: 'code that takes what stands in the test room of a dialect',
    files: {
      'src/dialects/x/codec.ts': "import { samples } from './test/samples.ts'\n",
      'src/hub/a.ts': "\nimport { samples } from '../dialects/x/test/samples.ts'\n",
    },
    at: ['src/dialects/x/codec.ts:1', 'src/hub/a.ts:2'],
  },
  {
    rule: imports.importTable,
    fault: 'nothing, where all imports are in the table',
    files: {
      'src/web/a.ts': "import type { Api } from '../http/api.ts'\nimport './a.css'\n",
      'src/terminal/a.ts': "import { type A, type B } from '../http/api.ts'\n",
      'src/hub/a.test.ts': "import { x } from '../../test/support/x.ts'\n",
      'src/hub/b.test.ts': "import { x } from '../dialects/x/test/samples.ts'\n",
      'src/dialects/x/test/fuzz.ts': "import { x } from '../../../../test/fuzz/x.ts'\n",
      'src/cli/a.ts': "import { x } from '../hub/x.ts'\nimport p from '../../package.json'\n",
      'src/shm/a.ts': "import { VERSION } from '../version.ts'\n",
      'test/a.ts': "import { x } from '../src/hub/x.ts'\n",
    },
    at: [],
  },
  {
    rule: imports.acyclicFolders,
    fault: 'two folders that import each other through different files',
    files: {
      'src/hub/a.ts': "import { x } from '../http/x.ts'\n",
      'src/http/b.ts': "\nimport { y } from '../hub/y.ts'\n",
    },
    at: ['src/http/b.ts:2'],
  },
  {
    rule: imports.acyclicFolders,
    fault: 'nothing, where folders form a diamond',
    files: {
      'src/hub/a.ts': "import { x } from '../shm/x.ts'\nimport { y } from '../model/y.ts'\n",
      'src/shm/x.ts': "import { y } from '../model/y.ts'\n",
    },
    at: [],
  },
  {
    rule: imports.acyclicFiles,
    fault: 'three files in a circle, one circle reported',
    files: {
      'src/hub/a.ts': "import { b } from './b.ts'\n",
      'src/hub/b.ts': "import { c } from './c.ts'\n",
      'src/hub/c.ts': "\n\nimport { a } from './a.ts'\n",
    },
    at: ['src/hub/c.ts:3'],
  },
  {
    rule: imports.acyclicFiles,
    fault: 'nothing, where the way back is a type',
    files: {
      'src/hub/a.ts': "import { b } from './b.ts'\n",
      'src/hub/b.ts': "import type { A } from './a.ts'\n",
    },
    at: [],
  },
  {
    rule: imports.dialectIsolation,
    fault: 'a dialect that imports another one, and one that imports the registry',
    files: {
      'src/dialects/scope/map.ts': "import { x } from '../statsd/spec.ts'\n",
      'src/dialects/statsd/map.ts': "import { DIALECTS } from '../index.ts'\n",
    },
    at: ['src/dialects/scope/map.ts:1', 'src/dialects/statsd/map.ts:1'],
  },
  {
    rule: imports.dialectIsolation,
    fault: 'nothing, where a dialect imports itself and the contract',
    files: {
      'src/dialects/scope/map.ts': "import { x } from './spec.ts'\nimport '../dialect.ts'\n",
      'src/dialects/index.ts': "import { scope } from './scope/index.ts'\n",
    },
    at: [],
  },
  {
    rule: imports.packages,
    fault: 'a package in a library folder, an unlisted one, and a bundled one outside the page',
    files: {
      'package.json': DEPENDENCIES,
      'src/model/a.ts': "import { z } from 'zod'\n",
      'src/hub/b.ts': "import { x } from '@scope/name/deep'\n",
      'src/hub/c.ts': "import uplot from 'uplot'\n",
    },
    at: ['src/model/a.ts:1', 'src/hub/b.ts:1', 'src/hub/c.ts:1'],
  },
  {
    rule: imports.packages,
    fault: 'nothing, where packages are listed, bundled or only tested with',
    files: {
      'package.json': DEPENDENCIES,
      'src/hub/a.ts': "import { z } from 'zod'\nimport fs from 'node:fs'\n",
      'src/web/b.ts': "import uplot from 'uplot'\n",
      'src/model/c.test.ts': "import fc from 'fast-check'\n",
    },
    at: [],
  },
  {
    rule: imports.purity,
    fault: 'a Node module in a codec, and one reached from a map through another file',
    files: {
      'src/dialects/x/codec.ts': "import zlib from 'node:zlib'\n",
      'src/dialects/x/map.ts': "import { y } from './parts/y.ts'\n",
      'src/dialects/x/parts/y.ts': "\nimport fs from 'node:fs'\n",
    },
    at: ['src/dialects/x/codec.ts:1', 'src/dialects/x/parts/y.ts:2'],
  },
  {
    rule: imports.purity,
    fault: 'nothing, where a server imports Node and the codec does not',
    files: {
      'src/dialects/x/codec.ts': "import { y } from './y.ts'\n",
      'src/dialects/x/y.ts': 'export const y = 1\n',
      'src/dialects/x/server.ts': "import net from 'node:net'\nimport './codec.ts'\n",
      'src/model/a.test.ts': "import test from 'node:test'\n",
    },
    at: [],
  },
]

const SHAPE_FAULTS: readonly Fault[] = [
  {
    rule: shapes.fileLength,
    fault: 'a file of 501 lines',
    files: { 'src/hub/a.ts': long(501, 'x\n') },
    at: ['src/hub/a.ts:501'],
  },
  {
    rule: shapes.fileLength,
    fault: 'nothing in a file of 500 lines, nor in long prose',
    files: { 'src/hub/a.ts': long(500, 'x\n'), 'README.md': long(900, 'x\n') },
    at: [],
  },
  {
    rule: shapes.columns,
    fault: 'a line of 101 columns in code and in prose',
    files: { 'src/a.ts': `\n${long(101, 'x')}\n`, 'README.md': `${long(21, 'word ')}\n` },
    at: ['src/a.ts:2', 'README.md:1'],
  },
  {
    rule: shapes.columns,
    fault: 'nothing: 100 columns of any script, tables, links, data and drawings',
    files: {
      'src/a.ts': long(100, '\u{1F4C8}'),
      'README.md': `| ${long(120, 'x')} |\n[a](${long(120, 'x')})\n`,
      'a.json': long(200, 'x'),
      'a.svg': long(200, 'x'),
    },
    at: [],
  },
  {
    rule: shapes.drawers,
    fault: 'a folder called utils and a file called string-helpers',
    files: { 'src/hub/utils/a.ts': '', 'src/hub/string-helpers.ts': '' },
    at: ['src/hub/utils:0', 'src/hub/string-helpers.ts:0'],
  },
  {
    rule: shapes.drawers,
    fault: 'nothing in names that only contain the letters',
    files: { 'src/hub/uncommon.ts': '', 'test/support/a.ts': '' },
    at: [],
  },
  {
    rule: shapes.fileNames,
    fault: 'upper case and underscores',
    files: { 'src/Hub.ts': '', 'src/my_file.ts': '' },
    at: ['src/Hub.ts:0', 'src/my_file.ts:0'],
  },
  {
    rule: shapes.fileNames,
    fault: 'nothing in kebab case with several endings',
    files: { 'src/key-table.test.ts': '', 'src/vite.config.ts': '', 'README.md': '' },
    at: [],
  },
  {
    rule: shapes.headers,
    fault: 'a source file that begins with code',
    files: { 'src/hub/a.ts': "import './b.ts'\n/** Late. */\n" },
    at: ['src/hub/a.ts:1'],
  },
  {
    rule: shapes.headers,
    fault: 'nothing in a file with a comment first, nor in a test',
    files: { 'src/a.ts': '/** A. */\n', 'src/b.css': '/* B */', 'src/a.test.ts': 'test()\n' },
    at: [],
  },
  {
    rule: shapes.dialectFiles,
    fault: 'a dialect without map, fuzz target and vectors',
    files: {
      'src/dialects/x/README.md': '',
      'src/dialects/x/spec.ts': '',
      'src/dialects/x/codec.ts': '',
      'src/dialects/x/index.ts': '',
      'src/dialects/x/test/samples.ts': '',
      'src/dialects/x/test/vectors.ts': '',
    },
    at: ['src/dialects/x:0', 'src/dialects/x:0', 'src/dialects/x:0'],
  },
  {
    rule: shapes.dialectFiles,
    fault: 'nothing in a complete dialect',
    files: {
      'src/dialects/x/README.md': '',
      'src/dialects/x/spec.ts': '',
      'src/dialects/x/codec.ts': '',
      'src/dialects/x/map.ts': '',
      'src/dialects/x/index.ts': '',
      'src/dialects/x/test/samples.ts': '',
      'src/dialects/x/test/fuzz.ts': '',
      'src/dialects/x/test/vectors.ts': '',
      'src/dialects/x/vectors/x.json': '',
    },
    at: [],
  },
]

const WORD_FAULTS: readonly Fault[] = [
  {
    rule: words.focusedTests,
    fault: 'a focused test, a silent skip, and both as options',
    files: {
      'src/a.test.ts': "test('x', f)\ntest.only('x', f)\ntest.skip('y', f)\n",
      'src/b.test.ts': "test('x', { only: true }, f)\ntest('y', { skip: true }, f)\n",
    },
    at: ['src/a.test.ts:2', 'src/a.test.ts:3', 'src/b.test.ts:1', 'src/b.test.ts:2'],
  },
  {
    rule: words.focusedTests,
    fault: 'nothing in a skip that says why',
    files: {
      'src/a.test.ts': "test('x', { skip: 'no browser here' }, f)\ncontext.skip('no browser')\n",
    },
    at: [],
  },
  {
    rule: words.prints,
    fault: 'a print in the hub',
    files: { 'src/hub/a.ts': "\nif (x) console.log('x')\n" },
    at: ['src/hub/a.ts:2'],
  },
  {
    rule: words.prints,
    fault: 'nothing in the CLI, in the terminal, in a comment',
    files: {
      'src/cli/a.ts': "console.log('x')\n",
      'src/terminal/a.ts': "console.error('x')\n",
      'src/hub/a.ts': '/**\n * console.log(x)\n */\n// console.log(x)\n',
    },
    at: [],
  },
]

const DOCUMENT_FAULTS: readonly Fault[] = [
  {
    rule: documents.links,
    fault: 'a link to no file, a picture without one, and an anchor without heading',
    files: {
      'README.md': '# A\n[x](docs/no.md)\n![x](no.png)\n[x](docs/a.md#nothing)\n[x](#b)\n',
      'docs/a.md': '# Title\n',
    },
    at: ['README.md:2', 'README.md:3', 'README.md:4', 'README.md:5'],
  },
  {
    rule: documents.links,
    fault: 'nothing: files, folders, headings, other sites, code',
    files: {
      'README.md': '# A b, `c`!\n[x](docs/a.md#title) [y](docs/) [z](#a-b-c) [w](https://x.y)\n',
      'docs/a.md': '# Title\n[up](../README.md)\n```\n[x](no.md)\n```\n`[x](no.md)`\n',
    },
    at: [],
  },
  {
    rule: documents.citations,
    fault: 'a section that a document lacks, one of no document, one of nobody knows which',
    files: {
      'src/hub/a.ts': '// x.md \u00a73.4\n// x.md \u00a73\n// y.md \u00a71\n// \u00a73\n',
      'src/dialects/x/a.ts': '/** \u00a73.1\n * (\u00a73, \u00a74) */\n',
      'docs/formats/x.md': '# X\n## 3 Layout\n### 3.1 Lines\n\u00a79\n',
    },
    at: ['src/hub/a.ts:1', 'src/hub/a.ts:3', 'src/hub/a.ts:4']
      .concat('src/dialects/x/a.ts:2')
      .concat('docs/formats/x.md:4'),
  },
  {
    rule: documents.citations,
    fault: 'nothing where the headings are, and in citations of RFCs',
    files: {
      'src/hub/a.ts': '// RFC 9110 \u00a712.5, x.md \u00a73.1: "\u00a7" alone\n',
      'src/dialects/x/README.md': '\u00a73\n',
      'docs/formats/x.md': '## 3 Layout\n### 3.1 Lines\n',
    },
    at: [],
  },
  {
    rule: documents.decisions,
    fault: 'a missing number',
    files: { 'docs/decisions/0001-a.md': '', 'docs/decisions/0003-b.md': '' },
    at: ['docs/decisions/0003-b.md:0'],
  },
  {
    rule: documents.decisions,
    fault: 'nothing in a row of numbers',
    files: { 'docs/decisions/0001-a.md': '', 'docs/decisions/0002-b.md': '' },
    at: [],
  },
  {
    rule: documents.manifest,
    fault: 'an export, a command and a script without their files',
    files: {
      'package.json':
        '{"exports":{"./x":{"types":"./dist/x/index.d.ts"}},\n' +
        '"bin":{"p":"bin/p.js"},\n"scripts":{"a":"node test/a.ts"}}',
    },
    at: ['package.json:1', 'package.json:2', 'package.json:3'],
  },
  {
    rule: documents.manifest,
    fault: 'nothing where dist is built from src',
    files: {
      'package.json':
        '{"exports":{"./x":{"types":"./dist/x/index.d.ts","default":"./dist/x/index.js"}},' +
        '"scripts":{"a":"node --test \\"src/**/*.test.ts\\" && node src/x/index.ts"}}',
      'src/x/index.ts': '',
    },
    at: [],
  },
  {
    rule: documents.lockFile,
    fault: 'a download address in the lock file, a registry in .npmrc',
    files: {
      'package-lock.json': '{\n"resolved": "https://registry.example/a.tgz"\n}',
      '.npmrc': 'fund=false\nregistry=https://registry.example\n',
    },
    at: ['package-lock.json:2', '.npmrc:2'],
  },
  {
    rule: documents.lockFile,
    fault: 'nothing in integrity hashes and local links',
    files: {
      'package-lock.json': '{"resolved": "tools/x", "funding": {"url": "https://x.example"}}',
      '.npmrc': 'fund=false\n',
    },
    at: [],
  },
  {
    rule: documents.completeLock,
    fault: 'an optional dependency for another platform without an entry',
    files: {
      'package-lock.json':
        '{"packages": {\n"": {"dependencies": {"a": "1"}},\n' +
        '"node_modules/a": {"optionalDependencies": {"a-win32": "1", "a-linux": "1"}},\n' +
        '"node_modules/a-linux": {}}}',
    },
    at: ['package-lock.json:3'],
  },
  {
    rule: documents.completeLock,
    fault: 'nothing where entries are beside, nested or reached from a linked folder',
    files: {
      'package-lock.json':
        '{"packages": {"": {"dependencies": {"a": "1"}}, "node_modules/b": {},' +
        '"node_modules/a": {"dependencies": {"b": "1", "c": "1"}},' +
        '"node_modules/a/node_modules/c": {"dependencies": {"b": "1"}},' +
        '"tools/x": {"optionalDependencies": {"b": "1"}}}}',
    },
    at: [],
  },
]

export const FAULTS: readonly Fault[] = [
  ...IMPORT_FAULTS,
  ...SHAPE_FAULTS,
  ...WORD_FAULTS,
  ...DOCUMENT_FAULTS,
]
